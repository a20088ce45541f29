#include "il_sparse_lu.h"

#include "il_export.h"
#include "il_finite.h"

#include <math.h>
#include <string.h>

enum { NOTHING = 0, FIXED_ORDER = 1, NEW_PIVOTS = 2 };

#define SMALL_PIVOT 1e-12  /* in parts of its row: the forward error is estimated */
#define NO_DIGIT 0.1       /* forward error with which a matrix is called singular */

static void take(const il_sparse_lu *lu, il_sparse_lu_memory *m, il_arena *from)
{
    const int32_t n = lu->n;
    double **const each[] = {&m->reciprocals, &m->y, &m->residual, &m->size, &m->norm, &m->weight,
        &m->change, &m->kept};
    m->values = il_take(from, lu->given, sizeof(double), 64);
    m->factors = il_take(from, lu->factors.places, sizeof(double), 64);
    for (size_t k = 0; k < sizeof each / sizeof *each; k++) {
        *each[k] = il_take(from, n, sizeof(double), 64);
    }
    il_pivoting_take(&m->pivoting, n, lu->most_lower, lu->most_upper, lu->row, from);
}

IL_EXPORT int64_t il_sparse_lu_bytes(const il_sparse_lu *lu)
{
    il_sparse_lu_memory measured;
    il_arena arena = {NULL, 0};
    take(lu, &measured, &arena);
    return (int64_t)arena.used;
}

IL_EXPORT void il_sparse_lu_prepare(const il_sparse_lu *lu, double tolerance, void *bytes, il_sparse_lu_memory *m)
{
    il_arena arena = {bytes, 0};
    memset(m, 0, sizeof *m);
    take(lu, m, &arena);
    m->tolerance = tolerance;
}

/* factors */

static void factor_in_order(const il_sparse_lu *lu, il_sparse_lu_memory *m)
{
    if (lu->factor) {
        lu->factor(m->values, m->factors, m->reciprocals);
    } else {
        il_sparse_factor(&lu->factors, m->values, m->factors, m->reciprocals, m->y);
    }
    m->usable = FIXED_ORDER;
}

/* New pivots, or no factors at all. */
static int factor_anew(const il_sparse_lu *lu, il_sparse_lu_memory *m)
{
    const int good = il_pivoting_factor(&m->pivoting, &lu->matrix, m->values);
    m->usable = good ? NEW_PIVOTS : NOTHING;
    m->report.new_pivots = 1;
    m->not_finite = !good && !il_all_finite(m->values, lu->given);
    return good;
}

static int why_nothing(const il_sparse_lu_memory *m)
{
    return m->not_finite ? IL_SPARSE_LU_NOT_FINITE : IL_SPARSE_LU_SINGULAR;
}

static void begin(const il_sparse_lu *lu, const double *values, il_sparse_lu_memory *m)
{
    const il_sparse_lu_report fresh = {0.0, -1.0, 0, 0};
    memcpy(m->values, values, (size_t)lu->given * sizeof *values);
    m->report = fresh;
    m->not_finite = 0;
}

IL_EXPORT int il_sparse_lu_factor(const il_sparse_lu *lu, const double *values, il_sparse_lu_memory *m)
{
    begin(lu, values, m);
    factor_in_order(lu, m);
    /* a pivot that is zero or not finite */
    if (!il_all_finite(m->reciprocals, lu->n) && !factor_anew(lu, m)) return why_nothing(m);
    return IL_SPARSE_LU_OK;
}

/* solutions */

static void apply_in_order(const il_sparse_lu *lu, const double *b, int32_t transposed, il_sparse_lu_memory *m,
    double *x)
{
    const int32_t n = lu->n, *into = transposed ? lu->column : lu->row;
    const int32_t *from = transposed ? lu->row : lu->column;
    if (lu->solve && !transposed) {
        lu->solve(m->factors, m->reciprocals, b, m->y, x);
        return;
    }
    for (int32_t k = 0; k < n; k++) m->y[k] = b[into[k]];
    if (transposed) {
        il_sparse_solve_transposed(&lu->factors, m->factors, m->reciprocals, m->y);
    } else {
        il_sparse_solve(&lu->factors, m->factors, m->reciprocals, m->y);
    }
    for (int32_t k = 0; k < n; k++) x[from[k]] = m->y[k];
}

void il_sparse_lu_apply(const il_sparse_lu *lu, const double *b, int32_t transposed, il_sparse_lu_memory *m, double *x)
{
    if (m->usable == FIXED_ORDER) {
        apply_in_order(lu, b, transposed, m, x);
    } else if (transposed) {
        il_pivoting_solve_transposed(&m->pivoting, b, m->y, x);
    } else {
        il_pivoting_solve(&m->pivoting, b, m->y, x);
    }
}

/* Is x good? If not it is refined once; what does not help is taken back. */
static int settle(const il_sparse_lu *lu, const double *b, int32_t transposed, il_sparse_lu_memory *m, double *x)
{
    const size_t bytes = (size_t)lu->n * sizeof *x;
    il_sparse_lu_report *report = &m->report;
    report->backward_error = il_sparse_lu_backward_error(lu, b, transposed, m, x);
    if (report->backward_error <= m->tolerance) return 1;
    memcpy(m->kept, x, bytes);
    il_sparse_lu_apply(lu, m->residual, transposed, m, m->change);
    for (int32_t i = 0; i < lu->n; i++) x[i] += m->change[i];
    const double refined = il_sparse_lu_backward_error(lu, b, transposed, m, x);
    report->refinements++;
    if (refined < report->backward_error) {
        report->backward_error = refined;
    } else {
        memcpy(x, m->kept, bytes);
    }
    return report->backward_error <= m->tolerance;
}

/* Is some pivot so small that it may be nothing but rounding? */
static int has_small_pivot(const il_sparse_lu *lu, int32_t transposed, const il_sparse_lu_memory *m)
{
    const int renewed = m->usable == NEW_PIVOTS;
    const double *reciprocals = renewed ? m->pivoting.reciprocals : m->reciprocals;
    const int32_t *columns = renewed ? m->pivoting.pivot_column : lu->column;
    const int32_t *line = transposed ? columns : lu->row;
    int small = 0;
    for (int32_t k = 0; k < lu->n; k++) {
        small |= fabs(reciprocals[k]) * m->norm[line[k]] > 1.0 / SMALL_PIVOT;
    }
    return small;
}

static int failed(const il_sparse_lu *lu, int status, double *x)
{
    for (int32_t i = 0; i < lu->n; i++) x[i] = NAN;
    return status;
}

/* Watch over a first solution x. */
static int finish(const il_sparse_lu *lu, const double *b, int32_t transposed, il_sparse_lu_memory *m, double *x)
{
    if (!settle(lu, b, transposed, m, x) && m->usable == FIXED_ORDER) {
        if (!il_all_finite(b, lu->n)) return failed(lu, IL_SPARSE_LU_NOT_FINITE, x);
        if (!factor_anew(lu, m)) return failed(lu, why_nothing(m), x);
        il_sparse_lu_apply(lu, b, transposed, m, x);
        settle(lu, b, transposed, m, x);
    }
    if (has_small_pivot(lu, transposed, m)) {
        m->report.forward_error = il_sparse_lu_forward_error(lu, transposed, m, x);
        if (!(m->report.forward_error < NO_DIGIT)) return failed(lu, IL_SPARSE_LU_SINGULAR, x);
    }
    if (m->report.backward_error <= m->tolerance) return IL_SPARSE_LU_OK;
    return il_all_finite(b, lu->n) ? IL_SPARSE_LU_INEXACT : failed(lu, IL_SPARSE_LU_NOT_FINITE, x);
}

IL_EXPORT int il_sparse_lu_solve(const il_sparse_lu *lu, const double *b, int32_t transposed, il_sparse_lu_memory *m,
    double *x)
{
    if (m->usable == NOTHING) return failed(lu, IL_SPARSE_LU_NO_FACTORS, x);
    m->report.refinements = 0;
    m->report.forward_error = -1.0;
    il_sparse_lu_apply(lu, b, transposed, m, x);
    return finish(lu, b, transposed, m, x);
}

IL_EXPORT int il_sparse_lu_solve_with(const il_sparse_lu *lu, const double *values, const double *b,
    il_sparse_lu_memory *m, double *x)
{
    if (!lu->factor_and_solve) {
        const int status = il_sparse_lu_factor(lu, values, m);
        return status == IL_SPARSE_LU_OK ? il_sparse_lu_solve(lu, b, 0, m, x) : failed(lu, status, x);
    }
    begin(lu, values, m);
    lu->factor_and_solve(m->values, b, m->factors, m->reciprocals, m->y, x);
    m->usable = FIXED_ORDER;
    return finish(lu, b, 0, m, x);
}
