/* Hard contacts between two events, in which each keeps what it does: it is open, sticks or slips.
 *
 * Beside its normal a contact has up to three discs of rows, which stick or slip by themselves:
 * tangents, rolling and drilling (il_rolling.h). While all keep their modes accelerations are smooth.
 * With the rows G of velocities that stay zero (normals, and discs that stick), and forces along F
 * (the same rows; where discs slip along d_j, n - Σ mu_j d_j in place of n):
 *
 *   a = a_free + M^-1 F^T f,   G a + d(G)/dt v = 0
 *
 * d(H)/dt v is a difference of fourth order along the motion; it takes four looks at the rows, and
 * no code but theirs. Where contacts are redundant f is not unique: it is then as near as a basis
 * of the columns leads to the forces with which the modes began. These are possible ones, and as far
 * as may be from those that are not.
 *
 * What the modes are is found where they begin (il_touching_decide.c), from the problem of dry
 * friction for accelerations: of discs that slip nothing is unknown, those whose velocity is zero
 * have the whole cone. Not for users.
 */
#ifndef IL_TOUCHING_H
#define IL_TOUCHING_H

#include "il_rolling_discs.h"
#include "il_strike.h"

/* places along the motion at which touches that are found are looked at for differences */
enum { IL_ALONG = 5 };

enum il_touching_mode { IL_OPEN_CONTACT, IL_CLOSED_CONTACT };

typedef struct il_touching {
    il_system free;          /* the mechanism without contacts */
    il_contact_table table;  /* in which less is closed: what hits together */
    il_contacts contacts;    /* with another effort, of accelerations and impacts */
    il_strike_parts p;       /* what the table tells, and what impacts need */
    int64_t count, rows;     /* of all contacts */
    double whole;            /* length of the step [s] */
    double size;             /* characteristic length [m] */
    double slow;             /* up to which it does so [m/s] */
    double near;             /* what rests is closed below such a gap [m] */
    double dust;             /* what rounding leaves of a gap [m] */
    double beat;             /* for how long drives are followed for differences [s] */

    /* by disc, IL_DISCS of each contact */
    int64_t *slips;          /* not 0: it does */
    int64_t *starts;         /* not 0: it has just begun to, and keeps that direction still */
    double *direction;       /* two numbers of each: along which it slips */
    /* by contact */
    int64_t *modes;          /* il_touching_mode */
    double *gap_begun;       /* as the modes began; infinite: it was not closed then */
    double *unit;            /* what is a large normal force there [N] */
    /* by row */
    double *force;           /* as the modes began [N] */
    double *found;           /* at the state that was looked at last [N] */
    double *u;               /* velocities there */
    double *bias;            /* their rates at constant v */
    double *still;           /* rates of u without contacts */
    double *columns;         /* L^-1 F^T, rows of n; then L^-1 G^T */
    double *matrix;          /* G M^-1 F^T, and the right side behind each row */
    int64_t *order;          /* of its rows and columns */
    double *scales;          /* and by what they are multiplied */
    double *along;           /* velocities at five places, if there are such: */
    il_touch_memory *anchor; /* touches that are found, where the last step that counts has ended */
    double *x_beside;        /* a state, and its rates */
    double *rates_beside;
} il_touching;

/* Not 0: contacts can run from event to event: all but piles. */
int il_touching_can(const il_contact_table *table);

/* Numbers and integers behind those of il_contacts, if they can; states in the method's memory. */
int64_t il_touching_work(const il_contact_table *table, int64_t n);
int64_t il_touching_integers(const il_contact_table *table);
enum { IL_TOUCHING_STATES = 2 };

/* Set it up; x: where the step begins; states: memory for IL_TOUCHING_STATES of them. */
void il_touching_begin(il_touching *touching, const il_system *system, double whole,
                       const double *x, double *states);

/* Tangents, rolling and drilling of contact i: rows of the table. */
void il_touching_discs(const il_touching *touching, int64_t i, il_disc discs[IL_DISCS]);

/* How many forces of contact i are unknown, and the rows of the table that they belong to. */
int64_t il_touching_unknowns(const il_touching *touching, int64_t i, int64_t rows[IL_ROLLING_ROWS]);

/* Velocities below this are zero [m/s]; so are rates of them, at events of forces. */
double il_touching_standstill(const il_touching *touching);

/* Gaps, rows and masses at a state, and velocities u; or velocities to `u`. */
int il_touching_look(il_touching *touching, double t, const double *x);
int il_touching_velocities(const il_touching *touching, double t, const double *x, double *u);

/* Touches that are found (il_touching_found.c): numbers of memory for them; begin anew from those where
   the last step that counts has ended; take those that were looked at last for it; and how far
   shapes have moved since then, in parts of what they may in a step. */
int64_t il_touching_found_size(const il_contact_table *table);
void il_touching_recall(const il_touching *touching);
void il_touching_anchor(il_touching *touching);
double il_touching_stride(const il_touching *touching);

/* 0: a touch that is found has not kept its gap, so that its point is none of either body: rims that
   lie level have such ones. */
int il_touching_holds(const il_touching *touching);

/* Velocities of those touches at -2h to 2h along the motion: note them, as they were looked at last, for
   one of the five; and then, where they have a kink, take differences of the side on which the
   motion is. Returns whether there is one (il_touching_kink.c). */
void il_touching_note(il_touching *touching, int side);
int il_touching_bend(il_touching *touching, const double *v, double h);

/* Rates of velocities at constant v, to `bias`; xd: rates at x (il_touching_bias.c). */
int il_touching_bias(il_touching *touching, double t, const double *x, const double *xd);

/* `still`, with bias, for the rows of contacts that are not apart; xd: rates without contacts. */
int il_touching_still(il_touching *touching, double t, const double *x, double *xd);

/* An il_rates whose context is an il_touching. */
int il_touching_rates(void *context, double t, const double *x, double *xd);

/* L^-1 of rows that stay zero, and of the force of each, for modes as they are; their number. */
int64_t il_touching_columns(il_touching *touching);

/* Solve the square system of `matrix`, which may be singular: what is not determined is 0. Returns
   its rank (il_touching_solve.c). */
int64_t il_touching_solve(il_touching *touching, int64_t n, double *x);

/* Let contacts that meet hit, and find the modes from x on, which is brought onto the contacts.
   IL_CONTACT_JAMMED: contacts slide so that no forces are possible. */
int il_touching_decide(il_touching *touching, double t, double *x);

/* Forces of redundant contacts far from what is not possible, and x onto the contacts that are closed
   (il_touching_settle.c). */
void il_touching_spread(il_touching *touching);
int il_touching_project(il_touching *touching, double t, double *x);

/* Above zero for as long as the modes hold: the least of all indicators, after `elapsed` [s], at
   the state that il_touching_rates was last called with (il_touching_margin.c). */
double il_touching_margin(const il_touching *touching, double elapsed);

/* Of forces `found` alone: the least distance to what is possible, in units of large forces. */
double il_touching_force_margin(const il_touching *touching);

/* The direction of slip of a disc, which lasts through its end. */
void il_touching_slip(const il_touching *touching, int64_t i, int j, double d[2]);

/* Take over how contacts slip at the state that was looked at last. */
void il_touching_follow(il_touching *touching);

#endif
