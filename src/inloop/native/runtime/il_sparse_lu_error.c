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

/* unit = largest |a| of each unknown's column, rows scaled by their largest entry: 1 / unit is what
   the unknown is naturally measured in. `largest` has n numbers. */
static void natural_units(const il_sparse_lu *lu, int32_t transposed, const double *A,
    double *largest, double *unit)
{
    const int32_t n = lu->n, *begin = lu->matrix.rows.begin, *column = lu->matrix.rows.column;
    memset(largest, 0, (size_t)n * sizeof *largest);
    memset(unit, 0, (size_t)n * sizeof *unit);
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < n; i++) {
            for (int32_t p = begin[i]; p < begin[i + 1]; p++) {
                const int32_t row = transposed ? column[p] : i, at = transposed ? i : column[p];
                const double size = fabs(A[lu->matrix.entry[p]]);
                if (pass == 0) {
                    if (size > largest[row]) largest[row] = size;
                } else if (size > unit[at] * largest[row]) {
                    unit[at] = size / largest[row];
                }
            }
        }
    }
}

/* Largest |x| in natural units. */
static double largest_of(const double *x, const double *unit, int32_t n)
{
    double largest = 0.0;
    for (int32_t i = 0; i < n; i++) {
        const double size = fabs(x[i]) * unit[i];
        largest = size > largest ? size : largest;
    }
    return largest;
}

/* extra = what rows whose terms are all rounding are compared with besides: their terms if all
   unknowns were as large as the largest one. */
static void find_extra(const il_sparse_lu *lu, int32_t transposed, il_sparse_lu_memory *m,
    const double *x)
{
    const int32_t n = lu->n, *begin = lu->matrix.rows.begin, *column = lu->matrix.rows.column;
    const double rounding = 1e3 * DBL_EPSILON * n;
    double *extra = m->weight, *unit = m->change;
    natural_units(lu, transposed, m->values, extra, unit);
    const double largest = largest_of(x, unit, n);
    memset(extra, 0, (size_t)n * sizeof *extra);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t p = begin[i]; p < begin[i + 1]; p++) {
            const int32_t row = transposed ? column[p] : i, at = transposed ? i : column[p];
            const double a = fabs(m->values[lu->matrix.entry[p]]);
            if (a > 0.0) extra[row] += a * (largest / unit[at]);
        }
    }
    for (int32_t i = 0; i < n; i++) {
        if (m->size[i] > rounding * extra[i]) extra[i] = 0.0;
    }
}

/* Largest |residual| / size; infinity if something is not finite. `extra` may be NULL. */
static double worst_row(const il_sparse_lu *lu, const il_sparse_lu_memory *m, const double *extra)
{
    double worst = 0.0;
    for (int32_t i = 0; i < lu->n; i++) {
        const double error = fabs(m->residual[i]);
        const double size = extra ? m->size[i] + extra[i] : m->size[i];
        if (!(error < HUGE_VAL && size < HUGE_VAL)) return HUGE_VAL;
        if (error > worst * size) worst = error / size;
    }
    return worst;
}

static void find_residual(const il_sparse_lu *lu, const double *b, int32_t transposed,
    il_sparse_lu_memory *m, const double *x)
{
    if (transposed) {
        residual_of_columns(lu, b, m, x);
    } else {
        residual_of_rows(lu, b, m, x);
    }
}

double il_sparse_lu_backward_error(const il_sparse_lu *lu, const double *b, int32_t transposed,
    il_sparse_lu_memory *m, const double *x)
{
    find_residual(lu, b, transposed, m, x);
    return worst_row(lu, m, NULL);
}

double il_sparse_lu_lenient_error(const il_sparse_lu *lu, const double *b, int32_t transposed,
    il_sparse_lu_memory *m, const double *x)
{
    find_residual(lu, b, transposed, m, x);
    find_extra(lu, transposed, m, x);
    return worst_row(lu, m, m->weight);
}

/* |A^-1| w, largest unknown in natural units: Hager's and Higham's estimate of the norm of
   diag(unit) A^-1 diag(w) (as in LAPACK's xGERFS); at most STEPS times two solutions. */
double il_sparse_lu_forward_error(const il_sparse_lu *lu, const double *b, int32_t transposed,
    il_sparse_lu_memory *m, const double *x, double left)
{
    enum { STEPS = 4 };
    const int32_t n = lu->n;
    double *unit = m->kept, *given = m->residual;
    double estimate = 0.0;
    find_residual(lu, b, transposed, m, x);
    natural_units(lu, transposed, m->values, m->change, unit);
    for (int32_t i = 0; i < n; i++) {
        m->weight[i] = left * fabs(m->residual[i]) + DBL_EPSILON * m->size[i];
        given[i] = unit[i] / n;
    }
    for (int32_t step = 0; step < STEPS; step++) {
        /* the 1-norm of B = diag(w) A^-T diag(unit) */
        double sum = 0.0, most = 0.0;
        int32_t best = 0;
        il_sparse_lu_apply(lu, given, !transposed, m, m->change);
        for (int32_t i = 0; i < n; i++) {
            const double value = m->change[i] * m->weight[i];
            sum += fabs(value);
            given[i] = value >= 0.0 ? m->weight[i] : -m->weight[i];
        }
        if (!(sum > estimate)) break;
        estimate = sum;
        il_sparse_lu_apply(lu, given, transposed, m, m->change);
        for (int32_t i = 0; i < n; i++) {
            if (fabs(m->change[i]) * unit[i] > most) {
                most = fabs(m->change[i]) * unit[i];
                best = i;
            }
        }
        memset(given, 0, (size_t)n * sizeof *given);
        given[best] = unit[best];
    }
    const double largest = largest_of(x, unit, n);
    return largest > 0.0 ? estimate / largest : 0.0;
}
