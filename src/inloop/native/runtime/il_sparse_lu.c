/* Sparse linear solver: factors in a fixed pivot order, checks the residual, refines, and falls
 * back to new pivots where that is not accurate enough (il_sparse_lu.h). */
#include "il_sparse_lu.h"

#include "il_export.h"
#include "il_finite.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { NOTHING = 0, FIXED_ORDER = 1, NEW_PIVOTS = 2 };
enum { MOST_STEPS = 4 }; /* of refinement */

#define SMALL_PIVOT 1e-12  /* in parts of its row: the forward error is estimated */
#define NO_DIGIT 1.0       /* forward error with which a matrix is called singular */

static void take(const il_sparse_lu *lu, il_sparse_lu_memory *m, il_arena *from)
{
    const int32_t n = lu->n;
    double **const each[] = {&m->residual, &m->size, &m->weight, &m->change, &m->kept};
    m->reciprocals = il_take(from, n, sizeof(double), 64);
    m->y = il_take(from, lu->scratch, sizeof(double), 64);
    m->factors = il_take(from, lu->numbers, sizeof(double), 64);
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

IL_EXPORT void il_sparse_lu_prepare(const il_sparse_lu *lu, double tolerance, void *bytes,
    il_sparse_lu_memory *m)
{
    il_arena arena = {bytes, 0};
    memset(m, 0, sizeof *m);
    take(lu, m, &arena);
    m->tolerance = tolerance;
}

/* factors */

/* |a| of one line of A, or of a row where values are in no order, summed. */
static double sum_of_line(const il_sparse_lu *lu, const double *A, int32_t line)
{
    const int32_t *begin = (lu->line_begin ? lu->line_begin : lu->matrix.rows.begin) + line;
    double sum = 0.0;
    if (lu->line_begin) {
        for (int32_t p = begin[0]; p < begin[1]; p++) sum += fabs(A[p]);
    } else {
        for (int32_t p = begin[0]; p < begin[1]; p++) sum += fabs(A[lu->matrix.entry[p]]);
    }
    return sum;
}

/* Some pivot is so small that it may be nothing but rounding, zero, or not finite. */
static int has_small_pivot(const il_sparse_lu *lu, const double *A, const double *reciprocals,
    const int32_t *line)
{
    int small = 0;
    for (int32_t k = 0; k < lu->n; k++) {
        const double sum = sum_of_line(lu, A, line[k]);
        small |= !(fabs(reciprocals[k]) * sum <= 1.0 / SMALL_PIVOT);
    }
    return small;
}

static void factor_in_order(const il_sparse_lu *lu, il_sparse_lu_memory *m)
{
    if (lu->factor) {
        lu->factor(m->values, m->factors, m->reciprocals);
    } else {
        il_sparse_factor(&lu->factors, m->values, m->factors, m->reciprocals, m->y);
    }
    m->lacking = lu->folded;
    m->begun = 1;
    m->unfactored = 0;
}

/* The values now have pivots in the fixed order. */
static void judge_pivots(const il_sparse_lu *lu, il_sparse_lu_memory *m)
{
    const int32_t *line = lu->by_column ? lu->column : lu->row;
    m->small = has_small_pivot(lu, m->values, m->reciprocals, line);
    m->usable = FIXED_ORDER;
}

/* All factors by the tables, in the layout of straight-line code: pivots as reciprocals. */
static void complete(const il_sparse_lu *lu, il_sparse_lu_memory *m)
{
    il_sparse_factor(&lu->factors, m->values, m->factors, m->reciprocals, m->y);
    for (int32_t k = 0; k < lu->n; k++) m->factors[lu->factors.diagonal[k]] = m->reciprocals[k];
    m->lacking = 0;
}

/* New pivots, or no factors at all. */
static int factor_anew(const il_sparse_lu *lu, il_sparse_lu_memory *m)
{
    const int good = il_pivoting_factor(&m->pivoting, &lu->matrix, m->values);
    const int32_t *line = lu->by_column ? m->pivoting.pivot_column : lu->row;
    m->usable = good ? NEW_PIVOTS : NOTHING;
    m->small = good && has_small_pivot(lu, m->values, m->pivoting.reciprocals, line);
    m->report.new_pivots = 1;
    return good;
}

static void start(const double *values, il_sparse_lu_memory *m)
{
    const il_sparse_lu_report fresh = {0.0, -1.0, 0, 0, 0};
    m->values = values;
    m->report = fresh;
}

/* New ones if a pivot is zero or not finite. */
static int pivots_or_new_ones(const il_sparse_lu *lu, il_sparse_lu_memory *m)
{
    if (m->small && !il_all_finite(m->reciprocals, lu->n) && !factor_anew(lu, m)) {
        const int finite = il_all_finite(m->values, lu->given);
        return finite ? IL_SPARSE_LU_SINGULAR : IL_SPARSE_LU_NOT_FINITE;
    }
    return IL_SPARSE_LU_OK;
}

IL_EXPORT int il_sparse_lu_factor(const il_sparse_lu *lu, const double *values,
    il_sparse_lu_memory *m)
{
    start(values, m);
    factor_in_order(lu, m);
    judge_pivots(lu, m);
    return pivots_or_new_ones(lu, m);
}

/* solutions */

static void apply_in_order(const il_sparse_lu *lu, const double *b, int32_t transposed,
    il_sparse_lu_memory *m, double *x)
{
    const int32_t n = lu->n, *into = transposed ? lu->column : lu->row;
    const int32_t *from = transposed ? lu->row : lu->column;
    if (m->unfactored) factor_in_order(lu, m);
    if (transposed ? lu->solve_transposed != NULL : lu->solve != NULL) {
        (transposed ? lu->solve_transposed : lu->solve)(m->factors, m->reciprocals, b, m->y, x);
        return;
    }
    if (m->lacking) complete(lu, m);
    for (int32_t k = 0; k < n; k++) m->y[k] = b[into[k]];
    if (transposed) {
        il_sparse_solve_transposed(&lu->factors, m->factors, m->reciprocals, m->y);
    } else {
        il_sparse_solve(&lu->factors, m->factors, m->reciprocals, m->y);
    }
    for (int32_t k = 0; k < n; k++) x[from[k]] = m->y[k];
}

void il_sparse_lu_apply(const il_sparse_lu *lu, const double *b, int32_t transposed,
    il_sparse_lu_memory *m, double *x)
{
    if (m->usable == FIXED_ORDER) {
        apply_in_order(lu, b, transposed, m, x);
    } else if (transposed) {
        il_pivoting_solve_transposed(&m->pivoting, b, m->y, x);
    } else {
        il_pivoting_solve(&m->pivoting, b, m->y, x);
    }
}

/* Rows whose residual is above the tolerance. */
static int32_t rows_beyond_tolerance(const il_sparse_lu *lu, const il_sparse_lu_memory *m)
{
    int32_t count = 0;
    for (int32_t i = 0; i < lu->n; i++) count += fabs(m->residual[i]) > m->tolerance * m->size[i];
    return count;
}

/* One step of refinement; 0, and x as before, if it does not help. */
static int refine(const il_sparse_lu *lu, const double *b, int32_t transposed,
    il_sparse_lu_memory *m, double *x)
{
    const size_t bytes = (size_t)lu->n * sizeof *x;
    memcpy(m->kept, x, bytes);
    il_sparse_lu_apply(lu, m->residual, transposed, m, m->change);
    for (int32_t i = 0; i < lu->n; i++) x[i] += m->change[i];
    const double refined = il_sparse_lu_backward_error(lu, b, transposed, m, x);
    const int helps = refined < m->report.backward_error;
    m->report.refinements++;
    if (helps) {
        m->report.backward_error = refined;
    } else {
        memcpy(x, m->kept, bytes);
    }
    return helps;
}

/* Is x good, its backward error within the tolerance? If not it is refined. Pivots in the fixed
   order have one step to show that they are good enough: then the rest is rounding of large unknowns
   in rows with small ones, which further steps remove. */
static int settle(const il_sparse_lu *lu, const double *b, int32_t transposed, double tolerance,
    il_sparse_lu_memory *m, double *x)
{
    double *error = &m->report.backward_error;
    m->report.rounded_rows = 0;
    *error = il_sparse_lu_backward_error(lu, b, transposed, m, x);
    for (int32_t step = 0; step < MOST_STEPS && !(*error <= tolerance); step++) {
        const int helps = refine(lu, b, transposed, m, x);
        if (!helps || *error <= tolerance) break;
        if (m->usable == FIXED_ORDER
            && !(il_sparse_lu_lenient_error(lu, b, transposed, m, x) <= m->tolerance)) {
            break;
        }
    }
    if (!(*error <= m->tolerance) && *error < HUGE_VAL) {
        *error = il_sparse_lu_lenient_error(lu, b, transposed, m, x);
        m->report.rounded_rows = rows_beyond_tolerance(lu, m);
    }
    return *error <= m->tolerance;
}

/* Pivots may have become bad: a solution with new ones, refined as far as it goes; -1: there are none. */
static int solve_anew(const il_sparse_lu *lu, const double *b, int32_t transposed,
    il_sparse_lu_memory *m, double *x)
{
    if (!factor_anew(lu, m)) return -1;
    il_sparse_lu_apply(lu, b, transposed, m, x);
    return settle(lu, b, transposed, DBL_EPSILON, m, x);
}

/* Not 0: no digit of x is known. */
static int has_no_digit(const il_sparse_lu *lu, const double *b, int32_t transposed,
    il_sparse_lu_memory *m, const double *x)
{
    double *error = &m->report.forward_error;
    *error = m->small ? il_sparse_lu_forward_error(lu, b, transposed, m, x, 1.0) : -1.0;
    return !(*error < NO_DIGIT); /* or NaN */
}

static int failed(const il_sparse_lu *lu, int status, double *x)
{
    for (int32_t i = 0; i < lu->n; i++) x[i] = NAN;
    return status;
}

/* Watch over a first solution x. */
static int finish(const il_sparse_lu *lu, const double *b, int32_t transposed,
    il_sparse_lu_memory *m, double *x)
{
    int good = settle(lu, b, transposed, m->tolerance, m, x);
    if (!good && !(il_all_finite(b, lu->n) && il_all_finite(m->values, lu->given))) {
        return failed(lu, IL_SPARSE_LU_NOT_FINITE, x);
    }
    int lost = has_no_digit(lu, b, transposed, m, x);
    if ((!good || lost) && m->usable == FIXED_ORDER) {
        good = solve_anew(lu, b, transposed, m, x);
        if (good < 0) return failed(lu, IL_SPARSE_LU_SINGULAR, x);
        lost = has_no_digit(lu, b, transposed, m, x);
    }
    /* what rounding of A and b alone would do tells whether the matrix is to blame, or x */
    if (lost && !(il_sparse_lu_forward_error(lu, b, transposed, m, x, 0.0) < NO_DIGIT)) {
        return failed(lu, IL_SPARSE_LU_SINGULAR, x);
    }
    return good && !lost ? IL_SPARSE_LU_OK : IL_SPARSE_LU_INEXACT;
}

IL_EXPORT int il_sparse_lu_solve(const il_sparse_lu *lu, const double *b, int32_t transposed,
    il_sparse_lu_memory *m, double *x)
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
    if (!lu->solve_with) {
        const int status = il_sparse_lu_factor(lu, values, m);
        return status == IL_SPARSE_LU_OK ? il_sparse_lu_solve(lu, b, 0, m, x)
                                         : failed(lu, status, x);
    }
    start(values, m);
    if (!m->begun) factor_in_order(lu, m);
    lu->solve_with(values, b, m->factors, m->reciprocals, m->y, x);
    m->unfactored = 1;
    judge_pivots(lu, m);
    const int status = pivots_or_new_ones(lu, m);
    if (status != IL_SPARSE_LU_OK) return failed(lu, status, x);
    if (m->usable != FIXED_ORDER) return il_sparse_lu_solve(lu, b, 0, m, x);
    return finish(lu, b, 0, m, x);
}
