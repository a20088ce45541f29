/* Elimination in panels of four columns: the rest of each row is read and written once for four
   pivots, which dominates the time; see il_elimination.h. */
#include "il_elimination.h"

#include <math.h>

enum { WIDTH = 4 };

/* the diagonal is the pivot unless another entry of the column is this much larger: rows of
   contacts are rarely exchanged */
static const double far_larger = 4.0;

static void swap_rows(int64_t stride, double *restrict a, double *restrict b)
{
    for (int64_t j = 0; j < stride; j += WIDTH) {
        for (int k = 0; k < WIDTH; k++) {
            const double kept = a[j + k];
            a[j + k] = b[j + k];
            b[j + k] = kept;
        }
    }
}

/* Pivot row of column c. */
static int64_t find_pivot(int64_t n, int64_t stride, const double *A, int64_t c)
{
    double most = far_larger * fabs(A[c * stride + c]);
    int64_t pivot = c;

    for (int64_t i = c + 1; i < n; i++) {
        const double size = fabs(A[i * stride + c]);
        if (size > most) {
            most = size;
            pivot = i;
        }
    }
    return pivot;
}

/* Pivots of columns k to k + count, within four columns; their factors are stored below them. */
static int64_t eliminate_panel(int64_t n, int64_t stride, double *A, int64_t k, int64_t count)
{
    for (int64_t c = k; c < k + count; c++) {
        double *row = A + c * stride;
        const int64_t pivot = find_pivot(n, stride, A, c);
        if (pivot != c) {
            swap_rows(stride, row, A + pivot * stride);
        }
        if (!(fabs(row[c]) > 0.0)) {
            return c + 1;
        }
        const double per_pivot = row[c] = 1.0 / row[c];
        for (int64_t i = c + 1; i < n; i++) {
            double *below = A + i * stride;
            below[c] *= per_pivot;
            for (int64_t j = c + 1; j < k + WIDTH; j++) {
                below[j] -= below[c] * row[j];
            }
        }
    }
    return 0;
}

/* a -= f[0] b0 + f[1] b1 + ... from column `from` on, where b are rows below each other */
static void subtract(int64_t from, int64_t stride, double *restrict a, const double *f,
                     const double *restrict b)
{
    const double f0 = f[0], f1 = f[1], f2 = f[2], f3 = f[3];
    const double *restrict b1 = b + stride, *restrict b2 = b1 + stride, *restrict b3 = b2 + stride;

    if (f0 == 0.0 && f1 == 0.0 && f2 == 0.0 && f3 == 0.0) {
        return;
    }
    for (int64_t j = from; j < stride; j += WIDTH) {
        for (int k = 0; k < WIDTH; k++) {
            a[j + k] -= (f0 * b[j + k] + f1 * b1[j + k]) + (f2 * b2[j + k] + f3 * b3[j + k]);
        }
    }
}

/* Update the rows of a complete panel to the right of it. */
static void eliminate_right(int64_t n, int64_t stride, double *A, int64_t k)
{
    const int64_t from = k + WIDTH;
    double *top = A + k * stride;

    for (int64_t i = 1; i < WIDTH; i++) {
        double *row = top + i * stride;
        for (int64_t l = 0; l < i; l++) {
            const double factor = row[k + l], *above = top + l * stride;
            for (int64_t j = from; j < stride; j++) {
                row[j] -= factor * above[j];
            }
        }
    }
    for (int64_t i = from; i < n; i++) {
        double *row = A + i * stride;
        subtract(from, stride, row, row + k, top);
    }
}

int64_t il_eliminate(int64_t n, int64_t stride, double *A, double *x)
{
    for (int64_t k = 0; k < n; k += WIDTH) {
        const int64_t count = n - k < WIDTH ? n - k : WIDTH;
        const int64_t bad = eliminate_panel(n, stride, A, k, count);
        if (bad) {
            return bad;
        }
        if (count == WIDTH) {
            eliminate_right(n, stride, A, k);
        }
    }
    /* back substitution by columns: independent updates */
    for (int64_t k = 0; k < n; k++) {
        x[k] = A[k * stride + n];
    }
    for (int64_t k = n - 1; k >= 0; k--) {
        x[k] *= A[k * stride + k];
        for (int64_t j = 0; j < k; j++) {
            x[j] -= A[j * stride + k] * x[k];
        }
    }
    return 0;
}
