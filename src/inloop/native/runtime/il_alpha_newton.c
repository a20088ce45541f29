/* Newton's method of a step of il_alpha.c.
 *
 * It finds the motions of the step, in the tangent of where the bodies are, and the forces. The matrix
 * is factored once, and made anew where corrections do not shrink.
 */
#include "il_alpha.h"

#include <math.h>

#include "il_finite.h"
#include "il_rotation.h"

enum { MOST = 10 }; /* iterations */
#define SLOW 0.2          /* of the correction before: the matrix is made anew */
#define CONVERGED 1e-8    /* a correction, in parts of the way of the step */
#define NEGLIGIBLE 1e-7   /* the next one, in parts of the first, which is of the order of the method's error */
#define ROUNDING 4e-15    /* what of a correction is rounding, in parts of the largest position */
#define FAILED 1e-6       /* a correction, in parts of the way: the step is divided */

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Equations of motion divided by β', rows on velocities by γ'; with the sign of a right side.
   Constraints yield a little, by ε of their scaled multipliers, which is nothing but at singular
   positions: forces would be infinite there. */
static void scale(il_redundant_memory *m)
{
    const il_redundant *table = m->table;
    const int64_t moving = il_redundant_moving(table), size = table->lu->n;
    const int64_t rows = size - table->rows;
    for (int64_t k = 0; k < moving; k++) {
        m->b[k] = -m->point.scales[0] * m->r[k];
    }
    for (int64_t k = moving; k < size; k++) {
        m->b[k] = -m->r[k];
    }
    for (int64_t k = 0; k < table->rows; k++) {
        const double *scales = m->point.scales;
        m->b[rows + k] *= table->on_velocities[k] ? scales[2] : 1.0;
        m->b[rows + k] += table->epsilon * scales[0] * m->point.mu[k];
    }
}

/* Follow the solution; the largest correction in units. */
static double correct(il_redundant_memory *m, const il_alpha_rule *s, const il_alpha_history *next)
{
    const il_redundant *table = m->table;
    const il_redundant_point *p = &m->point;
    const int64_t bodies = table->bodies, nu = table->free_count;
    const int64_t moving = il_redundant_moving(table);
    const double per_length = 1.0 / table->length;
    double *const y = m->y;
    double largest[3] = {0.0}; /* side by side, so that none waits for the others */

    for (int64_t k = 0; k < bodies; k++) {
        const double *R = p->pose + IL_POSE * k + 3;
        double *const d = y + 6 * k;
        const double shift[3] = {d[0], d[1], d[2]};
        for (int i = 0; i < 3; i++) {
            largest[i] = larger(largest[i], larger(per_length * fabs(d[i]), fabs(d[3 + i])));
            d[i] = R[3 * i] * shift[0] + R[3 * i + 1] * shift[1] + R[3 * i + 2] * shift[2];
        }
        il_untangle(m->moved + 6 * k + 3, d + 3);
    }
    for (int64_t k = 0; k < nu; k++) {
        largest[0] = larger(largest[0], fabs(y[6 * bodies + k]) / table->units[k]);
    }
    for (int64_t k = 0; k < table->attitudes; k++) {
        const int64_t at = 6 * bodies + table->turned[k];
        il_untangle(m->moved + at, y + at);
    }
    /* nobody asks for positions of states of laws */
    for (int64_t k = 0; k < 6 * bodies + nu; k++) {
        m->moved[k] += y[k];
    }
    for (int64_t k = 0; k < moving; k++) {
        const double change = y[k];
        next->u[k] += s->per_speed * change;
        next->ud[k] += s->per_motion * change;
    }
    for (int64_t k = 0; k < 6 * bodies; k++) {
        m->point.lam[k] += s->per_motion * y[moving + k];
    }
    for (int64_t k = 0; k < table->rows; k++) {
        m->point.mu[k] += s->per_motion * y[moving + 6 * bodies + k];
    }
    return larger(largest[0], larger(largest[1], largest[2]));
}

/* The longest way of a body or a joint in the step, and how far out one is, in units. */
static double way_of(const il_redundant_memory *m, const il_alpha_history *now, double *far)
{
    const il_redundant *const table = m->table;
    const double *const joints = m->moved + 6 * table->bodies;
    const double per_length = 1.0 / table->length;
    double shift[3] = {0.0}, turn[3] = {0.0}, out[3] = {0.0}, bent = 0.0;
    for (int64_t k = 0; k < table->free_count; k++) {
        bent = larger(bent, fabs(joints[k]) / table->units[k]);
    }
    for (int64_t k = 0; k < table->bodies; k++) {
        for (int i = 0; i < 3; i++) {
            out[i] = larger(out[i], fabs(now->p[7 * k + i]));
            shift[i] = larger(shift[i], fabs(m->moved[6 * k + i]));
            turn[i] = larger(turn[i], fabs(m->moved[6 * k + 3 + i]));
        }
    }
    *far = larger(1.0, per_length * larger(out[0], larger(out[1], out[2])));
    const double straight = per_length * larger(shift[0], larger(shift[1], shift[2]));
    return larger(larger(bent, straight), larger(turn[0], larger(turn[1], turn[2])));
}

/* y = A^-1 b. Corrections that do not shrink tell of bad pivots, or of a matrix that is too old, so
   that nothing is watched at first: then the matrix is made anew and its solution watched. */
static int solve_linear(il_redundant_memory *m, int first, int slow)
{
    const il_sparse_lu *lu = m->table->lu;
    if (first || slow) {
        m->table->matrix(&m->point, m->A);
    }
    if (!slow && lu->factor) {
        if (first) {
            lu->factor(m->A, m->lu.factors, m->lu.reciprocals);
        }
        lu->solve(m->lu.factors, m->lu.reciprocals, m->b, m->lu.y, m->y);
        if (il_all_finite(m->y, lu->n)) {
            return 1;
        }
    }
    return il_sparse_lu_solve_with(lu, m->A, m->b, &m->lu, m->y) <= IL_SPARSE_LU_INEXACT &&
           il_all_finite(m->y, lu->n);
}

/* Newton's method from the first guess. */
int il_alpha_newton(il_context *c, const double *x, const il_alpha_rule *s, const il_alpha_history *now,
                 const il_alpha_history *next)
{
    il_redundant_memory *m = c->redundant;
    const il_redundant *table = m->table;
    double far, first = 0.0, before = (double)INFINITY;
    int slow = 0;
    const double way = way_of(m, now, &far), rounding = ROUNDING * far;

    for (m->iterations = 0; m->iterations < MOST; m->iterations++) {
        const int status = il_alpha_put(c, x, now, next);
        if (status != IL_OK) {
            return status;
        }
        table->residual(&m->point, m->r, m->effort);
        scale(m);
        if (!solve_linear(m, m->iterations == 0, slow)) {
            return IL_DIVERGED;
        }
        m->correction = correct(m, s, next);
        first = m->iterations > 0 ? first : m->correction;
        /* corrections shrink as they did, or are nothing but rounding any more: what is left must not
           add up over many steps */
        const double left = m->correction * (m->correction / before);
        const int done = m->iterations > 0 && (left <= NEGLIGIBLE * first || m->correction > SLOW * before);
        if (m->correction <= rounding || (done && m->correction <= CONVERGED * way)) {
            m->iterations++;
            return il_alpha_move(c, x, now, next);
        }
        slow = slow || m->correction > SLOW * before;
        before = m->correction;
    }
    return m->correction <= FAILED * way + 100.0 * rounding ? il_alpha_move(c, x, now, next) : IL_DIVERGED;
}
