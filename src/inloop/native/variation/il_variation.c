/* Explicit steps of a run and, with the same weights, of its derivatives: a step is a linear
   combination of slopes, and so is its derivative. Implicit steps: il_collocation.c. */
#include "il_variation.h"

#include <math.h>

#include "il_attitude.h"
#include "il_vectors.h"

/* Normalize quaternions, and remove from their directions the component along them. */
static void normalize(const il_varied_run *p, int64_t step)
{
    const int64_t lanes = p->lanes;
    for (int64_t k = 0; k < p->attitudes; k++) {
        const int64_t first = p->size - IL_QUATERNION * (p->attitudes - k);
        double *e = p->x + first, *de = p->dx + first * lanes;
        double square = 0.0;
        for (int i = 0; i < IL_QUATERNION; i++) {
            square += e[i] * e[i];
        }
        const double length = sqrt(square);
        if (p->lengths) p->lengths[step * p->attitudes + k] = length;
        for (int64_t lane = 0; lane < lanes; lane++) {
            double along = 0.0;
            for (int i = 0; i < IL_QUATERNION; i++) {
                along += e[i] * de[i * lanes + lane];
            }
            for (int i = 0; i < IL_QUATERNION; i++) {
                double *d = &de[i * lanes + lane];
                *d = (*d - e[i] * along / square) / length;
            }
        }
        for (int i = 0; i < IL_QUATERNION; i++) {
            e[i] /= length;
        }
    }
}

static void keep_stage(const il_varied_run *p, int64_t number, const double *x)
{
    if (p->stage_x == NULL) return;
    il_copy(p->stage_x + number * p->size, x, p->size);
    il_copy(p->stage_dep + number * p->dependent, p->dep, p->dependent);
}

static int runge_kutta(const il_varied_run *p, int64_t step, double t, const double *u)
{
    const il_tableau *method = &p->tableau;
    const int64_t stages = method->stages, wide = p->size * p->lanes;
    /* slopes of all stages, derivatives first: they must be aligned */
    double *dk = p->memory, *dx = dk + stages * wide;
    double *k = dx + wide, *x = k + stages * p->size;
    for (int64_t i = 0; i < stages; i++) {
        const double *a = method->a + i * stages;
        il_copy(x, p->x, p->size);
        il_copy(dx, p->dx, wide);
        for (int64_t j = 0; j < i; j++) {
            if (a[j] == 0.0) continue;
            il_add_scaled(p->size, x, p->h * a[j], k + j * p->size);
            il_add_scaled(wide, dx, p->h * a[j], dk + j * wide);
        }
        const int status = p->slopes(p->self, t + method->c[i] * p->h, u + i * p->u_stage, x,
                                     p->dep, dx, k + i * p->size, dk + i * wide);
        if (status != IL_OK) return status;
        keep_stage(p, step * stages + i, x);
    }
    for (int64_t i = 0; i < stages; i++) {
        if (method->b[i] == 0.0) continue;
        il_add_scaled(p->size, p->x, p->h * method->b[i], k + i * p->size);
        il_add_scaled(wide, p->dx, p->h * method->b[i], dk + i * wide);
    }
    return IL_OK;
}

/* velocities and states first, then positions with the new velocities */
static int symplectic_euler(const il_varied_run *p, int64_t step, double t, const double *u)
{
    const int64_t n = p->coordinates, rest = p->size - n, lanes = p->lanes;
    double *dk = p->memory, *k = dk + p->size * lanes;
    const int status = p->slopes(p->self, t, u, p->x, p->dep, p->dx, k, dk);
    if (status != IL_OK) return status;
    keep_stage(p, step, p->x);
    il_add_scaled(rest, p->x + n, p->h, k + n);
    il_add_scaled(rest * lanes, p->dx + n * lanes, p->h, dk + n * lanes);
    il_add_scaled(n, p->x, p->h, p->x + n);
    il_add_scaled(n * lanes, p->dx, p->h, p->dx + n * lanes);
    return IL_OK;
}

static void keep(const il_varied_run *p, int64_t row)
{
    const int64_t wide = p->size * p->lanes;
    il_copy(p->kept_x + row * p->size, p->x, p->size);
    il_copy(p->kept_dep + row * p->dependent, p->dep, p->dependent);
    il_copy(p->kept_dx + row * wide, p->dx, wide);
}

IL_EXPORT int il_vary(il_varied_run *p)
{
    const il_variation *given = p->self;
    il_variation own = *given;
    const int64_t steps = p->steps;
    if (p->tau) {
        own.tau = p->tau;
        p->self = &own;
    }
    keep(p, 0);
    int status = p->corners && steps ? il_corners_begin(p) : IL_OK;
    for (int64_t k = 0; status == IL_OK && k < steps; k++) {
        const double t = p->t + (double)k * p->h, *u = p->u + k * p->u_step;
        if (p->tau) own.tau = p->tau + k * p->tau_step;
        if (p->corners) il_corners_before(p);
        status = p->implicit         ? il_collocate(p, k, t, u)
                 : p->tableau.stages ? runge_kutta(p, k, t, u)
                                     : symplectic_euler(p, k, t, u);
        if (status == IL_OK) {
            normalize(p, k);
            if (p->corners) status = il_corners_after(p, t, u);
        }
        if (status != IL_OK) {
            p->steps = k;
        } else if ((k + 1) % p->stride == 0) {
            keep(p, (k + 1) / p->stride);
        }
    }
    p->self = given;
    return status;
}

IL_EXPORT int il_observe_rows(const il_observed_rows *r)
{
    const int64_t wide = r->size * r->lanes, results = r->results * r->lanes;
    il_variation own = *r->self;
    for (int64_t k = 0; k < r->rows; k++) {
        if (r->tau) own.tau = r->tau + k * r->tau_row;
        const int status = r->observe(&own, r->t[k], r->u + k * r->u_row, r->x + k * r->size,
                                      r->dep + k * r->dependent, r->dx + k * wide,
                                      r->y + k * r->results, r->dy + k * results);
        if (status != IL_OK) return status;
    }
    return IL_OK;
}
