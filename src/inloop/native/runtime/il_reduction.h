/* The motion of a mechanism with loops for any choice of independent coordinates, made at run time.
 *
 * Generated code for one choice is straight-line and fast, and has to be compiled. This is the other
 * way: generated terms (il_terms.h) that hold for every choice, and a solution with sparse factors
 * (il_closed.h) whose tables are written when a choice is made (il_pattern.h). It needs no
 * compiler, works in every position in which J has its rank, and gives the same numbers but for
 * rounding.
 *
 * An il_reduction lives in memory of the caller:
 *
 *     void *memory = ... il_reduction_measure(&mechanism) bytes, aligned to 64 ...;
 *     context.reduction = il_reduction_place(&mechanism, memory);
 *     il_reduction_choose(&context, t, q);            or il_reduction_take, for a known choice
 *     system.rates = il_reduction_rates; ...
 *
 * The functions take the same arguments as generated ones, an il_context first. The state is
 * x = (q and qd of independent coordinates, z, estimates of the dependent q, quaternions), in the
 * order of the choice. Nothing is kept from call to call but the choice.
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

/* What is to be known of a mechanism. */
typedef struct il_mechanism {
    const il_terms *terms;
    const double *pre;              /* prepared quantities that the terms read */
    const double *coordinate_sizes; /* one unit of each coordinate: 1 rad, or a length [m] */
    const double *row_sizes;        /* and of each row */
    const int32_t *roles;           /* of each coordinate, see il_partition.h */
    int64_t rank;                   /* of J without driven columns, where it is regular */
} il_mechanism;

typedef struct il_reduction {
    il_mechanism mechanism;
    il_partition choice, next;         /* what is in use; memory for the one to come */
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
/* The mechanism is copied; what it points to must stay. There is no choice yet. */
IL_EXPORT il_reduction *il_reduction_place(const il_mechanism *mechanism, void *memory);

/* Choose at a closed position. IL_LOOP_OPEN where J has lost rank: the old choice stays. */
IL_EXPORT int il_reduction_choose(void *context, double t, const double *q);
/* Take a choice: m dependent coordinates, then independent and driven ones; the rows of J in use. */
IL_EXPORT void il_reduction_take(il_reduction *r, int64_t m, const int32_t *order,
                                 const int32_t *rows);

/* Rates of x, see il_system.h. */
IL_EXPORT int il_reduction_rates(void *context, double t, const double *x, double *xd);
/* All positions and known velocities of x into the context, for implicit steps. */
IL_EXPORT int il_reduction_settle(void *context, double t, const double *x);
/* All about rows of states: q, qd, qdd of all coordinates, multipliers of the rows in use, efforts of
   the drives. Returns the number of rows whose loops could be closed. */
IL_EXPORT int64_t il_reduction_expand(void *context, int64_t count, const double *t,
                                      const double *x, double *q, double *qd, double *qdd,
                                      double *lam, double *effort);
/* Reciprocal pivots of the choice at a position. */
IL_EXPORT void il_reduction_pivots(void *context, double t, const double *q, double *pivots);
/* Velocities after the constraints have gripped a state, impulses balanced, with its restitutions e. */
IL_EXPORT void il_reduction_grip(void *context, const il_view *before, double *qd);

#endif
