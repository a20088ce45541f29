/* One dense linear system that is solved once, in memory of the caller. */
#ifndef IL_ELIMINATION_H
#define IL_ELIMINATION_H

#include <stdint.h>

#include "il_export.h"

/* Row stride of a matrix with its right side, rounded up to a multiple of four. */
#define IL_ELIMINATION_STRIDE(n) (((n) + 4) / 4 * 4)

/* x = A^-1 b by elimination with partial pivoting.
 *
 * A is row-major n x n with b as its column n, and is overwritten; rows are `stride` apart, at
 * least IL_ELIMINATION_STRIDE(n) and a multiple of 4, and the padding after b must be finite.
 * Returns 0, or k + 1 if column k has no nonzero pivot (or contains NaN).
 */
IL_EXPORT int64_t il_eliminate(int64_t n, int64_t stride, double *A, double *x);

#endif
