/* What the generated functions of a mechanism read, and what they keep, while it runs.
 *
 * One structure for all formulations: a tree leaves what belongs to loops and drives empty. All
 * pointers lead into memory of the instance (il_plant.h) or of its host.
 */
#ifndef IL_CONTEXT_H
#define IL_CONTEXT_H

#include <stdint.h>

#include "il_inputs.h"

/* Prescribed motion at a time: q of all driven joints in a row, then their qd, then their qdd. */
typedef void (*il_motions)(const void *self, double t, const double *u, const double *z,
                           double *out);

struct il_reduction;
struct il_redundant_memory;

typedef struct il_context {
    /* prepared quantities of the rates, efforts of the joints, inputs */
    const double *pre, *tau, *u;
    il_inputs *inputs;            /* NULL: inputs stay the same */

    /* implicit steps: prepared quantities, and factors from the predictor to the corrector */
    const double *implicit_pre;
    double *kept;
    const double *jacobian_pre;
    const double *contacts_pre;   /* of hard contacts */

    /* driven joints: as a function says, or where the last three say if there is none */
    il_motions drives;
    const void *drives_self;
    const double *q, *qd, *qdd;
    int64_t bad_drive;            /* out: the last one that was not finite; else -1 */
    double bad_t;                 /* out: and when [s] */

    /* loops */
    const double *guard;          /* times reciprocal pivots: beyond 0 to 1 the choice is bad */
    const double *per_unit;       /* of each dependent coordinate: 1/rad, or 1 over a length */
    double tolerance;             /* corrections below this, in units, end Newton's method */
    double farthest;              /* longer corrections, in units, lead to another branch */
    double pull;                  /* how fast estimates of dependent q come to closure [1/s] */
    int64_t most_iterations;
    int64_t bad_row;              /* out: the row that could not be closed */
    /* for implicit steps: functions of the rates, and what a state settles to */
    int (*settle)(void *context, double t, const double *x);
    int (*rates)(void *context, double t, const double *x, double *xd);
    double *at_q, *at_qd, *at_qdd;
    /* a solution for any choice of independent coordinates, see il_reduction.h; else NULL */
    struct il_reduction *reduction;
    /* bodies with six coordinates each, see il_redundant.h; else NULL */
    struct il_redundant_memory *redundant;
} il_context;

#endif
