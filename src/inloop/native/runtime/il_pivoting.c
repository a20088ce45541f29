/* Sparse LU factorization with column pivoting, row by row in a given order (il_pivoting.h).
 *
 * Used where the pivots of the fixed order are too small.
 */
#include "il_pivoting.h"

#include <math.h>
#include <string.h>

void il_pivoting_take(il_pivoting *f, int32_t n, int32_t most_lower, int32_t most_upper,
    const int32_t *order, il_arena *from)
{
    const size_t number = sizeof(int32_t), real = sizeof(double);
    f->n = n;
    f->most_lower = most_lower;
    f->most_upper = most_upper;
    f->order = order;
    f->lower = il_take(from, most_lower, real, real);
    f->upper = il_take(from, most_upper, real, real);
    f->reciprocals = il_take(from, n, real, real);
    f->row = il_take(from, n, real, real);
    f->scale = il_take(from, n, real, real);
    f->pivot_column = il_take(from, n, number, real);
    f->taken = il_take(from, n, number, real);
    f->lower_begin = il_take(from, n + 1, number, real);
    f->upper_begin = il_take(from, n + 1, number, real);
    f->lower_pivot = il_take(from, most_lower, number, real);
    f->upper_column = il_take(from, most_upper, number, real);
}

/* scale = 1 / largest entry of each column, rows scaled by their own largest one */
static void scale_columns(il_pivoting *f, const il_matrix *A, const double *values)
{
    memset(f->scale, 0, (size_t)f->n * sizeof *f->scale);
    for (int32_t i = 0; i < f->n; i++) {
        const int32_t begin = A->rows.begin[i], end = A->rows.begin[i + 1];
        double most = 0.0;
        for (int32_t p = begin; p < end; p++) {
            const double size = fabs(values[A->entry[p]]);
            if (size > most) most = size;
        }
        for (int32_t p = begin; p < end; p++) {
            const double size = most > 0.0 ? fabs(values[A->entry[p]]) / most : 0.0;
            double *largest = f->scale + A->rows.column[p];
            if (size > *largest) *largest = size;
        }
    }
    for (int32_t j = 0; j < f->n; j++) f->scale[j] = f->scale[j] > 0.0 ? 1.0 / f->scale[j] : 0.0;
}

/* row -= factors * rows before it; returns the number of factors so far, -1 if there is no room */
static int32_t eliminate(il_pivoting *f, int32_t i)
{
    int32_t count = f->lower_begin[i];
    for (int32_t k = 0; k < i; k++) {
        const int32_t pivot = f->pivot_column[k];
        if (f->row[pivot] == 0.0) continue;
        if (count == f->most_lower) return -1;
        const double factor = f->row[pivot] * f->reciprocals[k];
        f->row[pivot] = 0.0;
        f->lower_pivot[count] = k;
        f->lower[count++] = factor;
        for (int32_t u = f->upper_begin[k]; u < f->upper_begin[k + 1]; u++) {
            const int32_t j = f->upper_column[u];
            f->row[j] -= factor * f->upper[u];
        }
    }
    return count;
}

/* The column whose entry is the largest; -1 if none is above zero and finite. */
static int32_t choose(const il_pivoting *f)
{
    int32_t best = -1;
    double most = 0.0;
    for (int32_t j = 0; j < f->n; j++) {
        const double size = f->taken[j] ? 0.0 : fabs(f->row[j]) * f->scale[j];
        if (size > most) {
            most = size;
            best = j;
        }
    }
    return best >= 0 && isfinite(1.0 / f->row[best]) ? best : -1;
}

/* Put row i away; returns the number of entries so far, -1 if there is no room. */
static int32_t keep(il_pivoting *f, int32_t i, int32_t pivot)
{
    int32_t count = f->upper_begin[i];
    f->pivot_column[i] = pivot;
    f->taken[pivot] = 1;
    f->reciprocals[i] = 1.0 / f->row[pivot];
    for (int32_t j = 0; j < f->n; j++) {
        if (f->taken[j] || f->row[j] == 0.0) continue;
        if (count == f->most_upper) return -1;
        f->upper_column[count] = j;
        f->upper[count++] = f->row[j];
    }
    return count;
}

int il_pivoting_factor(il_pivoting *f, const il_matrix *A, const double *values)
{
    scale_columns(f, A, values);
    memset(f->taken, 0, (size_t)f->n * sizeof *f->taken);
    f->lower_begin[0] = f->upper_begin[0] = 0;
    for (int32_t i = 0; i < f->n; i++) {
        const int32_t source = f->order[i];
        memset(f->row, 0, (size_t)f->n * sizeof *f->row);
        for (int32_t p = A->rows.begin[source]; p < A->rows.begin[source + 1]; p++) {
            f->row[A->rows.column[p]] = values[A->entry[p]];
        }
        const int32_t lower = eliminate(f, i);
        const int32_t pivot = choose(f);
        if (lower < 0 || pivot < 0) return 0;
        const int32_t upper = keep(f, i, pivot);
        if (upper < 0) return 0;
        f->lower_begin[i + 1] = lower;
        f->upper_begin[i + 1] = upper;
    }
    return 1;
}

void il_pivoting_solve(const il_pivoting *f, const double *b, double *y, double *x)
{
    for (int32_t i = 0; i < f->n; i++) {
        double sum = b[f->order[i]];
        for (int32_t p = f->lower_begin[i]; p < f->lower_begin[i + 1]; p++) {
            sum -= f->lower[p] * y[f->lower_pivot[p]];
        }
        y[i] = sum;
    }
    for (int32_t i = f->n - 1; i >= 0; i--) {
        double sum = y[i];
        for (int32_t p = f->upper_begin[i]; p < f->upper_begin[i + 1]; p++) {
            sum -= f->upper[p] * x[f->upper_column[p]];
        }
        x[f->pivot_column[i]] = sum * f->reciprocals[i];
    }
}

void il_pivoting_solve_transposed(const il_pivoting *f, const double *b, double *y, double *x)
{
    /* U^T, row by row of U; x holds what is left of b meanwhile */
    memcpy(x, b, (size_t)f->n * sizeof *x);
    for (int32_t i = 0; i < f->n; i++) {
        y[i] = x[f->pivot_column[i]] * f->reciprocals[i];
        for (int32_t p = f->upper_begin[i]; p < f->upper_begin[i + 1]; p++) {
            const int32_t j = f->upper_column[p];
            x[j] -= f->upper[p] * y[i];
        }
    }
    for (int32_t i = f->n - 1; i >= 0; i--) {
        for (int32_t p = f->lower_begin[i]; p < f->lower_begin[i + 1]; p++) {
            const int32_t k = f->lower_pivot[p];
            y[k] -= f->lower[p] * y[i];
        }
        x[f->order[i]] = y[i];
    }
}
