#include "il_sparse.h"

#include <string.h>

void il_sparse_factor(const il_factors *f, const double *A, double *factors, double *reciprocals,
    double *row)
{
    const int32_t *begin = f->rows.begin, *column = f->rows.column;
    memset(factors, 0, (size_t)f->places * sizeof *factors);
    for (int32_t k = 0; k < f->given; k++) factors[f->into[k]] = A[f->from ? f->from[k] : k];
    for (int32_t i = 0; i < f->rows.count; i++) {
        const int32_t first = begin[i], pivot = f->diagonal[i], end = begin[i + 1];
        for (int32_t p = first; p < end; p++) row[column[p]] = factors[p];
        for (int32_t p = first; p < pivot; p++) {
            /* row i -= factor * row k of U */
            const int32_t k = column[p];
            const double factor = row[k] * reciprocals[k];
            factors[p] = factor;
            for (int32_t u = f->diagonal[k] + 1; u < begin[k + 1]; u++) {
                row[column[u]] -= factor * factors[u];
            }
        }
        for (int32_t p = pivot; p < end; p++) factors[p] = row[column[p]];
        reciprocals[i] = 1.0 / row[i];
    }
}

void il_sparse_solve(const il_factors *f, const double *factors, const double *reciprocals,
    double *x)
{
    const int32_t *begin = f->rows.begin, *column = f->rows.column;
    for (int32_t i = 0; i < f->rows.count; i++) {
        double sum = x[i];
        for (int32_t p = begin[i]; p < f->diagonal[i]; p++) sum -= factors[p] * x[column[p]];
        x[i] = sum;
    }
    for (int32_t i = f->rows.count - 1; i >= 0; i--) {
        double sum = x[i];
        for (int32_t p = f->diagonal[i] + 1; p < begin[i + 1]; p++) {
            sum -= factors[p] * x[column[p]];
        }
        x[i] = sum * reciprocals[i];
    }
}

void il_sparse_solve_transposed(const il_factors *f, const double *factors,
    const double *reciprocals, double *x)
{
    const int32_t *begin = f->rows.begin, *column = f->rows.column;
    /* U^T, row by row of U, then L^T */
    for (int32_t i = 0; i < f->rows.count; i++) {
        const double value = x[i] * reciprocals[i];
        x[i] = value;
        for (int32_t p = f->diagonal[i] + 1; p < begin[i + 1]; p++) {
            x[column[p]] -= factors[p] * value;
        }
    }
    for (int32_t i = f->rows.count - 1; i >= 0; i--) {
        const double value = x[i];
        for (int32_t p = begin[i]; p < f->diagonal[i]; p++) x[column[p]] -= factors[p] * value;
    }
}

/* to -= factor * from, in the columns of one row */
static void subtract(const il_rows *columns, int32_t row, double factor, const double *from,
    double *to)
{
    for (int32_t p = columns->begin[row]; p < columns->begin[row + 1]; p++) {
        const int32_t c = columns->column[p];
        to[c] -= factor * from[c];
    }
}

void il_sparse_solve_columns(const il_factors *f, const double *factors,
    const double *reciprocals, const il_rows *columns, int32_t width, double *X)
{
    const int32_t *begin = f->rows.begin, *column = f->rows.column;
    for (int32_t i = 0; i < f->rows.count; i++) {
        for (int32_t p = begin[i]; p < f->diagonal[i]; p++) {
            const int32_t k = column[p];
            subtract(columns, k, factors[p], X + k * width, X + i * width);
        }
    }
    for (int32_t i = f->rows.count - 1; i >= 0; i--) {
        for (int32_t p = f->diagonal[i] + 1; p < begin[i + 1]; p++) {
            const int32_t k = column[p];
            subtract(columns, k, factors[p], X + k * width, X + i * width);
        }
        for (int32_t p = columns->begin[i]; p < columns->begin[i + 1]; p++) {
            X[i * width + columns->column[p]] *= reciprocals[i];
        }
    }
}
