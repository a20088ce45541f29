/* Cholesky factorization of full symmetric positive definite matrices, and its solves. Internal. */
#ifndef IL_CHOLESKY_H
#define IL_CHOLESKY_H

#include <math.h>
#include <stdint.h>

/* four independent sums, to break the dependency chain; they stay in one register */
static inline double il_dot(int64_t n, const double *a, const double *b)
{
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    int64_t j = 0;

    for (; j + 4 <= n; j += 4) {
        for (int k = 0; k < 4; k++) {
            sum[k] += a[j + k] * b[j + k];
        }
    }
    for (; j < n; j++) {
        sum[0] += a[j] * b[j];
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* M = L L^T in place, reciprocal pivots on the diagonal; not 0: not positive definite */
static inline int il_cholesky(int64_t n, double *M)
{
    for (int64_t i = 0; i < n; i++) {
        double *row = M + i * n;
        for (int64_t j = 0; j < i; j++) {
            row[j] = (row[j] - il_dot(j, row, M + j * n)) * M[j * n + j];
        }
        const double pivot = row[i] - il_dot(i, row, row);
        if (!(pivot > 0.0)) {
            return 1;
        }
        row[i] = 1.0 / sqrt(pivot);
    }
    return 0;
}

/* y = L^-1 b */
static inline void il_solve_lower(int64_t n, const double *L, const double *b, double *y)
{
    for (int64_t i = 0; i < n; i++) {
        y[i] = (b[i] - il_dot(i, L + i * n, y)) * L[i * n + i];
    }
}

/* y = L^-T y */
static inline void il_solve_upper(int64_t n, const double *L, double *y)
{
    for (int64_t i = n - 1; i >= 0; i--) {
        y[i] *= L[i * n + i];
        for (int64_t j = 0; j < i; j++) {
            y[j] -= L[i * n + j] * y[i];
        }
    }
}

#endif
