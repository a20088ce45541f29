/* Hard contacts between two events, in which each keeps what it does: it is open, sticks or slips.
 *
 * While contacts keep their modes accelerations are smooth. With the rows G of velocities that stay
 * zero (all of a contact that sticks, the normal of one that slips), and forces along F (the same
 * rows; of a contact that slips along d, n - mu d):
 *
 *   a = a_free + M^-1 F^T f,   G a + d(G)/dt v = 0
 *
 * d(H)/dt v is a difference of fourth order along the motion; it takes four looks at the rows, and
 * no code but theirs. Where contacts are redundant f is not unique: it is then as near as a basis
 * of the columns leads to the forces with which the modes began. These are possible ones, and as far
 * as may be from those that are not.
 *
 * What the modes are is found where they begin (il_touching_decide.c), from the problem of dry
 * friction for accelerations: contacts that slip have one unknown, those whose velocity is zero the
 * whole cone. Not for users.
 */
#ifndef IL_TOUCHING_H
#define IL_TOUCHING_H

#include "il_strike.h"

enum il_touching_mode { IL_APART, IL_STICKING, IL_SLIPPING };

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

    /* by contact */
    int64_t *modes;          /* il_touching_mode */
    double *direction;       /* two of each: along which it slips */
    int64_t *starts;         /* not 0: it has just begun to slip, and keeps that direction still */
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
    double *x_beside;        /* a state, and its rates */
    double *rates_beside;
} il_touching;

/* Not 0: contacts can run from event to event: they are declared, and move with the mechanism. */
int il_touching_can(const il_contact_table *table);

/* Numbers and integers behind those of il_contacts, if they can; states in the method's memory. */
int64_t il_touching_work(const il_contact_table *table, int64_t n);
int64_t il_touching_integers(const il_contact_table *table);
enum { IL_TOUCHING_STATES = 2 };

/* Set it up; x: where the step begins; states: memory for IL_TOUCHING_STATES of them. */
void il_touching_begin(il_touching *touching, const il_system *system, double whole,
                       const double *x, double *states);

/* Velocities below this are zero [m/s]; so are rates of them, at events of forces. */
double il_touching_standstill(const il_touching *touching);

/* Gaps, rows, masses and velocities at a state. */
int il_touching_look(il_touching *touching, double t, const double *x);

/* `still`, with bias, for the rows of contacts that are not apart; xd: rates without contacts. */
int il_touching_still(il_touching *touching, double t, const double *x, double *xd);

/* An il_rates whose context is an il_touching. */
int il_touching_rates(void *context, double t, const double *x, double *xd);

/* Let contacts that meet hit, and find the modes from x on, which is brought onto the contacts.
   IL_CONTACT_JAMMED: contacts slide so that no forces are possible. */
int il_touching_decide(il_touching *touching, double t, double *x);

/* Above zero for as long as the modes hold: the least of all indicators, after `elapsed` [s], at
   the state that il_touching_rates was last called with. */
double il_touching_margin(const il_touching *touching, double elapsed);

/* Of forces `found` alone: the least distance to what is possible, in units of large forces. */
double il_touching_force_margin(const il_touching *touching);

/* Take over how contacts slip at the state that was looked at last. */
void il_touching_follow(il_touching *touching);

/* Solve the square system of `matrix`, which may be singular: what is not determined is 0. Returns
   its rank. */
int64_t il_touching_solve(il_touching *touching, int64_t n, double *x);

/* L^-1 of rows that stay zero, and of the force of each, for modes as they are; their number. */
int64_t il_touching_columns(il_touching *touching);

#endif
