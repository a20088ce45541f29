/* Implicit Runge-Kutta steps whose last stage is the end of the step (Radau IIA; Hairer & Wanner,
   Solving Ordinary Differential Equations II (1996), IV.8):

       x_i = x + h sum_j a_ij f(t + c_j h, x_j),   x_new = x_s

   They are solved by Newton's method, reusing factors of M = I - h (a_ij J_j) from the previous
   step as long as it converges. At the solution the equation itself is differentiated:

       M dx_i = dx + h sum_j a_ij (J_j dx_j + B_j dg) without what M holds,

   that is, M (dx_i - dx) = h sum_j a_ij df_j, with df_j the derivatives of the rates along dx, dg.
   Backwards the same with the transpose of M. Rates of the first entries of x, positions, are
   velocities, the next ones. Equations with M: il_stages.c. */
#include <math.h>
#include <string.h>

#include "il_variation.h"
#include "il_vectors.h"

enum { MOST_ITERATIONS = 40, MOST_FACTORIZATIONS = 8 };
static const double SLOW = 0.2;      /* slower convergence triggers new factors */
static const double SOLVED = 1e-15;  /* of the largest size: the remaining correction is rounding */
/* corrections below do not have to shrink: with any factors, and with those of this step */
static const double ROUNDING = 1e-11, ROUNDING_AT_BEST = 1e-8;
static const double LEAST = 1e-6;    /* of the largest entry of x: minimum scale of all others */

/* Newton's step of all stages, and its size */
static int correction(const il_stages *at, const double *x, double *size)
{
    il_collocation *c = at->implicit;
    const int64_t n = at->size, s = at->method->stages;
    for (int64_t j = 0; j < s; j++) {
        const int status = c->rates(at->self, at->t + at->method->c[j] * at->h,
                                    at->u + j * at->u_stage, c->x + j * n, at->dep, NULL,
                                    c->f + j * n, NULL);
        if (status != IL_OK) return status;
    }
    for (int64_t i = 0; i < s; i++) {
        double *step = c->step + i * n;
        for (int64_t k = 0; k < n; k++) {
            step[k] = x[k] - c->x[i * n + k];
        }
        for (int64_t j = 0; j < s; j++) {
            il_add_scaled(n, step, at->h * at->method->a[i * s + j], c->f + j * n);
        }
    }
    il_stages_solve(at, c->step);
    il_add_scaled(s * n, c->x, 1.0, c->step);
    double largest = 0.0;
    for (int64_t i = 0; i < s * n; i++) {
        if (fabs(c->x[i]) > c->most[i % n]) c->most[i % n] = fabs(c->x[i]);
    }
    for (int64_t k = 0; k < n; k++) {
        if (c->most[k] > largest) largest = c->most[k];
    }
    *size = 0.0;
    for (int64_t i = 0; i < s * n; i++) {
        const double unit = fmax(c->most[i % n], LEAST * largest);
        const double part = unit > 0.0 ? fabs(c->step[i]) / unit : fabs(c->step[i]);
        /* true for NaN, too */
        if (!(part <= *size)) *size = part;
    }
    return IL_OK;
}

static void begin(const il_stages *at, const double *x)
{
    for (int64_t j = 0; j < at->method->stages; j++) {
        il_copy(at->implicit->x + j * at->size, x, at->size);
    }
}

/* Extrapolate the polynomial of the previous step: through its start and its stages, c->x. */
static void lead_on(const il_stages *at)
{
    const il_collocation *c = at->implicit;
    const int64_t n = at->size, s = at->method->stages;
    memset(c->step, 0, (size_t)(s * n) * sizeof *c->step);
    for (int64_t j = 0; j < s; j++) {
        const double *weights = c->ahead + j * (s + 1);
        il_add_scaled(n, c->step + j * n, weights[0], c->begun);
        for (int64_t i = 0; i < s; i++) {
            il_add_scaled(n, c->step + j * n, weights[i + 1], c->x + i * n);
        }
    }
    il_copy(c->x, c->step, s * n);
}

/* All stages of a step: c->x */
static int solve(const il_stages *at, const double *x)
{
    il_collocation *c = at->implicit;
    int factorizations = 0;
    double before = 0.0;
    if (c->led && c->h == at->h) {
        lead_on(at);
    } else {
        begin(at, x);
    }
    il_copy(c->begun, x, at->size);
    c->led = 0;
    for (int k = 0; k < MOST_ITERATIONS; k++) {
        if (!c->factorized || c->h != at->h) {
            if (factorizations++ == MOST_FACTORIZATIONS) return IL_DIVERGED;
            const int status = il_stages_factorize(at, 0);
            if (status != IL_OK) return status;
        }
        double size;
        const int status = correction(at, x, &size);
        if (status != IL_OK) return status;
        const double shrinks = before > 0.0 ? size / before : 0.0;
        if (size <= SOLVED || (before > 0.0 && shrinks < 1.0 &&
                               size * shrinks / (1.0 - shrinks) <= SOLVED)) {
            return IL_OK;
        }
        if (shrinks <= SLOW) {
            before = size;
            continue;
        }
        const int rounding = factorizations ? size <= ROUNDING_AT_BEST
                                            : size <= ROUNDING && shrinks >= 1.0;
        if (rounding) return IL_OK;
        /* factors of another step may lead to divergence */
        const int away = !factorizations && !(shrinks < 1.0);
        if (away) begin(at, x);
        before = away ? 0.0 : size;
        c->factorized = 0;
    }
    return IL_DIVERGED;
}

/* dx after the step, with M at its solution */
static int differentiate(const il_varied_run *p, const il_stages *at)
{
    il_collocation *c = at->implicit;
    const int64_t n = at->size, s = at->method->stages, lanes = p->lanes;
    int status = il_stages_factorize(at, 0);
    for (int64_t j = 0; j < s && status == IL_OK; j++) {
        status = c->slopes(at->self, at->t + at->method->c[j] * at->h, at->u + j * at->u_stage,
                           c->x + j * n, at->dep, p->dx, c->f, c->df + j * n * lanes);
    }
    if (status != IL_OK) return status;
    memset(c->wide, 0, (size_t)(s * n * lanes) * sizeof *c->wide);
    for (int64_t i = 0; i < s; i++) {
        for (int64_t j = 0; j < s; j++) {
            il_add_scaled(n * lanes, c->wide + i * n * lanes, at->h * at->method->a[i * s + j],
                          c->df + j * n * lanes);
        }
    }
    il_stages_solve_lanes(at, c->wide);
    il_add_scaled(n * lanes, p->dx, 1.0, c->wide + (s - 1) * n * lanes);
    return IL_OK;
}

int il_collocate(const il_varied_run *p, int64_t step, double t, const double *u)
{
    il_collocation *c = p->implicit;
    const int64_t n = p->size, s = p->tableau.stages;
    const il_stages at = {p->self, &p->tableau, c,     n,      p->coordinates, t,
                          p->h,    u,           p->u_stage, c->x, p->dep,         0};
    for (int64_t k = 0; k < n; k++) {
        if (fabs(p->x[k]) > c->most[k]) c->most[k] = fabs(p->x[k]);
    }
    int status = solve(&at, p->x);
    if (status != IL_OK) return status;
    c->led = 1;
    if (p->stage_x) {
        il_copy(p->stage_x + step * s * n, c->x, s * n);
        for (int64_t j = 0; j < s; j++) {
            il_copy(p->stage_dep + (step * s + j) * p->dependent, p->dep, p->dependent);
        }
    }
    if (p->lanes) status = differentiate(p, &at);
    il_copy(p->x, c->x + (s - 1) * n, n);
    return status;
}

int il_collocate_back(const il_backward_run *r, int64_t step, double t, const double *u)
{
    il_collocation *c = r->implicit;
    const int64_t n = r->size, s = r->tableau.stages;
    double *dep = r->stage_dep + step * s * r->dependent;
    const double *x = r->stage_x + step * s * n;
    const il_stages at = {r->self, &r->tableau, c,          n, r->coordinates, t,
                          r->h,    u,           r->u_stage, x, dep,            r->dependent};
    int status = il_stages_factorize(&at, 1);
    /* adjoints of the equations of all stages */
    memset(c->step, 0, (size_t)(s * n) * sizeof *c->step);
    il_copy(c->step + (s - 1) * n, r->weights, n);
    if (status == IL_OK) il_stages_solve_transposed(&at, c->step);
    for (int64_t j = 0; j < s && status == IL_OK; j++) {
        double *of_rates = c->f, *y = r->memory;
        memset(of_rates, 0, (size_t)n * sizeof *of_rates);
        for (int64_t i = 0; i < s; i++) {
            il_add_scaled(n, of_rates, r->h * r->tableau.a[i * s + j], c->step + i * n);
        }
        status = r->pull(r->self, t + r->tableau.c[j] * r->h, u + j * r->u_stage, x + j * n,
                         dep + j * r->dependent, of_rates, y);
        if (status != IL_OK) return status;
        il_add_scaled(n, r->weights, 1.0, y);
        il_add_scaled(r->varied, r->owed, 1.0, y + n);
    }
    return status;
}
