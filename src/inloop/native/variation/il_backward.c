/* Explicit Runge-Kutta steps in reverse mode: adjoints of the state after a step become those of
   the state before it.

       of slope i:  h (b[i] after + sum over later stages j of a[j][i] (weights of stage j))
       of stage i:  those of its slope times df/dx
       before:      after + sum over all stages of their weights */
#include <string.h>

#include "il_attitude.h"
#include "il_variation.h"
#include "il_vectors.h"

static int stage_back(const il_backward_run *r, int64_t number, double t, const double *u,
                      const double *of_slope, double *of_stage)
{
    double *y = r->memory + (r->tableau.stages + 2) * r->size;
    const int status = r->pull(r->self, t, u, r->stage_x + number * r->size,
                               r->stage_dep + number * r->dependent, of_slope, y);
    if (status != IL_OK) return status;
    memcpy(of_stage, y, (size_t)r->size * sizeof *y);
    il_add_scaled(r->varied, r->owed, 1.0, y + r->size);
    return IL_OK;
}

static int runge_kutta_back(const il_backward_run *r, int64_t step, double t, const double *u)
{
    const il_tableau *m = &r->tableau;
    const int64_t s = m->stages;
    double *of_stage = r->memory, *of_slope = r->memory + s * r->size;
    for (int64_t i = s - 1; i >= 0; i--) {
        memset(of_slope, 0, (size_t)r->size * sizeof *of_slope);
        il_add_scaled(r->size, of_slope, r->h * m->b[i], r->weights);
        for (int64_t j = i + 1; j < s; j++) {
            const double a = m->a[j * s + i];
            if (a != 0.0) il_add_scaled(r->size, of_slope, r->h * a, of_stage + j * r->size);
        }
        const int status = stage_back(r, step * s + i, t + m->c[i] * r->h, u + i * r->u_stage,
                                      of_slope, of_stage + i * r->size);
        if (status != IL_OK) return status;
    }
    for (int64_t i = 0; i < s; i++) {
        il_add_scaled(r->size, r->weights, 1.0, of_stage + i * r->size);
    }
    return IL_OK;
}

static int symplectic_euler_back(const il_backward_run *r, int64_t step, double t, const double *u)
{
    const int64_t n = r->coordinates;
    double *of_stage = r->memory + r->size, *of_slope = r->memory;
    /* q = q + h v: the new velocities count twice */
    il_add_scaled(n, r->weights + n, r->h, r->weights);
    memset(of_slope, 0, (size_t)r->size * sizeof *of_slope);
    il_add_scaled(r->size - n, of_slope + n, r->h, r->weights + n);
    const int status = stage_back(r, step, t, u, of_slope, of_stage);
    if (status != IL_OK) return status;
    il_add_scaled(r->size, r->weights, 1.0, of_stage);
    return IL_OK;
}

/* Adjoint of the normalization e / |e|: the component along e is removed. */
static void normalize_back(const il_backward_run *r, int64_t step)
{
    for (int64_t k = 0; k < r->attitudes; k++) {
        const int64_t first = r->size - IL_QUATERNION * (r->attitudes - k);
        const double *e = r->x + (step + 1) * r->size + first;
        const double length = r->lengths[step * r->attitudes + k];
        double *w = r->weights + first, along = 0.0;
        for (int i = 0; i < IL_QUATERNION; i++) {
            along += e[i] * w[i];
        }
        for (int i = 0; i < IL_QUATERNION; i++) {
            w[i] = (w[i] - e[i] * along) / length;
        }
    }
}

static int step_back(const il_backward_run *r, int64_t k)
{
    const double t = r->t + (double)k * r->h, *u = r->u + k * r->u_step;
    normalize_back(r, k);
    return r->implicit         ? il_collocate_back(r, k, t, u)
           : r->tableau.stages ? runge_kutta_back(r, k, t, u)
                               : symplectic_euler_back(r, k, t, u);
}

IL_EXPORT int il_go_back(const il_backward_run *r)
{
    double *later = r->memory + (r->tableau.stages + 3) * r->size + r->varied;
    /* in implicit steps, weights of the equation of the last stage */
    const double *last = r->implicit ? r->implicit->step + (r->tableau.stages - 1) * r->size : NULL;
    int status = r->corners && r->steps ? il_corners_back_begin(r) : IL_OK;
    for (int64_t k = r->steps - 1; status == IL_OK && k >= 0; k--) {
        il_add_scaled(r->size, r->weights, 1.0, r->added + (k + 1) * r->size);
        memcpy(later, r->weights, (size_t)r->size * sizeof *later);
        status = step_back(r, k);
        if (status == IL_OK && r->corners) status = il_corners_back(r, k, last ? last : later);
    }
    return status;
}

IL_EXPORT int il_pull_rows(const il_pulled_rows *p)
{
    for (int64_t k = 0; k < p->rows; k++) {
        const int status = p->pull(p->self, p->t[k], p->u + k * p->u_row, p->x + k * p->size,
                                   p->dep + k * p->dependent, p->w + k * p->signals,
                                   p->y + k * p->results);
        if (status != IL_OK) return status;
    }
    return IL_OK;
}
