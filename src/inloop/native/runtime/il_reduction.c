/* Close the loops by Newton's method, then compute the motion; see il_reduction.h. */
#include "il_reduction.h"

#include <math.h>
#include <string.h>

#include "il_scalar.h"
#include "il_status.h"

static void gather(double *to, const double *from, const int32_t *index, int32_t count)
{
    for (int32_t k = 0; k < count; k++) to[k] = from[index[k]];
}

/* positions and velocities of driven joints */
static int drive(il_context *c, double t)
{
    const il_reduction *r = c->reduction;
    const il_terms_at *at = &r->at;
    const int32_t nd = r->choice.nd, *driven = r->choice.order + r->choice.m + r->choice.nu;
    double *motions = r->effort; /* three for each; free until the efforts are computed */
    if (!c->drives) {
        for (int32_t k = 0; k < nd; k++) {
            at->q[driven[k]] = c->q[driven[k]];
            at->qd[driven[k]] = c->qd[driven[k]];
            at->qdd[driven[k]] = c->qdd[driven[k]];
        }
        return IL_OK;
    }
    c->drives(c->drives_self, t, c->u, at->z, motions);
    for (int32_t k = 0; k < nd; k++) {
        const double all[3] = {motions[k], motions[nd + k], motions[2 * nd + k]};
        if (!il_all_finite(all, 3)) {
            c->bad_drive = k;
            c->bad_t = t;
            return IL_DIVERGED;
        }
        at->q[driven[k]] = all[0];
        at->qd[driven[k]] = all[1];
        at->qdd[driven[k]] = all[2];
    }
    return IL_OK;
}

/* J_v step = -h */
static void find_step(const il_reduction *r, double *pivots)
{
    const il_pattern *p = &r->pattern;
    r->mechanism.terms->closing(&r->at);
    gather(r->Jv, r->at.J, p->Jv_from, p->closed.Jv.given);
    gather(r->h, r->at.h, r->choice.rows, r->choice.m);
    il_closed_newton(&p->closed, &r->work, r->Jv, r->h, r->step, pivots);
}

/* which row is bad? */
static int opened(il_context *c)
{
    const il_reduction *r = c->reduction;
    for (c->bad_row = 0; c->bad_row < r->choice.m - 1; c->bad_row++) {
        const double pivot = r->pivots[c->bad_row] * c->guard[c->bad_row];
        if (!(pivot >= 0.0 && pivot <= 1.0)) break;
        if (!(fabs(r->step[c->bad_row]) * c->per_unit[c->bad_row] <= c->tolerance)) break;
    }
    return IL_LOOP_OPEN;
}

/* find the dependent coordinates by Newton's method */
static int closed(il_context *c)
{
    const il_reduction *r = c->reduction;
    const il_terms *terms = r->mechanism.terms;
    const int32_t m = r->choice.m, *dependent = r->choice.order;
    for (int64_t k = 0; k < c->most_iterations; k++) {
        double largest = 0.0;
        int good = 1;
        find_step(r, r->pivots);
        for (int32_t i = 0; i < m; i++) {
            const double size = fabs(r->step[i]) * c->per_unit[i];
            const double pivot = r->pivots[i] * c->guard[i];
            largest = size > largest ? size : largest;
            /* a pivot that changed its sign was zero on the way; NaN never passes */
            good &= (pivot >= 0.0) & (pivot <= 1.0) & (size <= c->farthest);
        }
        if (!good) break;
        for (int32_t i = 0; i < m; i++) {
            r->at.q[dependent[i]] += r->step[i];
            r->dq[dependent[i]] = r->step[i];
        }
        il_attitude_turn(terms->attitudes, terms->turned, r->dq, r->at.q + terms->n);
        if (largest <= IL_SMALL_TURN) {
            terms->turn(&r->at, r->dq);
        } else {
            terms->sines(&r->at);
        }
        /* convergence is quadratic: the remaining error is far below the tolerance */
        if (largest <= c->tolerance) return IL_OK;
    }
    return opened(c);
}

/* all positions and known velocities of the state x, loops closed */
static int placed(il_context *c, double t, const double *x)
{
    il_reduction *r = c->reduction;
    il_terms_at *at = &r->at;
    const int32_t m = r->choice.m, nu = r->choice.nu;
    const int32_t *dependent = r->choice.order, *independent = r->choice.order + m;
    const il_terms *terms = r->mechanism.terms;
    const double *estimate = x + 2 * nu + terms->states;
    const size_t attitudes = IL_QUATERNION * (size_t)terms->attitudes * sizeof *x;
    if (c->inputs && il_follow(c->inputs, t) != IL_OK) return IL_DIVERGED;
    at->t = t;
    at->u = c->u;
    at->z = x + 2 * nu;
    for (int32_t k = 0; k < nu; k++) {
        at->q[independent[k]] = x[k];
        at->qd[independent[k]] = x[nu + k];
    }
    for (int32_t k = 0; k < m; k++) {
        at->q[dependent[k]] = estimate[k];
        at->qd[dependent[k]] = 0.0;
    }
    memcpy(at->q + terms->n, estimate + m, attitudes);
    if (r->choice.nd) {
        const int status = drive(c, t);
        if (status != IL_OK) return status;
    }
    terms->sines(at);
    return m ? closed(c) : IL_OK;
}

/* close the loops, then all velocities, accelerations, multipliers, efforts and rates of laws */
static int moving(il_context *c, double t, const double *x, double *zd)
{
    il_reduction *r = c->reduction;
    il_terms_at *at = &r->at;
    const il_terms *terms = r->mechanism.terms;
    const il_pattern *p = &r->pattern;
    const int32_t m = r->choice.m, *rows = r->choice.rows;
    const int status = placed(c, t, x);
    if (status != IL_OK) return status;
    terms->closing(at);
    gather(r->Jv, at->J, p->Jv_from, p->closed.Jv.given);
    gather(r->Jk, at->J, p->Jk_from, p->closed.Jk.begin[m]);
    gather(r->nu, at->nu, rows, m);
    il_closed_velocities(&p->closed, &r->work, r->Jv, r->Jk, r->nu, at->qd, at->qd);
    terms->motion(at);
    gather(r->gamma, at->gamma, rows, m);
    il_closed_motion(&p->closed, &r->work, r->Jk, at->M, r->gamma, at->c, c->tau, at->qdd, at->qdd,
                     r->lam, r->effort);
    if (terms->rates) {
        for (int32_t i = 0; i < m; i++) at->lam[rows[i]] = r->lam[i];
        at->zd = zd;
        terms->rates(at);
    }
    return IL_OK;
}

/* quaternions rotate with their bodies; those constrained by loops are pulled to closure */
static void turn_attitudes(const il_context *c, const il_reduction *r, const double *p, double *pd)
{
    const il_terms *terms = r->mechanism.terms;
    const double *closed = r->at.q + terms->n;
    il_attitude_rates(terms->attitudes, terms->turned, closed, r->at.qd, pd);
    for (int32_t k = 0; k < IL_QUATERNION * terms->attitudes; k++) {
        pd[k] += c->pull * (closed[k] - p[k]);
    }
}

int il_reduction_rates(void *context, double t, const double *x, double *xd)
{
    il_context *c = context;
    const il_reduction *r = c->reduction;
    const int32_t m = r->choice.m, nu = r->choice.nu, estimates = 2 * nu + r->mechanism.terms->states;
    const int32_t *dependent = r->choice.order, *independent = r->choice.order + m;
    const int status = moving(c, t, x, xd + 2 * nu);
    if (status != IL_OK) return status;
    for (int32_t k = 0; k < nu; k++) {
        xd[k] = x[nu + k];
        xd[nu + k] = r->at.qdd[independent[k]];
    }
    /* estimates of dependent coordinates follow their rates, and are pulled to closure */
    for (int32_t k = 0; k < m; k++) {
        const double gap = r->at.q[dependent[k]] - x[estimates + k];
        xd[estimates + k] = r->at.qd[dependent[k]] + c->pull * gap;
    }
    turn_attitudes(c, r, x + estimates + m, xd + estimates + m);
    return IL_OK;
}

int il_reduction_settle(void *context, double t, const double *x)
{
    il_context *c = context;
    const il_reduction *r = c->reduction;
    const size_t size = (size_t)r->mechanism.terms->n * sizeof(double);
    /* accelerations are known of driven joints only */
    memset(r->at.qdd, 0, size);
    const int status = placed(c, t, x);
    if (status != IL_OK) return status;
    memcpy(c->at_q, r->at.q, (size_t)il_terms_positions(r->mechanism.terms) * sizeof(double));
    memcpy(c->at_qd, r->at.qd, size);
    memcpy(c->at_qdd, r->at.qdd, size);
    return IL_OK;
}

int64_t il_reduction_expand(void *context, int64_t count, const double *t, const double *x,
                            double *q, double *qd, double *qdd, double *lam, double *effort)
{
    const il_context *c = context;
    const il_reduction *r = c->reduction;
    const il_terms *terms = r->mechanism.terms;
    const int64_t n = terms->n, m = r->choice.m, nd = r->choice.nd;
    const int64_t positions = il_terms_positions(terms);
    const int64_t size = 2 * r->choice.nu + terms->states + m + positions - n;
    for (int64_t row = 0; row < count; row++) {
        if (moving(context, t[row], x + row * size, r->zd) != IL_OK) return row;
        memcpy(q + row * positions, r->at.q, (size_t)positions * sizeof *q);
        il_attitude_normalize(terms->attitudes, q + row * positions + n);
        memcpy(qd + row * n, r->at.qd, (size_t)n * sizeof *qd);
        memcpy(qdd + row * n, r->at.qdd, (size_t)n * sizeof *qdd);
        memcpy(lam + row * m, r->lam, (size_t)m * sizeof *lam);
        memcpy(effort + row * nd, r->effort, (size_t)nd * sizeof *effort);
    }
    return count;
}

/* at rest at a position, without velocities or states */
static void stand(const il_context *c, double t, const double *q)
{
    il_reduction *r = c->reduction;
    memcpy(r->at.q, q, (size_t)il_terms_positions(r->mechanism.terms) * sizeof *q);
    r->at.t = t;
    r->at.u = c->u;
    r->at.z = r->zeros;
    r->mechanism.terms->sines(&r->at);
}

void il_reduction_pivots(void *context, double t, const double *q, double *pivots)
{
    const il_context *c = context;
    stand(c, t, q);
    find_step(c->reduction, pivots);
}

int il_reduction_choose(void *context, double t, const double *q)
{
    const il_context *c = context;
    il_reduction *r = c->reduction;
    const il_mechanism *mechanism = &r->mechanism;
    const il_rows *J = &mechanism->terms->J;
    const int32_t n = mechanism->terms->n;
    stand(c, t, q);
    mechanism->terms->closing(&r->at);
    /* in units of coordinates and rows */
    memset(r->J, 0, (size_t)J->count * (size_t)n * sizeof *r->J);
    for (int32_t i = 0; i < J->count; i++) {
        for (int32_t e = J->begin[i]; e < J->begin[i + 1]; e++) {
            const int32_t j = J->column[e];
            r->J[i * n + j] = r->at.J[e] * mechanism->coordinate_sizes[j] / mechanism->row_sizes[i];
        }
    }
    r->next.nd = mechanism->terms->nd;
    const int found = il_choose(J->count, n, r->J, mechanism->roles, (int32_t)mechanism->rank,
                                r->elimination, &r->next);
    if (!found) return IL_LOOP_OPEN;
    il_reduction_take(r, r->next.m, r->next.order, r->next.rows);
    return IL_OK;
}

void il_reduction_take(il_reduction *r, int64_t m, const int32_t *order, const int32_t *rows)
{
    const il_terms *terms = r->mechanism.terms;
    const size_t n = (size_t)terms->n;
    r->choice.m = (int32_t)m;
    r->choice.nd = terms->nd;
    r->choice.nu = terms->n - terms->nd - (int32_t)m;
    memcpy(r->choice.order, order, (n - (size_t)terms->nd) * sizeof *order);
    memcpy(r->choice.rows, rows, (size_t)m * sizeof *rows);
    il_pattern_fill(terms, &r->choice, &r->pattern);
    /* rows not in use carry nothing, and other coordinates are not corrected */
    memset(r->at.lam, 0, (size_t)terms->J.count * sizeof(double));
    memset(r->dq, 0, n * sizeof(double));
}
