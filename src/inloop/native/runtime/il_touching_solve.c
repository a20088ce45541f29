/* Square systems that may be singular, with complete pivoting; see il_touching.h. */
#include "il_touching.h"

#include <math.h>
#include <string.h>

#include "il_cholesky.h"
#include "il_method.h"

/* pivots below this part of the first one are zero */
static const double singular = 1e-9;

/* Rows and columns so that their diagonal is 1: moments over a short length move little, and are no
   less determined for that. Returns by what x has to be multiplied. */
static double *equilibrate(il_touching *touching, int64_t n)
{
    double *const A = touching->matrix, *const scales = touching->scales;

    for (int64_t k = 0; k < n; k++) {
        const double own = fabs(A[k * (n + 2)]);
        scales[k] = own > 0.0 ? 1.0 / sqrt(own) : 1.0;
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            A[i * (n + 1) + j] *= scales[i] * scales[j];
        }
        A[i * (n + 1) + n] *= scales[i];
    }
    return scales;
}

int64_t il_touching_solve(il_touching *touching, int64_t n, double *x)
{
    double *const A = touching->matrix;
    const int64_t stride = n + 1;
    int64_t *const place = touching->order, rank = 0;
    double largest = 0.0;

    const double *scales = touching->table.turning ? equilibrate(touching, n) : NULL;
    memset(x, 0, (size_t)n * sizeof *x);
    for (int64_t k = 0; k < n; k++) {
        place[k] = k;
    }
    for (; rank < n; rank++) {
        int64_t row = rank, column = rank;
        for (int64_t i = rank; i < n; i++) {
            for (int64_t j = rank; j < n; j++) {
                if (fabs(A[i * stride + j]) > fabs(A[row * stride + column])) {
                    row = i;
                    column = j;
                }
            }
        }
        const double pivot = fabs(A[row * stride + column]);
        largest = rank == 0 ? pivot : largest;
        if (!(pivot > singular * largest)) {
            break;
        }
        for (int64_t j = 0; j <= n; j++) {
            const double kept = A[rank * stride + j];
            A[rank * stride + j] = A[row * stride + j];
            A[row * stride + j] = kept;
        }
        for (int64_t i = 0; i < n; i++) {
            const double kept = A[i * stride + rank];
            A[i * stride + rank] = A[i * stride + column];
            A[i * stride + column] = kept;
        }
        const int64_t kept = place[rank];
        place[rank] = place[column];
        place[column] = kept;
        for (int64_t i = rank + 1; i < n; i++) {
            const double part = A[i * stride + rank] / A[rank * stride + rank];
            il_move_by(n + 1 - rank, A + i * stride + rank, A + i * stride + rank, -part,
                       A + rank * stride + rank);
        }
    }
    for (int64_t i = rank - 1; i >= 0; i--) {
        double sum = A[i * stride + n];
        for (int64_t j = i + 1; j < rank; j++) {
            sum -= A[i * stride + j] * x[place[j]];
        }
        x[place[i]] = sum / A[i * stride + i];
    }
    for (int64_t k = 0; scales && k < n; k++) {
        x[k] *= scales[k];
    }
    return rank;
}
