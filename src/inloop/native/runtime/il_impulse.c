/* The velocities that are left when constraints grip, for any choice; see il_reduction.h.
 *
 *   M (qd - qd⁻) = J^T Lam,   J qd + nu = -e (J qd⁻ + nu)
 *
 * In d = qd - qd⁻ these are the equations of motion without forces: M d = J^T Lam and
 * J d + (1 + e) (J qd⁻ + nu) = 0, where driven joints keep their velocities.
 */
#include <string.h>

#include "il_reduction.h"

static void gather(double *to, const double *from, const int32_t *index, int32_t count)
{
    for (int32_t k = 0; k < count; k++) to[k] = from[index[k]];
}

/* the velocity with which a row is met, J qd⁻ + nu */
static double approach(const il_terms_at *at, const il_rows *J, int32_t row)
{
    double sum = at->nu[row];
    for (int32_t p = J->begin[row]; p < J->begin[row + 1]; p++) {
        sum += at->J[p] * at->qd[J->column[p]];
    }
    return sum;
}

void il_reduction_grip(void *context, const il_view *before, double *qd)
{
    const il_context *c = context;
    il_reduction *r = c->reduction;
    il_terms_at *at = &r->at;
    const il_terms *terms = r->mechanism.terms;
    const il_pattern *p = &r->pattern;
    const size_t size = (size_t)terms->n * sizeof *qd;
    memcpy(at->q, before->q, (size_t)il_terms_positions(terms) * sizeof *qd);
    memcpy(at->qd, before->qd, size);
    at->t = before->t;
    at->u = before->u;
    at->z = before->z;
    terms->sines(at);
    terms->closing(at);
    terms->motion(at);
    gather(r->Jv, at->J, p->Jv_from, p->closed.Jv.given);
    gather(r->Jk, at->J, p->Jk_from, p->closed.Jk.begin[r->choice.m]);
    for (int32_t i = 0; i < r->choice.m; i++) {
        const int32_t row = r->choice.rows[i];
        r->gamma[i] = (1.0 + before->e[row]) * approach(at, &terms->J, row);
    }
    il_sparse_factor(&p->closed.Jv, r->Jv, r->work.Jv, r->work.reciprocals, r->work.row);
    /* no forces but the impulses, and no change of what is driven */
    memset(at->c, 0, size);
    memset(at->qdd, 0, size);
    il_closed_motion(&p->closed, &r->work, r->Jk, at->M, r->gamma, at->c, at->c, at->qdd, at->qdd,
                     r->lam, r->effort);
    for (int32_t k = 0; k < terms->n; k++) {
        qd[k] = before->qd[k] + at->qdd[k];
    }
}
