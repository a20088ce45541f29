/* Inputs and internal state of the generated functions of a mechanism at run time.
 *
 * One structure for all formulations: for a tree the parts of loops and drives are empty. All
 * pointers lead to memory of the instance (il_plant.h) or of its host.
 */
#ifndef IL_CONTEXT_H
#define IL_CONTEXT_H

#include <stdint.h>

#include "il_inputs.h"

/* Prescribed motion at a time: q of all driven joints, then their qd, then their qdd. */
typedef void (*il_motions)(const void *self, double t, const double *u, const double *z,
                           double *out);

struct il_reduction;
struct il_redundant_memory;

typedef struct il_context {
    /* prepared quantities of the rates, efforts of the joints, inputs */
    const double *pre, *tau, *u;
    il_inputs *inputs;            /* NULL: constant inputs */

    /* implicit steps: prepared quantities, and factors from the predictor to the corrector */
    const double *implicit_pre;
    double *kept;
    const double *jacobian_pre;
    const double *contacts_pre;   /* of hard contacts */

    /* driven joints: from a function, or from the last three if there is none */
    il_motions drives;
    const void *drives_self;
    const double *q, *qd, *qdd;
    int64_t bad_drive;            /* out: the last one that was not finite; else -1 */
    double bad_t;                 /* out: and its time [s] */

    /* loops */
    const double *guard;          /* times reciprocal pivots: outside 0 to 1 the choice is bad */
    const double *per_unit;       /* by dependent coordinate: 1/rad, or 1 over a length */
    double tolerance;             /* Newton's method ends at smaller corrections, in units */
    double farthest;              /* longer corrections, in units, lead to another branch */
    double pull;                  /* rate that pulls estimates of dependent q to closure [1/s] */
    int64_t most_iterations;
    int64_t bad_row;              /* out: the row that could not be closed */
    /* for implicit steps: functions of the rates, and the closed position of a state */
    int (*settle)(void *context, double t, const double *x);
    int (*rates)(void *context, double t, const double *x, double *xd);
    double *at_q, *at_qd, *at_qdd;
    /* solver for any choice of independent coordinates, see il_reduction.h; else NULL */
    struct il_reduction *reduction;
    /* redundant coordinates, see il_redundant.h; else NULL */
    struct il_redundant_memory *redundant;
} il_context;

#endif
