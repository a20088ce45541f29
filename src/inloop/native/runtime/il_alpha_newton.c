/* Newton's method of a step of il_alpha.c.
 *
 * It finds the motions of the step, in the tangent of where the bodies are, and the forces. The matrix
 * is factored once, and made anew where corrections do not shrink.
 *
 * Inputs that have changed since the step before make accelerations jump where the step begins, by what the
 * change of forces does with the matrix of the step. That is what it does with the masses, up to the order
 * of the step; what is much faster than the step is not shaken by it.
 */
#include "il_alpha.h"

#include <math.h>
#include <string.h>

#include "il_finite.h"
#include "il_rotation.h"

enum { MOST = 10 }; /* iterations */
#define SLOW 0.2          /* of the correction before: the matrix is made anew */
#define CONVERGED 1e-8    /* what is left, in parts of the way of the step */
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
    const double per_acceleration = -m->point.scales[0], per_speed = m->point.scales[2];
    const double *restrict r = m->r;
    double *restrict b = m->b;
    for (int64_t k = 0; k < moving; k++) {
        b[k] = per_acceleration * r[k];
    }
    for (int64_t k = moving; k < size; k++) {
        b[k] = -r[k];
    }
    for (int64_t k = 0; k < table->rows; k++) {
        b[rows + k] *= table->on_velocities[k] ? per_speed : 1.0;
        b[rows + k] -= table->epsilon * per_acceleration * m->point.mu[k];
    }
}

/* y += factor x */
static void add_multiple(int64_t count, double factor, const double *restrict x, double *restrict y)
{
    for (int64_t k = 0; k < count; k++) {
        y[k] += factor * x[k];
    }
}

/* Make the solution changes of the motions of bodies: in world axes, turns in the tangent where they
   began. The largest in units. */
static double changes_of_motion(il_redundant_memory *m)
{
    const il_redundant *table = m->table;
    const int64_t bodies = table->bodies;
    const double per_length = 1.0 / table->length;
    double *const y = m->y;
    double largest[3] = {0.0}; /* side by side, so that none waits for the others */

    for (int64_t k = 0; k < bodies; k++) {
        const double *R = m->point.pose + IL_POSE * k + 3;
        double *const d = y + 6 * k;
        const double shift[3] = {d[0], d[1], d[2]};
        for (int i = 0; i < 3; i++) {
            largest[i] = larger(largest[i], larger(per_length * fabs(d[i]), fabs(d[3 + i])));
            d[i] = R[3 * i] * shift[0] + R[3 * i + 1] * shift[1] + R[3 * i + 2] * shift[2];
        }
        il_untangle(m->moved + 6 * k + 3, d + 3);
    }
    for (int64_t k = 0; k < table->free_count; k++) {
        largest[0] = larger(largest[0], fabs(y[6 * bodies + k]) / table->units[k]);
    }
    for (int64_t k = 0; k < table->attitudes; k++) {
        const int64_t at = 6 * bodies + table->turned[k];
        il_untangle(m->moved + at, y + at);
    }
    return larger(largest[0], larger(largest[1], largest[2]));
}

/* Follow the solution: motions, velocities and their rates by so much of it; the largest in units. */
static double correct(il_redundant_memory *m, const il_alpha_rule *s, const il_alpha_history *now,
                      const il_alpha_history *next, double motion, double speed)
{
    const il_redundant *table = m->table;
    const int64_t bodies = table->bodies, moving = il_redundant_moving(table);
    const double largest = changes_of_motion(m), *const y = m->y, *const forces = y + moving;
    add_multiple(6 * bodies, s->per_motion, forces, next->lam);
    add_multiple(table->rows, s->per_motion, forces + 6 * bodies, next->mu);
    /* nobody asks for positions of states of laws */
    add_multiple(6 * bodies + table->free_count, motion, y, m->moved);
    add_multiple(moving, speed, y, next->u);
    add_multiple(moving, s->per_motion, y, next->ud);
    /* the whole turn of the step at once: small ones one after the other would not add up to it */
    il_alpha_lead(table, m->moved, now->p, next->p);
    return largest;
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
    int factored = !slow;
    if (!slow && lu->factor && first) {
        lu->factor(m->A, m->lu.factors, m->lu.reciprocals);
    } else if (!slow && first) {
        factored = il_sparse_lu_factor(lu, m->A, &m->lu) == IL_SPARSE_LU_OK;
    }
    if (factored) {
        if (lu->factor) {
            lu->solve(m->lu.factors, m->lu.reciprocals, m->b, m->lu.y, m->y);
        } else {
            il_sparse_lu_apply(lu, m->b, 0, &m->lu, m->y);
        }
        if (il_all_finite(m->y, lu->n)) {
            return 1;
        }
    }
    return il_sparse_lu_solve_with(lu, m->A, m->b, &m->lu, m->y) <= IL_SPARSE_LU_INEXACT &&
           il_all_finite(m->y, lu->n);
}

/* Is the step found? A fixed number of solutions is enough unless the last one is far off. Else corrections
   shrink as they did, and what is left must not add up over many steps; or they do not shrink any
   more, but are nothing. */
static int is_done(const il_redundant_memory *m, double first, double before, double way, double rounding)
{
    const double last = m->correction, left = last * (last / before);
    const int64_t solves = m->table->solves;
    if (solves > 0) {
        return m->iterations + 1 >= solves && last <= FAILED * way + 100.0 * rounding &&
               left <= CONVERGED * way + rounding;
    }
    if (last <= rounding) {
        return 1;
    }
    return m->iterations > 0 && ((left <= NEGLIGIBLE * first && left <= CONVERGED * way) ||
                                 (last > SLOW * before && last <= CONVERGED * way));
}

/* The right side of what changed inputs do: efforts act in the rows of their own joints. */
static void pushes_of(const il_context *c, const il_alpha_history *now, il_alpha_change changed)
{
    const il_redundant_memory *m = c->redundant;
    const il_redundant *table = m->table;
    const int64_t moving = il_redundant_moving(table);
    const double per_acceleration = m->point.scales[0];
    il_redundant_point at = m->point;

    memset(m->b, 0, (size_t)table->lu->n * sizeof *m->b);
    if (changed.inputs) {
        table->residual(&at, m->r, m->effort);
        add_multiple(table->inputs, 1.0, c->u, m->before);
        at.u = m->before;
        table->residual(&at, m->y, m->effort);
        for (int64_t k = 0; k < moving; k++) {
            m->b[k] = per_acceleration * (m->y[k] - m->r[k]);
        }
    }
    for (int64_t k = 0; changed.efforts && k < table->free_count; k++) {
        const int64_t joint = table->free[k];
        m->b[6 * table->bodies + k] += per_acceleration * (c->tau[joint] - now->tau[joint]);
    }
}

/* The jump of accelerations where the step begins; the first guess goes on with them. */
static int jump(il_context *c, const il_alpha_rule *s, const il_alpha_history *now,
                const il_alpha_history *next, il_alpha_change changed)
{
    il_redundant_memory *m = c->redundant;
    const int64_t moving = il_redundant_moving(m->table);
    const double rate = s->per_motion, h = s->h;

    pushes_of(c, now, changed);
    if (!solve_linear(m, 1, 0)) {
        return 0;
    }
    m->correction = correct(m, s, now, next, 0.5 * h * h * rate, h * rate);
    add_multiple(moving, rate, m->y, now->ud);
    add_multiple(moving, rate, m->y, now->a);
    return 1;
}

int il_alpha_newton(il_context *c, const double *x, const il_alpha_rule *s, const il_alpha_history *now,
                    const il_alpha_history *next, il_alpha_change changed)
{
    il_redundant_memory *m = c->redundant;
    const il_redundant *table = m->table;
    double far, first = 0.0, before = (double)INFINITY;
    int slow = 0;
    const int jumps = changed.efforts || changed.inputs;

    if (jumps) {
        const int status = il_alpha_put(c, x, next);
        if (status != IL_OK || !jump(c, s, now, next, changed)) {
            return status != IL_OK ? status : IL_DIVERGED;
        }
        first = m->correction; /* the jump is known to the order of the step, too */
    }
    const double way = way_of(m, now, &far), rounding = ROUNDING * far;

    for (m->iterations = 0; m->iterations < MOST; m->iterations++) {
        const int status = il_alpha_put(c, x, next);
        if (status != IL_OK) {
            return status;
        }
        table->residual(&m->point, m->r, m->effort);
        scale(m);
        if (!solve_linear(m, m->iterations == 0 && !jumps, slow)) {
            return IL_DIVERGED;
        }
        m->correction = correct(m, s, now, next, 1.0, s->per_speed);
        first = m->iterations > 0 ? first : larger(first, m->correction);
        if (is_done(m, first, before, way, rounding)) {
            m->iterations++;
            return il_alpha_move(c, x, next);
        }
        slow = slow || m->correction > SLOW * before;
        before = m->correction;
    }
    return m->correction <= FAILED * way + 100.0 * rounding ? il_alpha_move(c, x, next) : IL_DIVERGED;
}
