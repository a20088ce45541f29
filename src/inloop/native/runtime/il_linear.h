/* Small dense linear systems, in memory of the caller. */
#ifndef IL_LINEAR_H
#define IL_LINEAR_H

#include <stdint.h>

#include "il_export.h"

/* P A = L U with partial pivoting, in place; A is row-major n x n, pivots n integers.
 *
 * Returns 0, or k + 1 when column k has no pivot other than 0 (or holds a NaN): A is then singular
 * and only half factorized.
 */
IL_EXPORT int64_t il_lu_factor(int64_t n, double *A, int64_t *pivots);

/* b = A^-1 b, with what il_lu_factor made of A. */
IL_EXPORT void il_lu_solve(int64_t n, const double *LU, const int64_t *pivots, double *b);

#endif
