/* Table-driven LU factorization and solves for a fixed sparsity pattern and pivot order
 * (il_sparse.h). */
#include "il_sparse.h"

#include <string.h>

void il_sparse_factor(const il_factors *f, const double *A, double *factors, double *reciprocals,
    double *row)
{
    const int32_t *begin = f->rows.begin, *column = f->rows.column;
    memset(factors, 0, (size_t)f->places * sizeof *factors);
    for (int32_t k = 0; k < f->given; k++) factors[f->into[k]] = A[k];
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

void il_sparse_solve_columns(const il_factors *f, const double *factors,
    const double *reciprocals, const il_rows *columns, int32_t width, double *X)
{
    const int32_t *begin = f->rows.begin, *column = f->rows.column;
    for (int32_t i = 0; i < f->rows.count; i++) {
        for (int32_t p = begin[i]; p < f->diagonal[i]; p++) {
            const int32_t k = column[p];
            il_sparse_add(columns, k, columns->begin[k], -factors[p], X + k * width, X + i * width);
        }
    }
    for (int32_t i = f->rows.count - 1; i >= 0; i--) {
        for (int32_t p = f->diagonal[i] + 1; p < begin[i + 1]; p++) {
            const int32_t k = column[p];
            il_sparse_add(columns, k, columns->begin[k], -factors[p], X + k * width, X + i * width);
        }
        for (int32_t p = columns->begin[i]; p < columns->begin[i + 1]; p++) {
            X[i * width + columns->column[p]] *= reciprocals[i];
        }
    }
}

void il_symmetric_factor(const il_rows *right, double *S, double *reciprocals)
{
    const int32_t n = right->count;
    for (int32_t k = 0; k < n; k++) {
        const double *row = S + k * n;
        reciprocals[k] = 1.0 / row[k];
        for (int32_t p = right->begin[k]; p < right->begin[k + 1]; p++) {
            /* row i -= l_ik * row k, from the diagonal on */
            const int32_t i = right->column[p];
            il_sparse_add(right, k, p, -row[i] * reciprocals[k], row, S + i * n);
        }
    }
}

void il_symmetric_solve(const il_rows *right, const double *S, const double *reciprocals,
    double *x)
{
    const int32_t n = right->count;
    for (int32_t k = 0; k < n; k++) {
        il_sparse_add(right, k, right->begin[k], -x[k] * reciprocals[k], S + k * n, x);
    }
    for (int32_t k = n - 1; k >= 0; k--) {
        double sum = x[k];
        for (int32_t p = right->begin[k]; p < right->begin[k + 1]; p++) {
            sum -= S[k * n + right->column[p]] * x[right->column[p]];
        }
        x[k] = sum * reciprocals[k];
    }
}
