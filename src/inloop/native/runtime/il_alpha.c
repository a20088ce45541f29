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
 * state, as after an event, begins anew with the accelerations there. Where steps change their length
 * a0 is moved along (Brüls and Arnold 2008, doi:10.1115/1.2960475), so that the order stays 2. Inputs that
 * are held for a step and change between steps act from its beginning: u̇0 and a0 jump with them.
 */
#include "il_alpha.h"

#include <math.h>
#include <string.h>

#include "il_attitude.h"
#include "il_finite.h"
#include "il_rotation.h"

#define SHORTEST 0.004    /* part of a step */
#define SHORT 1e-5        /* [s]: in longer steps rounding is nothing */
#define LAST_BITS 1e-15   /* of components of a quaternion */

static int64_t state_length(const il_redundant *table)
{
    return 2 * table->free_count + table->states + IL_QUATERNION * table->attitudes;
}

int64_t il_alpha_numbers(const il_redundant *table)
{
    return 1 + state_length(table) + 7 * table->bodies + 4 * il_redundant_moving(table) + 1 +
           table->n + table->inputs + 6 * table->bodies + table->rows;
}

static il_alpha_history parts_of(const il_redundant *table, double *at)
{
    il_alpha_history h;
    h.known = at;
    h.x = h.known + 1;
    h.p = h.x + state_length(table);
    h.u = h.p + 7 * table->bodies;
    h.ud = h.u + il_redundant_moving(table);
    h.a = h.ud + il_redundant_moving(table);
    h.jerk = h.a + il_redundant_moving(table);
    h.meant = h.jerk + il_redundant_moving(table);
    h.tau = h.meant + 1;
    h.in = h.tau + table->n;
    h.lam = h.in + table->inputs;
    h.mu = h.lam + 6 * table->bodies;
    return h;
}

void il_alpha_forget(il_redundant_memory *m)
{
    *m->history[0] = *m->history[1] = 0.0;
}

/* ---- the step ---- */

il_alpha_rule il_alpha_rule_of(double radius, double h)
{
    il_alpha_rule s = {.h = h};
    s.alpha_m = (2.0 * radius - 1.0) / (radius + 1.0);
    s.alpha_f = radius / (radius + 1.0);
    s.ahead = s.alpha_m - s.alpha_f;
    s.gamma = 0.5 - s.ahead;
    s.beta = 0.25 * (s.gamma + 0.5) * (s.gamma + 0.5);
    s.per_motion = (1.0 - s.alpha_m) / (h * h * s.beta * (1.0 - s.alpha_f));
    s.per_speed = s.gamma / (h * s.beta);
    s.from_new = (1.0 - s.alpha_f) / (1.0 - s.alpha_m);
    s.from_old = s.alpha_f / (1.0 - s.alpha_m);
    s.from_a = -s.alpha_m / (1.0 - s.alpha_m);
    return s;
}

/* Inputs that a history belongs to. */
static void keep_inputs(const il_context *c, const il_alpha_history *h)
{
    memcpy(h->tau, c->tau, (size_t)c->redundant->table->n * sizeof *h->tau);
    memcpy(h->in, c->u, (size_t)c->redundant->table->inputs * sizeof *h->in);
}

/* A history of a state alone. */
static int begin(il_context *c, double t, const double *x, const il_alpha_history *now)
{
    const il_redundant_memory *m = c->redundant;
    const il_redundant *table = m->table;
    const il_redundant_point *p = &m->point;
    const int64_t bodies = table->bodies, moving = il_redundant_moving(table);
    double *u = now->u, *ud = now->ud;

    const int status = il_redundant_accelerate(c, t, x, 1);
    *now->known = status == IL_OK;
    if (status != IL_OK) {
        return status;
    }
    /* positions and velocities as they fit: those of x unless it did not */
    il_redundant_tell(m, now->x);
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
    memset(now->jerk, 0, (size_t)moving * sizeof *u);
    *now->meant = 0.0;
    memcpy(now->lam, p->lam, (size_t)(6 * bodies) * sizeof *u);
    memcpy(now->mu, p->mu, (size_t)table->rows * sizeof *u);
    keep_inputs(c, now);
    return IL_OK;
}

/* Does a history belong to a state? Who brings quaternions to unit length once more may change their
   last bits, as this file may be compiled otherwise. */
static int same(const il_redundant *table, double *history, const double *x)
{
    const il_alpha_history h = parts_of(table, history);
    const int64_t count = state_length(table), plain = count - IL_QUATERNION * table->attitudes;
    int alike = *h.known == 1.0 && il_all_equal(h.x, x, plain);
    for (int64_t k = plain; k < count; k++) {
        alike = alike && fabs(h.x[k] - x[k]) <= LAST_BITS;
    }
    return alike;
}

/* Steps change their length: a is that of a time Δα h later. */
static void shift(const il_redundant *table, const il_alpha_rule *s, const il_alpha_history *now)
{
    const double later = s->ahead * (s->h - *now->meant);
    if (later == 0.0) {
        return;
    }
    for (int64_t k = 0; k < il_redundant_moving(table); k++) {
        now->a[k] += later * now->jerk[k];
    }
    *now->meant = s->h;
}

/* Which inputs have changed at time t, since the step before? Functions of time have not, whatever was
   looked at in between. m->before is what they were more then. */
static il_alpha_change changed_inputs(il_context *c, double t, const il_alpha_history *now)
{
    const il_redundant_memory *m = c->redundant;
    const int64_t inputs = m->table->inputs;
    il_alpha_change changed = {!il_all_equal(now->tau, c->tau, m->table->n),
                               !il_all_equal(now->in, c->u, inputs)};
    if (changed.inputs && c->inputs) {
        changed.inputs = il_follow(c->inputs, t) == IL_OK && !il_all_equal(now->in, c->u, inputs);
    }
    for (int64_t k = 0; changed.inputs && k < inputs; k++) {
        m->before[k] = now->in[k] - c->u[k];
    }
    return changed;
}

/* First guess: the accelerations stay. */
static void predict(il_redundant_memory *m, const il_alpha_rule *s, const il_alpha_history *now,
                    const il_alpha_history *next)
{
    const il_redundant *table = m->table;
    const int64_t moving = il_redundant_moving(table);
    const double h = s->h, from_ud = s->from_new + s->from_old;
    /* a1 = from_ud u̇0 + from_a a0 put into the motion and the velocity */
    const double motion_ud = h * h * s->beta * from_ud, speed_ud = h * s->gamma * from_ud;
    const double motion_a = h * h * (0.5 - s->beta + s->beta * s->from_a);
    const double speed_a = h * (1.0 - s->gamma + s->gamma * s->from_a);
    const double *restrict u0 = now->u, *restrict ud0 = now->ud, *restrict a0 = now->a;
    double *restrict moved = m->moved, *restrict u1 = next->u, *restrict ud1 = next->ud;
    for (int64_t k = 0; k < moving; k++) {
        const double u = u0[k], ud = ud0[k], a = a0[k];
        moved[k] = h * u + motion_a * a + motion_ud * ud;
        u1[k] = u + speed_a * a + speed_ud * ud;
        ud1[k] = ud;
    }
    il_alpha_lead(table, m->moved, now->p, next->p);
    memcpy(next->lam, now->lam, (size_t)(6 * table->bodies) * sizeof *now->lam);
    memcpy(next->mu, now->mu, (size_t)table->rows * sizeof *now->mu);
}

int il_alpha_move(il_context *c, const double *x, const il_alpha_history *next)
{
    const il_redundant_memory *m = c->redundant;
    const il_redundant *table = m->table;
    const il_redundant_point *p = &m->point;
    const int64_t bodies = table->bodies, nu = table->free_count;
    const double *moved = m->moved + 6 * bodies, *u = next->u + 6 * bodies;
    const double *ud = next->ud + 6 * bodies;

    for (int64_t k = 0; k < nu; k++) {
        p->q[table->free[k]] = x[k] + moved[k];
        p->qd[table->free[k]] = u[k];
        p->qdd[table->free[k]] = ud[k];
    }
    for (int64_t k = 0; k < table->attitudes; k++) {
        const int64_t at = IL_QUATERNION * k;
        il_turn_by(x + 2 * nu + table->states + at, moved + table->turned[k], p->q + table->n + at);
    }
    return il_redundant_drive(c, p->t);
}

int il_alpha_put(il_context *c, const double *x, const il_alpha_history *next)
{
    const il_redundant_memory *m = c->redundant;
    double *pose = m->point.pose;
    const double *at = next->p;
    for (int64_t k = 0; k < m->table->bodies; k++, at += 7, pose += IL_POSE) {
        for (int i = 0; i < 3; i++) {
            pose[i] = at[i];
        }
        il_matrix_of(at + 3, pose + 3);
    }
    return il_alpha_move(c, x, next);
}

/* The end of the step as a state, and as a history. */
static void finish(const il_context *c, const il_alpha_rule *s, const il_alpha_history *now,
                   const il_alpha_history *next, double *x_new)
{
    const il_redundant_memory *m = c->redundant;
    const il_redundant *table = m->table;
    const int64_t moving = il_redundant_moving(table);
    const double per_step = 1.0 / s->h;
    const double from_new = s->from_new, from_old = s->from_old, from_a = s->from_a;
    const double *restrict ud0 = now->ud, *restrict a0 = now->a, *restrict ud1 = next->ud;
    double *restrict a1 = next->a, *restrict jerk = next->jerk;

    for (int64_t k = 0; k < moving; k++) {
        a1[k] = from_new * ud1[k] + from_old * ud0[k] + from_a * a0[k];
        jerk[k] = (ud1[k] - ud0[k]) * per_step;
    }
    for (int64_t k = 0; k < table->bodies; k++) {
        il_attitude_normalize(1, next->p + 7 * k + 3);
    }
    *next->meant = s->h;
    il_redundant_tell(m, x_new);
    memcpy(next->x, x_new, (size_t)state_length(table) * sizeof *x_new);
    keep_inputs(c, next);
    *next->known = 1.0;
}

/* What the equations read lies in the history that Newton's method writes. */
static void look_at(const il_redundant *table, const il_alpha_history *h, il_redundant_point *p)
{
    p->twist = h->u;
    p->accel = h->ud;
    p->z = h->u + 6 * table->bodies + table->free_count;
    p->zd = h->ud + 6 * table->bodies + table->free_count;
    p->lam = h->lam;
    p->mu = h->mu;
}

/* One step from the state of `now`; x and x_new may be the same. */
static int step(il_context *c, double t, double t_new, double h, const double *x, double *x_new)
{
    il_redundant_memory *m = c->redundant;
    const il_redundant *table = m->table;
    const il_alpha_rule s = il_alpha_rule_of(table->radius, h);
    const il_alpha_history next = parts_of(table, m->history[1]);
    il_alpha_history now = parts_of(table, m->history[0]);
    il_redundant_point *p = &m->point;
    const il_redundant_point own = *p;

    const il_alpha_change changed = changed_inputs(c, t, &now);
    if (c->inputs && il_follow(c->inputs, t_new) != IL_OK) {
        return IL_DIVERGED;
    }
    look_at(table, &next, p);
    p->pre = c->pre;
    p->tau = c->tau;
    p->u = c->u;
    p->t = t_new;
    p->scales[0] = 1.0 / s.per_motion;
    p->scales[1] = s.per_speed / s.per_motion;
    p->scales[2] = 1.0 / s.per_speed;
    p->scales[3] = table->epsilon;
    shift(table, &s, &now);
    predict(m, &s, &now, &next);
    if (changed.efforts || changed.inputs) {
        const size_t size = (size_t)il_redundant_moving(table) * sizeof *now.ud;
        now.ud = memcpy(m->jumped[0], now.ud, size);
        now.a = memcpy(m->jumped[1], now.a, size);
    }
    const int status = il_alpha_newton(c, x, &s, &now, &next, changed);
    if (status == IL_OK) {
        finish(c, &s, &now, &next, x_new);
    }
    *p = own;
    return status;
}

/* The step that led to `next` was taken. */
static void go_on(il_redundant_memory *m)
{
    double *const before = m->history[0];
    m->history[0] = m->history[1];
    m->history[1] = before;
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
        if (step(c, t + done * h, t_end, (end - done) * h, x_new, x_new) == IL_OK) {
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

int il_alpha_advance(void *context, double t, double h, double t_new, const double *x, double *x_new,
                     int whole)
{
    il_context *c = context;
    il_redundant_memory *m = c->redundant;
    const il_redundant *table = m->table;

    if (same(table, m->history[1], x)) {
        go_on(m);
    }
    const il_alpha_history now = parts_of(table, m->history[0]);
    if (!same(table, m->history[0], x)) {
        const int status = begin(c, t, x, &now);
        if (status != IL_OK) {
            return status;
        }
        if (h < SHORT && il_alpha_rest(c, t_new, h, now.x, now.ud + 6 * table->bodies, x_new)) {
            il_alpha_forget(m);
            return IL_OK;
        }
    }
    *m->history[1] = 0.0;
    const int status = step(c, t, t_new, h, now.x, x_new);
    if (status != IL_DIVERGED || whole) {
        return status;
    }
    const int divided = divide(c, t, h, t_new, now.x, x_new);
    if (divided != IL_OK) {
        il_alpha_forget(m); /* what was before the step is gone */
    }
    return divided;
}
