/* Hands on bodies of a plant that runs: springs from points of bodies to points of the world.
 *
 * A grip pulls a point of a body with the force F = k (target - p) - c v + pushed force. It is found
 * once per sub-step and held during it, as an effort of every joint between the body and the ground:
 * tau += J' F. So it acts on trees, loops, ball joints and flexible links alike, whatever the
 * integrator. Where no body is held nothing of this is computed.
 *
 * The force of a step h is the one of its middle, where q is by h/2 qd further than at its beginning.
 * With p, J and v = J qd there, and what the points yield, a = a0 + W F, a0 = J qdd, W = J M^-1 J',
 *
 *     F = k (target - p - a h^2/4) - c (v + a h/2) + pushed force.
 *
 * For a mass on a spring that is the implicit midpoint rule, which is stable for every stiffness and
 * damping; it is of order 2.
 * What would be faster than the steps can follow is limited, and so is what would throw a body far in
 * one step; see IL_STIFFEST and the others below. A period that fails with the hands is done without
 * them: whatever they ask for, they end no run that would go on by itself.
 */
#ifndef IL_HAND_H
#define IL_HAND_H

#include "inloop.h"

#include "il_host.h"
#include "il_tape.h"

/* With the effective mass m = 1 / trace W of a point, and no more than that of the whole mechanism:
   where a point is about to turn back it is large, and a moment later small. */
#define IL_STIFFEST 0.04 /* k h^2 / m is at most this: thirty steps in a period of the spring */
#define IL_THICKEST 0.4  /* c h / m is at most this */
/* and in parts of the length of the mechanism: */
#define IL_FARTHEST_THROW 2e-3 /* F h^2 / m is at most this */
#define IL_FASTEST_PULL 0.03   /* |v| h of a point that a hand makes faster */

enum { IL_OF_BODY = 18 }; /* numbers that the tape tells of each body */

/* How bodies of a mode are reached. */
typedef struct il_reach {
    /* From q and the parameters, of each body: p_WB, R_WB by rows; what its joint adds, for qd = 1, to
       the angular velocity of all beyond it, and to the velocity of a point there that is at the
       origin of the world. All in the world. */
    il_tape *tape;
    const int64_t *parents; /* of each body; -1: the ground */
    const int64_t *bodies;  /* by number of a grip, from 0: which body of this mode; -1: none */
} il_reach;

typedef struct il_hand {
    /* set by the host */
    const il_reach *reaches; /* by mode */
    int64_t body_count;      /* that grips may name */
    double length, mass;     /* of the mechanism [m], [kg] */
    double *scratch;         /* il_hand_scratch numbers */

    /* what is asked for, and what has come of it in the last sub-step */
    int64_t held;    /* number of grips that hold a body; 0: nothing is computed */
    int64_t applied; /* not 0: efforts of the instance hold what the hands added to them */
    inloop_pull pulls[INLOOP_GRIPS];
} il_hand;

/* Length of scratch [doubles]. */
IL_EXPORT int64_t il_hand_scratch(const il_hand *hand, const il_instance *instance);

/* Take over INLOOP_GRIPS grips; 0, and nothing changes, if they make no sense. */
int il_hand_take(il_hand *hand, const double *grips);

/* The period is done without the hands. */
void il_hand_refuse(il_hand *hand);

/* Let go of all bodies. */
void il_hand_let_go(il_hand *hand, il_instance *instance);

/* il_advance with the hands. A controller of the plant that is due answers first. */
int il_hand_advance(il_hand *hand, il_instance *instance);

/* Let the efforts of the joints be what the inputs say, and nothing else. */
void il_hand_take_back(il_hand *hand, il_instance *instance);

#endif
