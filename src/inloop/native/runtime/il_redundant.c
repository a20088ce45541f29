/* Accelerations and forces at a state, bodies taken by themselves; see il_redundant.h.
 *
 *   | M  Gᵀ | | u̇   |   | f     |
 *   | G  -ε | | lam | = | -Ġ u  |
 *
 * ε keeps the matrix regular at singular positions. What it changes is taken back by solving again
 * with the multipliers found so far (augmented Lagrangian): what is left is of the order of ε³.
 */
#include "il_redundant.h"

#include <math.h>
#include <string.h>

#include "il_attitude.h"
#include "il_finite.h"
#include "il_status.h"

enum { SOLUTIONS = 3 };
#define TOLERANCE 1e-14 /* of the backward error of a linear solution: near singular positions all digits count */

static double *numbers(il_arena *from, int64_t count)
{
    return il_take(from, count, sizeof(double), 16);
}

il_redundant_memory *il_redundant_lay_out(il_arena *from, const il_redundant *table)
{
    il_redundant_memory made = {.table = table};
    il_redundant_memory *const at = il_take(from, 1, sizeof made, 64);
    il_redundant_point *const p = &made.point;
    const int64_t n = table->n, bodies = table->bodies, size = table->lu->n;
    made.history[0] = numbers(from, il_alpha_numbers(table));
    made.history[1] = numbers(from, il_alpha_numbers(table));
    p->q = numbers(from, n + IL_QUATERNION * table->attitudes);
    p->qd = numbers(from, n);
    p->qdd = numbers(from, n);
    p->pose = numbers(from, IL_POSE * bodies);
    p->twist = numbers(from, IL_TWIST * bodies);
    p->accel = numbers(from, IL_TWIST * bodies);
    p->lam = numbers(from, 6 * bodies);
    p->mu = numbers(from, table->rows);
    p->z = numbers(from, table->states);
    p->zd = numbers(from, table->states);
    made.moved = numbers(from, il_redundant_moving(table));
    made.before = numbers(from, table->inputs);
    made.jumped[0] = numbers(from, il_redundant_moving(table));
    made.jumped[1] = numbers(from, il_redundant_moving(table));
    made.r = numbers(from, size);
    made.b = numbers(from, size);
    made.y = numbers(from, size);
    made.A = numbers(from, table->lu->given);
    made.effort = numbers(from, table->driven_count);
    made.drives = numbers(from, 3 * table->driven_count);
    void *const bytes = il_take(from, il_sparse_lu_bytes(table->lu), 1, 64);
    if (at) {
        il_sparse_lu_prepare(table->lu, TOLERANCE, bytes, &made.lu);
        *at = made;
    }
    return at;
}

int il_redundant_drive(il_context *c, double t)
{
    const il_redundant_memory *m = c->redundant;
    const il_redundant *table = m->table;
    const il_redundant_point *p = &m->point;
    const int64_t count = table->driven_count;

    if (count > 0 && c->drives) {
        c->drives(c->drives_self, t, c->u, p->z, m->drives);
    }
    for (int64_t k = 0; k < count; k++) {
        const int64_t joint = table->driven[k];
        p->q[joint] = c->drives ? m->drives[k] : c->q[joint];
        p->qd[joint] = c->drives ? m->drives[count + k] : c->qd[joint];
        p->qdd[joint] = c->drives ? m->drives[2 * count + k] : c->qdd[joint];
        const double all[3] = {p->q[joint], p->qd[joint], p->qdd[joint]};
        if (!il_all_finite(all, 3)) {
            c->bad_drive = k;
            c->bad_t = t;
            return IL_DIVERGED;
        }
    }
    return IL_OK;
}

void il_redundant_begin(il_context *c, double t)
{
    il_redundant_memory *m = c->redundant;
    const il_redundant *table = m->table;
    il_redundant_point *p = &m->point;
    p->pre = c->pre;
    p->tau = c->tau;
    p->u = c->u;
    p->t = t;
    memset(p->zd, 0, (size_t)table->states * sizeof *p->zd);
    memset(p->accel, 0, (size_t)(IL_TWIST * table->bodies) * sizeof *p->accel);
    memset(p->lam, 0, (size_t)(6 * table->bodies) * sizeof *p->lam);
    memset(p->mu, 0, (size_t)table->rows * sizeof *p->mu);
    memset(p->scales, 0, sizeof p->scales);
    p->scales[3] = table->epsilon;
}

int il_redundant_put(il_context *c, double t, const double *x)
{
    il_redundant_memory *m = c->redundant;
    const il_redundant *table = m->table;
    il_redundant_point *p = &m->point;
    const int64_t nu = table->free_count;

    if (c->inputs && il_follow(c->inputs, t) != IL_OK) {
        return IL_DIVERGED;
    }
    il_redundant_begin(c, t);
    for (int64_t k = 0; k < nu; k++) {
        p->q[table->free[k]] = x[k];
        p->qd[table->free[k]] = x[nu + k];
        p->qdd[table->free[k]] = 0.0;
    }
    for (int64_t k = 0; k < table->states; k++) {
        p->z[k] = x[2 * nu + k];
    }
    for (int64_t k = 0; k < IL_QUATERNION * table->attitudes; k++) {
        p->q[table->n + k] = x[2 * nu + table->states + k];
    }
    return il_redundant_drive(c, t);
}

void il_redundant_tell(const il_redundant_memory *m, double *x)
{
    const il_redundant *table = m->table;
    const il_redundant_point *p = &m->point;
    const int64_t nu = table->free_count;

    for (int64_t k = 0; k < nu; k++) {
        x[k] = p->q[table->free[k]];
        x[nu + k] = p->qd[table->free[k]];
    }
    memcpy(x + 2 * nu, p->z, (size_t)table->states * sizeof *x);
    memcpy(x + 2 * nu + table->states, p->q + table->n,
           (size_t)(IL_QUATERNION * table->attitudes) * sizeof *x);
}

int il_redundant_solve(il_redundant_memory *m, int again)
{
    const il_redundant *table = m->table;
    const int64_t first = table->lu->n - table->rows;
    int status = again ? il_sparse_lu_solve(table->lu, m->b, 0, &m->lu, m->y)
                       : il_sparse_lu_solve_with(table->lu, m->A, m->b, &m->lu, m->y);
    m->answering = 0;
    for (int k = 1; k < SOLUTIONS && table->rows > 0 && status == IL_SPARSE_LU_OK; k++) {
        memcpy(m->r, m->b, (size_t)table->lu->n * sizeof *m->r);
        for (int64_t i = 0; i < table->rows; i++) {
            m->r[first + i] -= table->epsilon * m->y[first + i];
        }
        status = il_sparse_lu_solve(table->lu, m->r, 0, &m->lu, m->y);
    }
    return status == IL_SPARSE_LU_OK || status == IL_SPARSE_LU_INEXACT ? IL_OK : IL_LOOP_OPEN;
}

/* The solution into the point. */
static void take(il_redundant_memory *m)
{
    const il_redundant *table = m->table;
    il_redundant_point *p = &m->point;
    const double *y = m->y;

    for (int64_t k = 0; k < table->bodies; k++, y += 6) {
        const double *R = p->pose + IL_POSE * k + 3;
        double *accel = p->accel + IL_TWIST * k;
        for (int i = 0; i < 3; i++) {
            accel[i] = R[3 * i] * y[0] + R[3 * i + 1] * y[1] + R[3 * i + 2] * y[2];
            accel[3 + i] = y[3 + i];
        }
    }
    for (int64_t k = 0; k < table->free_count; k++) {
        p->qdd[table->free[k]] = *y++;
    }
    y += table->states;
    memcpy(p->lam, y, (size_t)(6 * table->bodies) * sizeof *y);
    memcpy(p->mu, y + 6 * table->bodies, (size_t)table->rows * sizeof *y);
}

int il_redundant_accelerate(il_context *c, double t, const double *x, int fit)
{
    il_redundant_memory *m = c->redundant;
    const il_redundant *table = m->table;
    il_redundant_point *p = &m->point;
    const int64_t moving = il_redundant_moving(table), size = table->lu->n;

    int status = il_redundant_put(c, t, x);
    if (status != IL_OK) {
        return status;
    }
    int moved;
    status = il_redundant_close(c, &moved);
    if (status == IL_OK && table->rows > 0 && (moved || fit)) {
        status = il_redundant_fit_speeds(m, NULL);
        table->place(p, p->pose, p->twist);
        table->residual(p, m->r, m->effort);
    }
    if (status != IL_OK) {
        return status;
    }
    table->gaps(p, m->r + moving);
    for (int64_t k = 0; k < size; k++) {
        m->b[k] = -m->r[k];
    }
    table->matrix(p, m->A);
    status = il_redundant_solve(m, 0);
    if (status != IL_OK) {
        return status;
    }
    take(m);
    /* rates of states may depend on the forces in any way */
    table->residual(p, m->r, m->effort);
    for (int64_t k = 0; k < table->states; k++) {
        p->zd[k] = -m->r[moving - table->states + k];
    }
    return il_all_finite(m->y, size) ? IL_OK : IL_DIVERGED;
}

int il_redundant_rates(void *context, double t, const double *x, double *xd)
{
    il_context *c = context;
    const il_redundant *table = c->redundant->table;
    const il_redundant_point *p = &c->redundant->point;
    const int64_t nu = table->free_count;
    double *const pd = xd + 2 * nu + table->states;

    const int status = il_redundant_accelerate(c, t, x, 0);
    if (status != IL_OK) {
        return status;
    }
    for (int64_t k = 0; k < nu; k++) {
        xd[k] = x[nu + k];
        xd[nu + k] = p->qdd[table->free[k]];
    }
    memcpy(xd + 2 * nu, p->zd, (size_t)table->states * sizeof *xd);
    il_attitude_rates(table->attitudes, table->turned, p->q + table->n, x + nu, pd);
    return IL_OK;
}

/* Not 0: some rows restrict velocities alone, and nothing closes them but velocities that fit. */
static int rolls(const il_redundant *table)
{
    for (int64_t k = 0; k < table->rows; k++) {
        if (table->on_velocities[k]) {
            return 1;
        }
    }
    return 0;
}

int64_t il_redundant_expand(void *context, int64_t count, const double *t, const double *x, double *q,
                            double *qd, double *qdd, double *lam, double *effort)
{
    il_context *c = context;
    const il_redundant *table = c->redundant->table;
    const il_redundant_point *p = &c->redundant->point;
    const int64_t positions = table->n + IL_QUATERNION * table->attitudes, n = table->n;
    const int64_t length = 2 * table->free_count + table->states + IL_QUATERNION * table->attitudes;

    const int fit = rolls(table);

    for (int64_t row = 0; row < count; row++) {
        if (il_redundant_accelerate(c, t[row], x + row * length, fit) != IL_OK) {
            return row;
        }
        memcpy(q + row * positions, p->q, (size_t)positions * sizeof *q);
        il_attitude_normalize(table->attitudes, q + row * positions + n);
        memcpy(qd + row * n, p->qd, (size_t)n * sizeof *qd);
        memcpy(qdd + row * n, p->qdd, (size_t)n * sizeof *qdd);
        memcpy(lam + row * table->rows, p->mu, (size_t)table->rows * sizeof *lam);
        for (int64_t k = 0; k < table->driven_count; k++) {
            effort[row * table->driven_count + k] = c->redundant->effort[k];
        }
    }
    return count;
}
