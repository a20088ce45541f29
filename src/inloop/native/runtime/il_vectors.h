/* Vectors: copies and sums. */
#ifndef IL_VECTORS_H
#define IL_VECTORS_H

#include <stdint.h>
#include <string.h>

#include "il_precision.h"

/* Copy numbers; with count 0 the pointers may be NULL. */
static inline void il_copy(double *to, const double *from, int64_t count)
{
    if (count > 0) {
        memcpy(to, from, (size_t)count * sizeof *to);
    }
}

/* y += w k */
static inline void il_add_scaled(int64_t count, double *restrict y, double w,
                                 const double *restrict k)
{
    for (int64_t i = 0; i < count; i++) {
        y[i] += w * k[i];
    }
}

#endif
