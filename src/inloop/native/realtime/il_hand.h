/* Pulls on bodies of a running plant: springs from points of bodies to points of the world.
 *
 * A grip pulls a point of a body with the force F = k (target - p) - c v + pushed force. It is
 * computed once per sub-step and held during it, as an effort of every joint between the body and
 * the ground: tau += J' F. So it acts on trees, loops, ball joints and flexible links alike, with
 * any integrator. Nothing is computed without active grips.
 *
 * The force of a step h is that at its middle, where q has advanced by h/2 qd. With p, J and v = J
 * qd there, and the response of the points, a = a0 + W F, a0 = J qdd, W = J M^-1 J',
 *
 *     F = k (target - p - a h^2/4) - c (v + a h/2) + pushed force.
 *
 * For a mass on a spring this is the implicit midpoint rule, which is stable for every stiffness
 * and damping and has order 2. Forces that are faster than the steps can resolve, or that would
 * throw a body far in one step, are limited; see IL_STIFFEST and the others below. A period that
 * fails with the pulls is repeated without them: pulls never end a run that would continue without
 * them.
 */
#ifndef IL_HAND_H
#define IL_HAND_H

#include "inloop.h"

#include "il_host.h"
#include "il_tape.h"

/* With the effective mass m = 1 / trace W of a point, but at most that of the whole mechanism: near
   a turning point of the motion it is large, and a moment later small. */
#define IL_STIFFEST 0.04 /* maximum of k h^2 / m: thirty steps per period of the spring */
#define IL_THICKEST 0.4  /* maximum of c h / m */
/* and relative to the length of the mechanism: */
#define IL_FARTHEST_THROW 2e-3 /* maximum of F h^2 / m */
#define IL_FASTEST_PULL 0.03   /* maximum of |v| h of a point that a pull accelerates */

enum { IL_OF_BODY = 18 }; /* numbers per body from the tape */

/* Kinematics of the bodies of a mode. */
typedef struct il_reach {
    /* From q and the parameters, for each body: p_WB, R_WB by rows; for qd = 1 of its joint, the
       angular velocity added to all bodies beyond it, and the velocity added to their point at the
       world origin. All in world axes. */
    il_tape *tape;
    const int64_t *parents; /* of each body; -1: the ground */
    const int64_t *bodies;  /* by grip body number, from 0: body of this mode; -1: none */
} il_reach;

typedef struct il_hand {
    /* set by the host */
    const il_reach *reaches; /* by mode */
    int64_t body_count;      /* number of bodies that can be gripped */
    double length, mass;     /* of the mechanism [m], [kg] */
    double *scratch;         /* il_hand_scratch numbers */

    /* requests, and their results in the last sub-step */
    int64_t held;    /* number of active grips; 0: nothing is computed */
    int64_t applied; /* not 0: efforts of the instance include the pulls */
    inloop_pull pulls[INLOOP_GRIPS];
} il_hand;

/* Length of scratch [doubles]. */
IL_EXPORT int64_t il_hand_scratch(const il_hand *hand, const il_instance *instance);

/* Set INLOOP_GRIPS grips; 0 if they are invalid, and then nothing changes. */
int il_hand_take(il_hand *hand, const double *grips);

/* Mark the period as done without pulls. */
void il_hand_refuse(il_hand *hand);

/* Release all bodies. */
void il_hand_let_go(il_hand *hand, il_instance *instance);

/* il_advance with pulls. A controller of the plant that is due is sampled first. */
int il_hand_advance(il_hand *hand, il_instance *instance);

/* Reset the joint efforts to those of the inputs. */
void il_hand_take_back(il_hand *hand, il_instance *instance);

#endif
