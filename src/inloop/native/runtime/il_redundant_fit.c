/* Positions and velocities that fit the constraints; see il_redundant.h.
 *
 * Both are projections by the masses: of all motions that the constraints allow, the one that takes
 * the least of them,
 *
 *   | M  Gᵀ | | d   |   | 0     |
 *   | G  -ε | | lam | = | right |
 *
 * with right = -h for positions, again until the rows are closed, and right = -(1 + e) v for
 * velocities that run into the constraints with v and leave them with -e v. The matrix is that of
 * accelerations at a state: no coordinates are chosen.
 */
#include <math.h>
#include <string.h>

#include "il_attitude.h"
#include "il_finite.h"
#include "il_redundant.h"
#include "il_rotation.h"
#include "il_status.h"

enum { MOST = 20 };      /* corrections of positions */
#define CLOSED 1e-6      /* of what is open: not worth a correction */
#define LONGEST 0.5      /* of a unit: more is not taken at once */
#define FARTHEST 1.0     /* unit: what closes no nearer is another position, not this one put right */

static double *rows_of(const il_redundant_memory *m, double *r)
{
    return r + m->table->lu->n - m->table->rows;
}

/* The bodies where their joints put them, and what is left of the equations there. */
static void place(il_redundant_memory *m)
{
    m->table->place(&m->point, m->point.pose, m->point.twist);
    m->table->residual(&m->point, m->r, m->effort);
}

/* The gap of the worst row, in parts of what counts as open. */
static double worst_gap(const il_redundant_memory *m, int64_t *row)
{
    const double *h = rows_of(m, m->r);
    double worst = 0.0;
    for (int64_t k = 0; k < m->table->rows; k++) {
        const double gap = m->table->on_velocities[k] ? 0.0 : fabs(h[k]) / m->table->open[k];
        if (!(gap <= worst)) {
            worst = gap;
            *row = k;
        }
    }
    return worst;
}

/* No motion but that of the constraints: the right side, its part of the rows returned. */
static double *still(il_redundant_memory *m)
{
    memset(m->b, 0, (size_t)m->table->lu->n * sizeof *m->b);
    return rows_of(m, m->b);
}

/* Follow the solution with the joints, not too far at once; how far, in units. */
static double follow(il_redundant_memory *m)
{
    const il_redundant *table = m->table;
    const il_redundant_point *p = &m->point;
    const double *y = m->y + 6 * table->bodies;
    double most = 0.0;
    for (int64_t k = 0; k < table->free_count; k++) {
        most = fmax(most, fabs(y[k]) / table->units[k]);
    }
    const double part = most > LONGEST ? LONGEST / most : 1.0;
    for (int64_t k = 0; k < table->free_count; k++) {
        p->q[table->free[k]] += part * y[k];
    }
    for (int64_t k = 0; k < table->attitudes; k++) {
        const double *turn = y + table->turned[k];
        const double by[3] = {part * turn[0], part * turn[1], part * turn[2]};
        double *e = p->q + table->n + IL_QUATERNION * k;
        const double from[IL_QUATERNION] = {e[0], e[1], e[2], e[3]};
        il_turn_by(from, by, e);
    }
    return part * most;
}

int il_redundant_close(il_context *c, int *moved)
{
    il_redundant_memory *m = c->redundant;
    int64_t row = 0;

    *moved = 0;
    place(m);
    double gap = worst_gap(m, &row), way = 0.0;
    for (int k = 0; k < MOST && gap > CLOSED && way <= FARTHEST; k++) {
        double *right = still(m);
        const double *h = rows_of(m, m->r);
        for (int64_t i = 0; i < m->table->rows; i++) {
            right[i] = m->table->on_velocities[i] ? 0.0 : -h[i];
        }
        m->table->matrix(&m->point, m->A);
        if (il_redundant_solve(m, 0) != IL_OK) {
            break;
        }
        way += follow(m);
        *moved = 1;
        place(m);
        const double before = gap;
        gap = worst_gap(m, &row);
        if (gap <= 1.0 && gap > 0.5 * before) {
            break; /* rounding, or a singular position */
        }
    }
    c->bad_row = row;
    return gap <= 1.0 && way <= FARTHEST ? IL_OK : IL_LOOP_OPEN;
}

int il_redundant_fit_speeds(il_redundant_memory *m, const double *e)
{
    const il_redundant *table = m->table;
    const il_redundant_point *p = &m->point;
    if (table->rows == 0) {
        return IL_OK;
    }
    double *right = still(m);
    table->speeds(p, right);
    for (int64_t k = 0; k < table->rows; k++) {
        right[k] *= -(1.0 + (e ? e[table->used[k]] : 0.0));
    }
    table->matrix(p, m->A);
    const int status = il_redundant_solve(m, 0);
    for (int64_t k = 0; status == IL_OK && k < table->free_count; k++) {
        p->qd[table->free[k]] += m->y[6 * table->bodies + k];
    }
    return status;
}

int il_redundant_grip(il_context *c, const il_view *before, double *qd)
{
    il_redundant_memory *m = c->redundant;
    const il_redundant *table = m->table;
    const il_redundant_point *p = &m->point;

    il_redundant_begin(c, before->t);
    memcpy(p->q, before->q, (size_t)(table->n + IL_QUATERNION * table->attitudes) * sizeof *qd);
    memcpy(p->qd, before->qd, (size_t)table->n * sizeof *qd);
    memset(p->qdd, 0, (size_t)table->n * sizeof *qd);
    memcpy(p->z, before->z, (size_t)table->states * sizeof *qd);
    place(m);
    const int status = il_redundant_fit_speeds(m, before->e);
    if (status == IL_OK) {
        memcpy(qd, p->qd, (size_t)table->n * sizeof *qd);
    }
    return status;
}
