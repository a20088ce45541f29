/* How far a solution is from being exact. */
#include "il_sparse_lu.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* residual = b - A x and size = |A| |x| + |b| */
static void residual_of_rows(const il_sparse_lu *lu, const double *b, il_sparse_lu_memory *m,
    const double *x)
{
    const int32_t *begin = lu->matrix.rows.begin, *column = lu->matrix.rows.column;
    const int32_t *entry = lu->matrix.entry;
    const double *A = m->values;
    for (int32_t i = 0; i < lu->n; i++) {
        double residual = b[i], size = fabs(b[i]);
        for (int32_t p = begin[i]; p < begin[i + 1]; p++) {
            const double a = A[entry[p]], value = x[column[p]];
            residual -= a * value;
            size += fabs(a * value);
        }
        m->residual[i] = residual;
        m->size[i] = size;
    }
}

/* likewise for A^T */
static void residual_of_columns(const il_sparse_lu *lu, const double *b, il_sparse_lu_memory *m,
    const double *x)
{
    const int32_t *begin = lu->matrix.rows.begin, *column = lu->matrix.rows.column;
    for (int32_t j = 0; j < lu->n; j++) {
        m->residual[j] = b[j];
        m->size[j] = fabs(b[j]);
    }
    for (int32_t i = 0; i < lu->n; i++) {
        for (int32_t p = begin[i]; p < begin[i + 1]; p++) {
            const int32_t j = column[p];
            const double product = m->values[lu->matrix.entry[p]] * x[i];
            m->residual[j] -= product;
            m->size[j] += fabs(product);
        }
    }
}

static double largest_of(const double *x, int32_t n)
{
    double largest = 0.0;
    for (int32_t i = 0; i < n; i++) largest = fabs(x[i]) > largest ? fabs(x[i]) : largest;
    return largest;
}

/* Rows whose terms are all rounding are compared with what they could be: size += |A| 1 max |x|. */
static void enlarge(const il_sparse_lu *lu, int32_t transposed, il_sparse_lu_memory *m,
    const double *x)
{
    const int32_t n = lu->n, *begin = lu->matrix.rows.begin, *column = lu->matrix.rows.column;
    const double rounding = 1e3 * DBL_EPSILON * n, largest = largest_of(x, n);
    double *whole = m->weight;
    memset(whole, 0, (size_t)n * sizeof *whole);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t p = begin[i]; p < begin[i + 1]; p++) {
            const int32_t line = transposed ? column[p] : i;
            whole[line] += fabs(m->values[lu->matrix.entry[p]]) * largest;
        }
    }
    for (int32_t i = 0; i < n; i++) {
        if (m->size[i] <= rounding * whole[i]) m->size[i] += whole[i];
    }
}

/* Largest |residual| / size; infinity if something is not finite. */
static double worst_row(const il_sparse_lu *lu, const il_sparse_lu_memory *m)
{
    double worst = 0.0;
    for (int32_t i = 0; i < lu->n; i++) {
        const double error = fabs(m->residual[i]), size = m->size[i];
        if (!(error < HUGE_VAL && size < HUGE_VAL)) return HUGE_VAL;
        if (error > worst * size) worst = error / size;
    }
    return worst;
}

double il_sparse_lu_backward_error(const il_sparse_lu *lu, const double *b, int32_t transposed,
    il_sparse_lu_memory *m, const double *x)
{
    if (transposed) {
        residual_of_columns(lu, b, m, x);
    } else {
        residual_of_rows(lu, b, m, x);
    }
    const double worst = worst_row(lu, m);
    if (worst <= m->tolerance || !(worst <= 1.0)) return worst;
    enlarge(lu, transposed, m, x);
    return worst_row(lu, m);
}

/* |A^-1| w, largest row: Hager's and Higham's estimate of the norm of A^-1 diag(w) (LAPACK's
   xGERFS does the same). `weight` is w; at most STEPS times two solutions. */
double il_sparse_lu_forward_error(const il_sparse_lu *lu, int32_t transposed,
    il_sparse_lu_memory *m, const double *x)
{
    enum { STEPS = 4 };
    const int32_t n = lu->n;
    double estimate = 0.0;
    for (int32_t i = 0; i < n; i++) {
        m->weight[i] = fabs(m->residual[i]) + DBL_EPSILON * m->size[i];
        m->residual[i] = 1.0 / n;
    }
    for (int32_t step = 0; step < STEPS; step++) {
        /* the 1-norm of B = diag(w) A^-T, whose transpose is A^-1 diag(w) */
        double sum = 0.0, most = 0.0;
        int32_t best = 0;
        il_sparse_lu_apply(lu, m->residual, !transposed, m, m->change);
        for (int32_t i = 0; i < n; i++) {
            const double value = m->change[i] * m->weight[i];
            sum += fabs(value);
            m->residual[i] = value >= 0.0 ? m->weight[i] : -m->weight[i];
        }
        if (!(sum > estimate)) break;
        estimate = sum;
        il_sparse_lu_apply(lu, m->residual, transposed, m, m->change);
        for (int32_t i = 0; i < n; i++) {
            if (fabs(m->change[i]) > most) {
                most = fabs(m->change[i]);
                best = i;
            }
        }
        memset(m->residual, 0, (size_t)n * sizeof *m->residual);
        m->residual[best] = 1.0;
    }
    const double largest = largest_of(x, n);
    return largest > 0.0 ? estimate / largest : 0.0;
}
