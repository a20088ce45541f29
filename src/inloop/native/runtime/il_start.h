/* Start of a run: initial values with closed loops. */
#ifndef IL_START_H
#define IL_START_H

#include "il_host.h"

/* All values that determine a start. Arrays may be NULL: as in the instance. */
typedef struct il_start {
    const double *parameters, *inputs; /* of the plant */
    const double *q, *qd, *z;          /* of the mode */
} il_start;

typedef struct il_start_strides {
    int64_t parameters, inputs, q, qd, z;
} il_start_strides;

enum il_start_kind {
    IL_START_CLOSED = 0, /* q and qd are used unchanged */
    IL_START_LED,        /* only independent coordinates count: the others follow along a path */
    IL_START_NEAR,       /* q is closed up to the rounding of data */
    IL_START_WHOLE       /* the same, and qd is consistent as well */
};

/* Length of the scratch memory of il_begin_from [doubles]. */
IL_EXPORT int64_t il_start_room(const il_instance *instance, int64_t mode);

/* Begin in a mode at t = 0, with the first choice of independent coordinates.
 *
 * kind: see il_start_kind. known: a start with closed loops; one that is led stays on its branch.
 * IL_LOOP_OPEN: the loops cannot be closed at the requested values. IL_OUT_OF_BOUNDS: a formula of the
 * parameters, such as a mass, is outside its bounds. */
IL_EXPORT int il_begin_from(il_instance *instance, int64_t mode, int64_t kind,
                            const il_start *known, const il_start *wanted, double *scratch);

#endif
