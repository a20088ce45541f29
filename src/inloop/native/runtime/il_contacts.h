/* Hard contacts of a mechanism: velocities jump so that nothing overlaps more than it does.
 *
 * In each step the contacts that are closed half-way through it act at once (Moreau 1988; Jean
 * 1999, doi:10.1016/S0045-7825(98)00383-1). With velocities v before, v_f after smooth forces alone
 * and v_new after all, and the rows H of relative velocities u = H v at the contacts:
 *
 *   v_new = v_f + M^-1 H^T r,   u_new = W r + H v_f,   W = H M^-1 H^T
 *
 * which il_contact_solver.h solves with dry friction.
 *
 * A contact that closes within the step, faster than the forces of two steps could make it, is an
 * impact. A step with impacts has three parts, with rows and mass matrix of half-way: smooth forces
 * and the other contacts up to the first impact; the impact of all, in no time, with Newton's
 * restitution u_n after = -e u_n before; forces and contacts from there on. So impacts are where
 * gaps are zero, nothing is left overlapping by h |v|, and what rests is not shaken by restitution.
 * Where an impact would add to the energy, as different restitutions of coupled contacts can do, it
 * is found again with the least of them for all, and then without.
 */
#ifndef IL_CONTACTS_H
#define IL_CONTACTS_H

#include "il_contact_solver.h"
#include "il_meeting.h"

/* What code that is generated for a choice of coordinates tells of its hard contacts. */
typedef struct il_contact_table {
    /* gap of each contact, friction of each, restitution of each, rows H, mass matrix; then pose and
       twist of each meeting, whose contacts are the last ones and have neither gaps nor rows yet */
    void (*rows)(void *context, double t, const double *x, double *found);
    const int64_t *first;  /* row at which each contact begins, then the number of rows */
    const int64_t *places; /* where in x its states begin: forces by row [N], then the residual */
    double near;           /* gaps below this are closed [m] */
    int64_t count;         /* of contacts */
    const il_meeting *meetings; /* shapes whose contacts are found in each step */
    int64_t meeting_count;
} il_contact_table;

/* Contacts at work, in memory of the instance. */
typedef struct il_contacts {
    const il_contact_table *table; /* NULL: there are none */
    double *work;                  /* il_contacts_work numbers */
    int64_t *chosen;               /* il_contacts_integers */
    il_contact_effort effort;
} il_contacts;

/* Where and when contacts act. */
typedef struct il_strike {
    void *context;
    double t, h;            /* half-way through the step; its length [s] */
    const double *x_middle; /* state half-way */
    const double *x;        /* at the beginning */
    int64_t n;              /* coordinates */
} il_strike;

int64_t il_contacts_work(const il_contact_table *table, int64_t n);
int64_t il_contacts_integers(const il_contact_table *table);

/* Change the velocities of x_new, which are those without contacts, write forces and residual of
   all contacts into its states, and add to its coordinates what impacts move beside the mean of both
   velocities. IL_DIVERGED: the mass matrix is not positive definite. */
int il_contacts_strike(const il_contacts *contacts, const il_strike *strike, double *x_new);

#endif
