/* Hard contacts of a mechanism: velocities jump so that nothing overlaps more than it does.
 *
 * In each step the contacts that are closed half-way through it act at once (Moreau 1988; Jean
 * 1999, doi:10.1016/S0045-7825(98)00383-1). With velocities v before, v_f after smooth forces alone
 * and v_new after all, and the rows H of relative velocities u = H v + w at the contacts, where w
 * is what drives do:
 *
 *   v_new = v_f + M^-1 H^T r,   u_new = W r + H v_f + w,   W = H M^-1 H^T
 *
 * which il_contact_solver.h solves with dry friction. Where force laws are implicit they answer
 * impulses within the same step: M^-1 is what il_responder tells. So what is held together by laws
 * that are much faster than the step is hit as if it were rigid.
 *
 * Rows turn, such as those of a bead inside a ring or of what sticks to a turntable. A contact at rest at
 * the rows of half-way would move at those of the end, by as much as the turning up to half-way gave it.
 * So what was at rest at the rows of the beginning, H_before v = 0, goes on with u_new = -H v: that is of
 * order 2 and loses nothing. The less it was at rest, the less it is turned back, and comes to rest.
 *
 * A contact that closes within the step, faster than the forces of two steps could make it, is an
 * impact. The step is divided there (il_moreau.c): a step up to the first impact; the impact of all
 * contacts that are closed then, in no time, with Newton's restitution u_n after = -e u_n before; a
 * step from there on, and so forth. So impacts are where gaps are zero, nothing is left overlapping
 * by h |v|, and what rests is not shaken by restitution. Where there are too many of them all that
 * are left hit at once, in three parts with rows and mass matrix of half-way: forces up to the first
 * hit, the hit, and forces from there on.
 * Restitution may also be Poisson's: a compression without restitution, then an expansion in which the
 * normal impulse is e times that of the compression, or more where bodies would overlap.
 * Where an impact would add to the energy, as different restitutions of coupled contacts can do, it
 * is found again with the least of them for all, and then without.
 *
 * A contact that gives way is a spring k in rate form while it carries: u = -R (r - r_before), R =
 * 1/(h^2 k), where r_before is of the force of the step before, or 0 after impacts. R makes forces
 * of redundant contacts unique, and because of r_before nothing creeps.
 */
#ifndef IL_CONTACTS_H
#define IL_CONTACTS_H

#include "il_contact_solver.h"
#include "il_meeting.h"
#include "il_pile.h"
#include "il_system.h"

/* What code that is generated for a choice of coordinates tells of its hard contacts. */
typedef struct il_contact_table {
    /* gap of each contact, friction of each, restitution of each, compliance of each [m/N];
       velocities w that are there at qd = 0, rows H, mass matrix; then pose and twist of each
       meeting, whose contacts are the last ones and have neither gaps nor rows yet */
    int (*rows)(void *context, double t, const double *x, double *found);
    const int64_t *first;  /* row at which each contact begins, then the number of rows */
    const int64_t *places; /* where in x its states begin: forces by row [N], the residual, and 1 if
                              it was hit in the last step */
    double near;           /* gaps below this are closed [m] */
    int64_t count;         /* of contacts */
    int64_t states;        /* of force laws, theirs included; in x they follow the velocities */
    int64_t moved;         /* not 0: w is not always 0 */
    const il_meeting *meetings; /* shapes whose contacts are found */
    int64_t meeting_count;
    const il_pile *pile; /* NULL: there is none; else there are no other contacts (il_pile.h) */
    const int64_t *poisson; /* by contact, not 0: its restitution is Poisson's; NULL: of none it is */
    const int64_t *turning; /* by contact, rows of rolling and of drilling; NULL: none resists them */
} il_contact_table;

/* Contacts at work, in memory of the instance. */
typedef struct il_contacts {
    const il_contact_table *table; /* NULL: there are none */
    double *work;                  /* il_contacts_work numbers */
    int64_t *chosen;               /* il_contacts_integers */
    il_contact_effort effort;
    int64_t *inexact;              /* counts steps with a residual of more than 1e-6 */
    const double *patience;        /* not 0: impulses of a pile matter more than time */
} il_contacts;

/* Where and when contacts act. */
typedef struct il_strike {
    void *context;
    double t, h;            /* when the step or its part begins; its length [s] */
    double whole;           /* length of the whole step [s] */
    const double *x_middle; /* state half-way, without contacts */
    const double *x_end;    /* at the end, as far as it is known: where drives are told */
    const double *x;        /* at the beginning */
    int64_t n;              /* coordinates */
    il_responder respond;   /* NULL: forces are explicit */
    int without;            /* not 0: what hits first is left out */
    int looked;             /* not 0: il_contacts_first_impact has looked at the same just before */
} il_strike;

int64_t il_contacts_work(const il_contact_table *table, int64_t n);
int64_t il_contacts_integers(const il_contact_table *table);

/* All functions return IL_OK, what `rows` returns, or IL_DIVERGED where the mass matrix is not
   positive definite. */

/* Forget impulses and hits of the step before; x: where this one begins. */
void il_contacts_begin(const il_contacts *contacts, int64_t n, const double *x);

/* When the first contacts hit in a part of the step, as a share of it, and which; 1: none does.
   v_free: velocities at the end without contacts. */
int il_contacts_first_impact(const il_contacts *contacts, const il_strike *strike,
                             const double *v_free, double *when);

/* Change velocities and states of laws in x_new, which are those without contacts, and add to its
   coordinates what hits move beside the mean of both velocities. */
int il_contacts_strike(const il_contacts *contacts, const il_strike *strike, double *x_new);

/* Impulses so far, before a part of the step is tried; `again`: as they were then. */
void il_contacts_keep(const il_contacts *contacts, int again);

/* The gap that is left of what hits first, 0 if that is closed, and how fast it grows. */
typedef struct il_miss {
    double gap, rate; /* [m], [m/s] */
} il_miss;

/* The same at the state strike->x_middle. */
int il_contacts_miss(const il_contacts *contacts, const il_strike *strike, il_miss *missed);

/* The impact of what hits first, at the state strike->x_middle: change velocities and states of laws
   in x. */
int il_contacts_hit(const il_contacts *contacts, const il_strike *strike, double *x);

/* Forces of the whole step of length h and its residual as states; 0 of contacts that are open. */
void il_contacts_tell(const il_contacts *contacts, double h, double *x_new);

#endif
