/* Impulses of hard contacts on bodies with six coordinates each; see il_redundant.h and il_moreau.c.
 *
 * What contacts know are rows H of relative velocities in the coordinates of the joints, those of
 * loops all of them. An impulse r at the contacts changes velocities by
 *
 *   | M  Gᵀ | | Δu  |   | Hᵀ r |
 *   | G  -ε | | lam | = | 0    |
 *
 * with the matrix of accelerations at the state: joints and loops answer with impulses of their own,
 * and no coordinates are chosen. Steps of the method leave the constraints by its error, so that
 * positions and velocities are fitted at the end of each.
 */
#include <string.h>

#include "il_attitude.h"
#include "il_redundant.h"
#include "il_status.h"

/* The point at a state, positions closed. */
static int close_at(il_context *c, double t, const double *x, int *moved)
{
    const int status = il_redundant_put(c, t, x);
    return status == IL_OK ? il_redundant_close(c, moved) : status;
}

int il_redundant_settle(void *context, double t, const double *x)
{
    il_context *c = context;
    il_redundant_memory *m = c->redundant;
    const il_redundant *table = m->table;
    const il_redundant_point *p = &m->point;
    int moved;

    const int status = close_at(c, t, x, &moved);
    m->answering = 0;
    memcpy(c->at_q, p->q, (size_t)(table->n + IL_QUATERNION * table->attitudes) * sizeof *p->q);
    memcpy(c->at_qd, p->qd, (size_t)table->n * sizeof *p->qd);
    return status;
}

void il_redundant_respond(void *context, double g, const double *push, double *change)
{
    const il_context *c = context;
    il_redundant_memory *m = c->redundant;
    const il_redundant *table = m->table;
    const int64_t joints = 6 * table->bodies, nu = table->free_count;
    const int again = m->answering != 0;

    (void)g;
    memset(m->b, 0, (size_t)table->lu->n * sizeof *m->b);
    memcpy(m->b + joints, push, (size_t)nu * sizeof *push);
    if (!again) {
        table->matrix(&m->point, m->A);
    }
    if (il_redundant_solve(m, again) != IL_OK) {
        memset(m->y, 0, (size_t)table->lu->n * sizeof *m->y);
    } else {
        m->answering = 1;
    }
    memcpy(change, m->y + joints, (size_t)nu * sizeof *change);
    memset(change + nu, 0, (size_t)table->states * sizeof *change);
}

int il_redundant_fit(void *context, double t, double *x)
{
    il_context *c = context;
    int moved;

    int status = close_at(c, t, x, &moved);
    if (status == IL_OK) {
        status = il_redundant_fit_speeds(c->redundant, NULL);
    }
    if (status == IL_OK) {
        il_redundant_tell(c->redundant, x);
    }
    return status;
}
