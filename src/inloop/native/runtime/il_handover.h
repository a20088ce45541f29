/* From one mode of a mechanism to the next: what is watched, and the state after an event.
 *
 * A mode is seen from outside by all its coordinates, whatever its stepper integrates. An event
 * takes this view of the mode that ends, sets what the user wants, lets the constraints of an
 * impact grip (impulses balanced, with restitution), and begins the next mode on its own
 * constraints.
 */
#ifndef IL_HANDOVER_H
#define IL_HANDOVER_H

#include "il_machine.h"

/* What generated programs of a mode read. */
typedef struct il_view {
    const double *pre, *u;
    double t;
    const double *q, *qd, *lam, *effort, *z;
    const double *e; /* restitution of the rows in use */
} il_view;

/* A generated program with all its outputs in a row. */
typedef void (*il_formula)(const il_view *view, double *out);

/* All coordinates, multipliers and efforts from states of the stepper; rows that are good. */
typedef int64_t (*il_expand)(void *context, int64_t count, const double *t, const double *x,
                             double *q, double *qd, double *qdd, double *lam, double *effort);

/* A mode seen from outside. */
typedef struct il_face {
    il_expand expand;    /* NULL: a tree, x = (q, qd, z) */
    void *context;       /* of expand */
    il_formula events;   /* indicators, restitutions, those of single rows; may be NULL */
    il_formula project;  /* velocities after the constraints have gripped; NULL for a tree */
    il_formula energy;   /* kinetic, potential */
    const double *pre, *u;
    const int64_t *independent, *dependent, *driven;
    int64_t n, states, independent_count, dependent_count, driven_count, event_count;
    double *q, *qd, *qdd, *lam, *effort, *z; /* the view, memory of the caller */
    double *e;   /* restitution of the rows in use, as the projection reads it */
    double *out; /* results of formulas */
} il_face;

/* One event: an il_jump with its context. */
typedef struct il_handover {
    il_face *from, *to;
    il_face *impact;   /* mode whose constraints the velocities run into; may be NULL */
    il_formula next;   /* q, qd and z of the next mode, before it is closed */
    const int64_t *rows; /* of the impact: where `events` of `from` tells the restitution of each */
    int64_t event;     /* number of the event among those of its mode */
    int64_t plastic;   /* not 0: no restitution, whatever the event says */
} il_handover;

/* il_indicators of a face. */
IL_EXPORT int il_face_indicators(void *face, double t, const double *x, double *g);

/* il_jump of a handover. The restitution that it records is that of the event, not those of single
 * rows. */
IL_EXPORT int il_hand_over(void *handover, double t, const double *x, double *x_new,
                           il_record *record);

#endif
