/* One dense linear system that is solved once, in memory of the caller. */
#ifndef IL_ELIMINATION_H
#define IL_ELIMINATION_H

#include <stdint.h>

#include "il_export.h"

/* Numbers from row to row of a matrix with its right side: four are handled at a time. */
#define IL_ELIMINATION_STRIDE(n) (((n) + 4) / 4 * 4)

/* x = A^-1 b by elimination with partial pivoting.
 *
 * A is row-major n x n with b as its column n, and is used up; rows are `stride` apart, at least
 * IL_ELIMINATION_STRIDE(n) and a multiple of 4, and what follows b in a row must be finite.
 * Returns 0, or k + 1 when column k has no pivot other than 0 (or holds a NaN).
 */
IL_EXPORT int64_t il_eliminate(int64_t n, int64_t stride, double *A, double *x);

#endif
