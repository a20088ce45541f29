/* Where a run starts: start values, loops closed. */
#ifndef IL_START_H
#define IL_START_H

#include "il_host.h"

/* All that decides about a start. Arrays may be NULL: as the instance has it. */
typedef struct il_start {
    const double *parameters, *inputs; /* of the plant */
    const double *q, *qd, *z;          /* of the mode */
} il_start;

typedef struct il_start_strides {
    int64_t parameters, inputs, q, qd, z;
} il_start_strides;

enum il_start_kind {
    IL_START_CLOSED = 0, /* q and qd are taken as they are */
    IL_START_LED,        /* only independent coordinates count: the others are led to them */
    IL_START_NEAR,       /* q is closed up to the rounding of data */
    IL_START_WHOLE       /* the same, and qd fits it as well */
};

/* Doubles of scratch memory that il_begin_from needs. */
IL_EXPORT int64_t il_start_room(const il_instance *instance, int64_t mode);

/* Begin in a mode at t = 0, with the first choice of independent coordinates.
 *
 * kind: see il_start_kind. known: a start whose loops are closed; one that is led stays on its branch.
 * IL_LOOP_OPEN: the loops cannot be closed at what is wanted. IL_OUT_OF_BOUNDS: a formula of the
 * parameters leaves its bound, as of a mass. */
IL_EXPORT int il_begin_from(il_instance *instance, int64_t mode, int64_t kind,
                            const il_start *known, const il_start *wanted, double *scratch);

#endif
