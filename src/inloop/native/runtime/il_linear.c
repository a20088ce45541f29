/* LU factorization by rows with partial pivoting; see il_linear.h. */
#include "il_linear.h"

static double magnitude(double x)
{
    return x < 0.0 ? -x : x;
}

static void swap_rows(int64_t n, double *restrict a, double *restrict b)
{
    for (int64_t j = 0; j < n; j++) {
        const double kept = a[j];
        a[j] = b[j];
        b[j] = kept;
    }
}

/* a -= factor b */
static void subtract(int64_t n, double *restrict a, double factor, const double *restrict b)
{
    for (int64_t j = 0; j < n; j++) {
        a[j] -= factor * b[j];
    }
}

static int64_t largest_in_column(int64_t n, const double *A, int64_t k)
{
    int64_t best = k;
    for (int64_t i = k + 1; i < n; i++) {
        if (magnitude(A[i * n + k]) > magnitude(A[best * n + k])) {
            best = i;
        }
    }
    return best;
}

int64_t il_lu_factor(int64_t n, double *A, int64_t *pivots)
{
    for (int64_t k = 0; k < n; k++) {
        double *row = A + k * n;
        pivots[k] = largest_in_column(n, A, k);
        if (pivots[k] != k) {
            swap_rows(n, row, A + pivots[k] * n);
        }
        /* false for NaN too */
        if (!(magnitude(row[k]) > 0.0)) {
            return k + 1;
        }
        /* eliminate column k below; the factors stay where the zeros would be */
        for (int64_t i = k + 1; i < n; i++) {
            double *below = A + i * n;
            below[k] /= row[k];
            subtract(n - k - 1, below + k + 1, below[k], row + k + 1);
        }
    }
    return 0;
}

void il_lu_solve(int64_t n, const double *LU, const int64_t *pivots, double *b)
{
    for (int64_t k = 0; k < n; k++) {
        const double kept = b[k];
        b[k] = b[pivots[k]];
        b[pivots[k]] = kept;
    }
    /* L y = P b, then U x = y */
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < i; j++) {
            b[i] -= LU[i * n + j] * b[j];
        }
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        for (int64_t j = i + 1; j < n; j++) {
            b[i] -= LU[i * n + j] * b[j];
        }
        b[i] /= LU[i * n + i];
    }
}
