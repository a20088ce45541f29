/* Motion of a mechanism with loops for any choice of independent coordinates, made at run time.
 *
 * Generated code for one choice is straight-line and fast, but has to be compiled. This is the
 * alternative: generated terms (il_terms.h) that are valid for every choice, and a sparse solution
 * (il_closed.h) whose tables are written when a choice is made (il_pattern.h). It needs no
 * compiler, works at every position where J has full rank, and gives the same results up to
 * rounding.
 *
 * An il_reduction lives in memory of the caller:
 *
 *     void *memory = ... il_reduction_measure(&mechanism) bytes, aligned to 64 ...;
 *     context.reduction = il_reduction_place(&mechanism, memory);
 *     il_reduction_choose(&context, t, q);            or il_reduction_take, for a known choice
 *     system.rates = il_reduction_rates; ...
 *
 * The functions have the same arguments as generated ones, an il_context first. The state is x = (q
 * and qd of independent coordinates, z, estimates of the dependent q, quaternions), in the order of
 * the choice. Only the choice is kept between calls.
 */
#ifndef IL_REDUCTION_H
#define IL_REDUCTION_H

#include <stddef.h>

#include "il_partition.h"
#include "il_context.h"
#include "il_export.h"
#include "il_formula.h"
#include "il_pattern.h"
#include "il_terms.h"

/* Description of a mechanism. */
typedef struct il_mechanism {
    const il_terms *terms;
    const double *pre;              /* prepared quantities that the terms read */
    const double *coordinate_sizes; /* scale of each coordinate: 1 rad, or a length [m] */
    const double *row_sizes;        /* scale of each row */
    const int32_t *roles;           /* of each coordinate, see il_partition.h */
    int64_t rank;                   /* of J without driven columns, at regular positions */
} il_mechanism;

typedef struct il_reduction {
    il_mechanism mechanism;
    il_partition choice, next;         /* in use; memory for the next one */
    il_pattern pattern;
    il_closed_work work;
    il_terms_at at;
    /* terms of the rows in use, and of dependent and known columns */
    double *Jv, *Jk, *h, *nu, *gamma;
    double *step, *pivots, *dq;
    double *lam, *effort, *zd, *zeros;
    double *J, *elimination;        /* J as a full array, and work memory for il_choose */
} il_reduction;

IL_EXPORT size_t il_reduction_measure(const il_mechanism *mechanism);
/* The mechanism is copied; what it points to must stay valid. There is no choice yet. */
IL_EXPORT il_reduction *il_reduction_place(const il_mechanism *mechanism, void *memory);

/* Choose at a closed position. IL_LOOP_OPEN if J has lost rank: the old choice stays. */
IL_EXPORT int il_reduction_choose(void *context, double t, const double *q);
/* Set a choice: m dependent coordinates, then independent and driven ones; the rows of J in use. */
IL_EXPORT void il_reduction_take(il_reduction *r, int64_t m, const int32_t *order,
                                 const int32_t *rows);

/* Rates of x, see il_system.h. */
IL_EXPORT int il_reduction_rates(void *context, double t, const double *x, double *xd);
/* Positions and known velocities of x into the context, for implicit steps. */
IL_EXPORT int il_reduction_settle(void *context, double t, const double *x);
/* For rows of states: q, qd, qdd of all coordinates, multipliers of the rows in use, efforts of the
   drives. Returns the number of rows whose loops could be closed. */
IL_EXPORT int64_t il_reduction_expand(void *context, int64_t count, const double *t,
                                      const double *x, double *q, double *qd, double *qdd,
                                      double *lam, double *effort);
/* Reciprocal pivots of the choice at a position. */
IL_EXPORT void il_reduction_pivots(void *context, double t, const double *q, double *pivots);
/* Velocities after the constraints engage at a state, by impulse balance with restitutions e. */
IL_EXPORT void il_reduction_grip(void *context, const il_view *before, double *qd);

#endif
