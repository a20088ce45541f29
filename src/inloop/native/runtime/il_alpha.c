/* The generalized-alpha method on the motions of bodies, order 2.
 *
 * Brüls, Cardona and Arnold 2012, doi:10.1016/j.mechmachtheory.2011.07.017. With ρ the spectral radius
 * at infinity, 1: nothing is damped, 0: what is fast is gone in one step,
 *
 *     αm = (2ρ-1)/(ρ+1)   αf = ρ/(ρ+1)   γ = 1/2 + αf - αm   β = (γ + 1/2)²/4
 *     m  = h u0 + h² ((1/2-β) a0 + β a1)          p += m_p,  R1 = R0 exp(m_θ~)
 *     u1 = u0 + h ((1-γ) a0 + γ a1)
 *     (1-αm) a1 + αm a0 = (1-αf) u̇1 + αf u̇0
 *
 * All of the unknowns of il_redundant.h move like this: bodies, joints, and states of laws, which are
 * velocities of something whose position nobody asks for. Joints and constraints hold at the end
 * of the step. Newton's method finds motions, in the tangent of where the bodies are, and forces;
 * its matrix is factored once, and again where that does not suffice; then the step is divided.
 *
 * What a step needs of the one before it is kept with the state that it led to: a step from another
 * state, as after an event, begins anew with the accelerations there.
 */
#include "il_redundant.h"

#include <math.h>
#include <string.h>

#include "il_attitude.h"
#include "il_dense.h"
#include "il_finite.h"
#include "il_rotation.h"

enum { MOST = 10 }; /* iterations */
#define SLOW 0.2          /* of the correction before: the matrix is made anew */
#define CONVERGED 1e-8    /* a correction, in parts of the way of the step */
#define NEGLIGIBLE 1e-7   /* the next one, in parts of the first, which is of the order of the method's error */
#define ROUNDING 4e-15    /* what of a correction is rounding, in parts of the largest position */
#define FAILED 1e-6       /* a correction, in parts of the way: the step is divided */
#define SHORTEST 0.004    /* part of a step */
#define SHORT 1e-5        /* [s]: in longer steps rounding is nothing */

/* Parts of a history: what belongs to the state at the end of a step. */
typedef struct history {
    double *known;  /* 1 if there is one */
    double *x;      /* the state: q, qd, z, quaternions of ball joints */
    double *p;      /* p_WC and quaternion of each body */
    double *u, *ud; /* velocities and their rates: bodies, joints, states of laws */
    double *a;      /* what the method integrates instead of the rates */
    double *lam, *mu;
} history;

static int64_t state_length(const il_redundant *table)
{
    return 2 * table->free_count + table->states + IL_QUATERNION * table->attitudes;
}

int64_t il_alpha_numbers(const il_redundant *table)
{
    return 1 + state_length(table) + 7 * table->bodies + 3 * il_redundant_moving(table) +
           6 * table->bodies + table->rows;
}

static history parts_of(const il_redundant *table, double *at)
{
    history h;
    h.known = at;
    h.x = h.known + 1;
    h.p = h.x + state_length(table);
    h.u = h.p + 7 * table->bodies;
    h.ud = h.u + il_redundant_moving(table);
    h.a = h.ud + il_redundant_moving(table);
    h.lam = h.a + il_redundant_moving(table);
    h.mu = h.lam + 6 * table->bodies;
    return h;
}

void il_alpha_forget(il_redundant_memory *m)
{
    *m->history[0] = *m->history[1] = 0.0;
}

/* ---- the step ---- */

/* Coefficients of a step. */
typedef struct rule {
    double h, alpha_m, alpha_f, gamma, beta;
    double per_motion, per_speed; /* β' and γ': how accelerations and velocities follow motions */
    double from_new, from_old, from_a; /* a at the end of the step, from rates at both and a before */
} rule;

static rule rule_of(double radius, double h)
{
    rule s = {.h = h};
    s.alpha_m = (2.0 * radius - 1.0) / (radius + 1.0);
    s.alpha_f = radius / (radius + 1.0);
    s.gamma = 0.5 + s.alpha_f - s.alpha_m;
    s.beta = 0.25 * (s.gamma + 0.5) * (s.gamma + 0.5);
    s.per_motion = (1.0 - s.alpha_m) / (h * h * s.beta * (1.0 - s.alpha_f));
    s.per_speed = s.gamma / (h * s.beta);
    s.from_new = (1.0 - s.alpha_f) / (1.0 - s.alpha_m);
    s.from_old = s.alpha_f / (1.0 - s.alpha_m);
    s.from_a = -s.alpha_m / (1.0 - s.alpha_m);
    return s;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* A history of a state alone. */
static int begin(il_context *c, double t, const double *x, const history *now)
{
    const il_redundant_memory *m = c->redundant;
    const il_redundant *table = m->table;
    const il_redundant_point *p = &m->point;
    const int64_t bodies = table->bodies, nu = table->free_count;
    const int64_t moving = il_redundant_moving(table);
    double *u = now->u, *ud = now->ud;

    const int status = il_redundant_accelerate(c, t, x, 1);
    *now->known = status == IL_OK;
    if (status != IL_OK) {
        return status;
    }
    /* positions and velocities as they fit: those of x unless it did not */
    for (int64_t k = 0; k < nu; k++) {
        now->x[k] = p->q[table->free[k]];
        now->x[nu + k] = p->qd[table->free[k]];
    }
    memcpy(now->x + 2 * nu, p->z, (size_t)table->states * sizeof *x);
    memcpy(now->x + 2 * nu + table->states, p->q + table->n,
           (size_t)(IL_QUATERNION * table->attitudes) * sizeof *x);
    for (int64_t k = 0; k < bodies; k++) {
        memcpy(now->p + 7 * k, p->pose + IL_POSE * k, 3 * sizeof *now->p);
        il_quaternion_of(p->pose + IL_POSE * k + 3, now->p + 7 * k + 3);
        il_attitude_normalize(1, now->p + 7 * k + 3);
    }
    memcpy(u, p->twist, (size_t)(6 * bodies) * sizeof *u);
    memcpy(ud, p->accel, (size_t)(6 * bodies) * sizeof *ud);
    u += 6 * bodies;
    ud += 6 * bodies;
    for (int64_t k = 0; k < table->free_count; k++) {
        *u++ = p->qd[table->free[k]];
        *ud++ = p->qdd[table->free[k]];
    }
    memcpy(u, p->z, (size_t)table->states * sizeof *u);
    memcpy(ud, p->zd, (size_t)table->states * sizeof *ud);
    memcpy(now->a, now->ud, (size_t)moving * sizeof *u);
    memcpy(now->lam, p->lam, (size_t)(6 * bodies) * sizeof *u);
    memcpy(now->mu, p->mu, (size_t)table->rows * sizeof *u);
    return IL_OK;
}

static int same(const il_redundant *table, const history *h, const double *x)
{
    return *h->known == 1.0 && il_all_equal(h->x, x, state_length(table));
}

/* First guess: the accelerations stay. */
static void predict(il_redundant_memory *m, const rule *s, const history *now, const history *next)
{
    const il_redundant *table = m->table;
    const int64_t moving = il_redundant_moving(table);
    const double h = s->h, from_ud = s->from_new + s->from_old;
    /* a1 = from_ud u̇0 + from_a a0 put into the motion and the velocity */
    const double motion_ud = h * h * s->beta * from_ud, speed_ud = h * s->gamma * from_ud;
    const double motion_a = h * h * (0.5 - s->beta + s->beta * s->from_a);
    const double speed_a = h * (1.0 - s->gamma + s->gamma * s->from_a);
    for (int64_t k = 0; k < moving; k++) {
        const double u = now->u[k], ud = now->ud[k], a = now->a[k];
        m->moved[k] = h * u + motion_a * a + motion_ud * ud;
        next->u[k] = u + speed_a * a + speed_ud * ud;
        next->ud[k] = ud;
    }
    memcpy(m->point.lam, now->lam, (size_t)(6 * table->bodies) * sizeof *now->lam);
    memcpy(m->point.mu, now->mu, (size_t)table->rows * sizeof *now->mu);
}

/* Where the motions lead to: bodies, and joints and states of laws of the point; attitudes of ball
   joints from where they were in x. */
static int move(il_context *c, const double *x, const history *now, const history *next)
{
    const il_redundant_memory *m = c->redundant;
    const il_redundant *table = m->table;
    const il_redundant_point *p = &m->point;
    const int64_t bodies = table->bodies, nu = table->free_count;
    const double *moved = m->moved, *u = next->u + 6 * bodies, *ud = next->ud + 6 * bodies;

    for (int64_t k = 0; k < bodies; k++, moved += 6) {
        double *at = next->p + 7 * k;
        for (int i = 0; i < 3; i++) {
            at[i] = now->p[7 * k + i] + moved[i];
        }
        il_turn_by(now->p + 7 * k + 3, moved + 3, at + 3);
    }
    for (int64_t k = 0; k < nu; k++) {
        p->q[table->free[k]] = x[k] + moved[k];
        p->qd[table->free[k]] = u[k];
        p->qdd[table->free[k]] = ud[k];
    }
    for (int64_t k = 0; k < table->attitudes; k++) {
        const int64_t at = IL_QUATERNION * k;
        il_turn_by(x + 2 * nu + table->states + at, moved + table->turned[k], p->q + table->n + at);
    }
    memcpy(p->z, u + nu, (size_t)table->states * sizeof *u);
    memcpy(p->zd, ud + nu, (size_t)table->states * sizeof *ud);
    return il_redundant_drive(c, p->t);
}

/* The whole point that the motions lead to. */
static int put(il_context *c, const double *x, const history *now, const history *next)
{
    const il_redundant_point *p = &c->redundant->point;
    const int64_t bodies = c->redundant->table->bodies;

    const int status = move(c, x, now, next);
    for (int64_t k = 0; k < bodies; k++) {
        const double *at = next->p + 7 * k;
        double *pose = p->pose + IL_POSE * k;
        for (int i = 0; i < 3; i++) {
            pose[i] = at[i];
        }
        il_matrix_of(at + 3, pose + 3);
    }
    memcpy(p->twist, next->u, (size_t)(6 * bodies) * sizeof *next->u);
    memcpy(p->accel, next->ud, (size_t)(6 * bodies) * sizeof *next->ud);
    return status;
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
static double correct(il_redundant_memory *m, const rule *s, const history *next)
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
static double way_of(const il_redundant_memory *m, const history *now, double *far)
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
static int solve(il_context *c, const double *x, const rule *s, const history *now,
                 const history *next)
{
    il_redundant_memory *m = c->redundant;
    const il_redundant *table = m->table;
    double far, first = 0.0, before = (double)INFINITY;
    int slow = 0;
    const double way = way_of(m, now, &far), rounding = ROUNDING * far;

    for (m->iterations = 0; m->iterations < MOST; m->iterations++) {
        const int status = put(c, x, now, next);
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
            return move(c, x, now, next);
        }
        slow = slow || m->correction > SLOW * before;
        before = m->correction;
    }
    return m->correction <= FAILED * way + 100.0 * rounding ? move(c, x, now, next) : IL_DIVERGED;
}

/* The end of the step as a state, and as a history. */
static void finish(il_redundant_memory *m, const rule *s, const history *now, const history *next,
                   double *x_new)
{
    const il_redundant *table = m->table;
    const il_redundant_point *p = &m->point;
    const int64_t nu = table->free_count, moving = il_redundant_moving(table);

    for (int64_t k = 0; k < moving; k++) {
        next->a[k] = s->from_new * next->ud[k] + s->from_old * now->ud[k] + s->from_a * now->a[k];
    }
    for (int64_t k = 0; k < nu; k++) {
        x_new[k] = p->q[table->free[k]];
        x_new[nu + k] = p->qd[table->free[k]];
    }
    memcpy(x_new + 2 * nu, p->z, (size_t)table->states * sizeof *x_new);
    memcpy(x_new + 2 * nu + table->states, p->q + table->n,
           (size_t)(IL_QUATERNION * table->attitudes) * sizeof *x_new);
    memcpy(next->x, x_new, (size_t)state_length(table) * sizeof *x_new);
    memcpy(next->lam, p->lam, (size_t)(6 * table->bodies) * sizeof *p->lam);
    memcpy(next->mu, p->mu, (size_t)table->rows * sizeof *p->mu);
    *next->known = 1.0;
}

/* One step from the state of `now`; x and x_new may be the same. */
static int step(il_context *c, double t_new, double h, const double *x, double *x_new)
{
    il_redundant_memory *m = c->redundant;
    const il_redundant *table = m->table;
    const rule s = rule_of(table->radius, h);
    const history now = parts_of(table, m->history[0]), next = parts_of(table, m->history[1]);
    il_redundant_point *p = &m->point;

    if (c->inputs && il_follow(c->inputs, t_new) != IL_OK) {
        return IL_DIVERGED;
    }
    p->pre = c->pre;
    p->tau = c->tau;
    p->u = c->u;
    p->t = t_new;
    p->scales[0] = 1.0 / s.per_motion;
    p->scales[1] = s.per_speed / s.per_motion;
    p->scales[2] = 1.0 / s.per_speed;
    p->scales[3] = table->epsilon;
    predict(m, &s, &now, &next);
    const int status = solve(c, x, &s, &now, &next);
    if (status == IL_OK) {
        finish(m, &s, &now, &next, x_new);
    }
    return status;
}

/* The step that led to `next` was taken. */
static void go_on(il_redundant_memory *m)
{
    memcpy(m->history[0], m->history[1], (size_t)il_alpha_numbers(m->table) * sizeof(double));
}

/* A step in parts, where Newton's method does not find its end. */
static int divide(il_context *c, double t, double h, double t_new, const double *x, double *x_new)
{
    il_redundant_memory *m = c->redundant;
    const int64_t size = state_length(m->table);
    double done = 0.0, part = 0.5;

    memcpy(x_new, x, (size_t)size * sizeof *x);
    while (done < 1.0) {
        const double end = done + part < 1.0 ? done + part : 1.0;
        const double t_end = end < 1.0 ? t + end * h : t_new;
        if (step(c, t_end, (end - done) * h, x_new, x_new) == IL_OK) {
            done = end;
            part = 2.0 * part < 0.5 ? 2.0 * part : part;
            if (done < 1.0) {
                go_on(m);
            }
        } else {
            part *= 0.5;
        }
        if (part < SHORTEST) {
            return IL_DIVERGED;
        }
    }
    m->divided++;
    return IL_OK;
}

int il_alpha_advance(void *context, double t, double h, double t_new, const double *x, double *x_new)
{
    il_context *c = context;
    il_redundant_memory *m = c->redundant;
    const il_redundant *table = m->table;
    const history now = parts_of(table, m->history[0]), next = parts_of(table, m->history[1]);

    if (same(table, &next, x)) {
        go_on(m);
    } else if (!same(table, &now, x)) {
        const int status = begin(c, t, x, &now);
        if (status != IL_OK) {
            return status;
        }
        if (h < SHORT && il_alpha_rest(c, t_new, h, now.x, now.ud + 6 * table->bodies, x_new)) {
            il_alpha_forget(m);
            return IL_OK;
        }
    }
    *next.known = 0.0;
    const int status = step(c, t_new, h, now.x, x_new);
    if (status != IL_DIVERGED) {
        return status;
    }
    const int divided = divide(c, t, h, t_new, now.x, x_new);
    if (divided != IL_OK) {
        il_alpha_forget(m); /* what was before the step is gone */
    }
    return divided;
}

/* ---- as a method of steppers ---- */

static int64_t stage_size(int64_t n, int64_t m)
{
    (void)n;
    (void)m;
    return 0;
}

static int attempt(il_stepper *stepper, const il_span *span)
{
    const il_system *system = &stepper->system;
    if (system->advance == NULL) {
        return IL_BAD_ARGUMENT;
    }
    stepper->evaluations++;
    return system->advance(system->context, span->t, span->h, span->t_new, span->x, stepper->x_new);
}

static int interpolate(il_stepper *stepper, const il_span *span)
{
    const int status = il_first_slope(stepper, span);
    return status == IL_OK ? il_dense_cubic(stepper, span) : status;
}

const il_method il_method_alpha = {0, stage_size, attempt, interpolate, NULL};
