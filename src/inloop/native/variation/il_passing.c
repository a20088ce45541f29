/* Kinks within a step: where expressions of force laws change their sign between its two ends. The
   step is interpolated by a cubic through its ends with the rates there. A kink is where the
   expression passes zero on it, found by bisection; stages are on the side of their own states. */
#include <math.h>
#include <string.h>

#include "il_variation.h"

static const double LOCATED = 1e-11; /* relative to the step: accuracy of the location of a kink */
/* relative to the step: distance of its two sides, which rounding must not swap */
static const double BESIDE = 1e-8;

static const double *inputs_at(const il_passing *p, double c)
{
    int64_t stage = 0;
    for (int64_t i = 0; i < p->method->stages; i++) {
        if (p->method->c[i] <= c) stage = i;
    }
    return p->u + stage * p->u_stage;
}

int il_passing_look(const il_passing *p, double c, const double *x, double *values)
{
    const il_corners *corners = p->corners;
    memcpy(corners->dep, p->dep, (size_t)p->dependent * sizeof *p->dep);
    return corners->look(p->self, p->t + c * p->h, inputs_at(p, c), x, corners->dep, NULL, values,
                         NULL);
}

static int rates_at(const il_passing *p, double c, const double *x, double *k)
{
    const il_corners *corners = p->corners;
    memcpy(corners->dep, p->dep, (size_t)p->dependent * sizeof *p->dep);
    return corners->rates(p->self, p->t + c * p->h, inputs_at(p, c), x, corners->dep, corners->dx, k,
                          corners->dk);
}

/* Hermite's polynomial */
static void state_at(const il_passing *p, double c, double *x)
{
    const double *k = p->corners->k, *later = k + p->size;
    const double w = c * c * (3.0 - 2.0 * c), d = c * (1.0 - c) * p->h;
    for (int64_t i = 0; i < p->size; i++) {
        x[i] = p->x[i] + w * (p->after[i] - p->x[i]) + d * ((1.0 - c) * k[i] - c * later[i]);
    }
}

static int same_side(double a, double b)
{
    return (a > 0.0) == (b > 0.0);
}

int il_passing_any(const il_passing *p)
{
    const il_corners *corners = p->corners;
    const double *before = corners->values, *after = before + corners->count;
    int passed = 0;
    for (int64_t k = 0; k < corners->count; k++) {
        corners->pending[k] = before[k] != 0.0 && !same_side(before[k], after[k]);
        passed |= corners->pending[k] != 0;
    }
    return passed;
}

int il_passing_begin(const il_passing *p)
{
    double *k = p->corners->k;
    const int status = rates_at(p, 0.0, p->x, k);
    return status == IL_OK ? rates_at(p, 1.0, p->after, k + p->size) : status;
}

/* Weights of the stages that are still on the initial side. */
static int weight_before(const il_passing *p, int64_t number, double *weight)
{
    const il_corners *corners = p->corners;
    const il_tableau *method = p->method;
    double *values = corners->values + 2 * corners->count;
    *weight = 0.0;
    for (int64_t i = 0; i < method->stages; i++) {
        const int status = il_passing_look(p, method->c[i], p->stages + i * p->size, values);
        if (status != IL_OK) return status;
        if (same_side(values[number], corners->values[number])) *weight += method->b[i];
    }
    return IL_OK;
}

/* The two sides of a kink: fractions of the step, states, and values of all kinks. */
static int enclose(const il_passing *p, int64_t number, double *c)
{
    const il_corners *corners = p->corners;
    double *sides = corners->x + p->size, *values = corners->values + 2 * corners->count;
    double from = 0.0, to = 1.0;
    while (to - from > LOCATED) {
        const double middle = 0.5 * (from + to);
        state_at(p, middle, sides);
        const int status = il_passing_look(p, middle, sides, values);
        if (status != IL_OK) return status;
        if (same_side(values[number], corners->values[number])) {
            from = middle;
        } else {
            to = middle;
        }
    }
    *c = 0.5 * (from + to);
    from = fmax(0.0, *c - BESIDE);
    to = fmin(1.0, *c + BESIDE);
    state_at(p, from, sides);
    state_at(p, to, sides + p->size);
    const int status = il_passing_look(p, from, sides, values);
    if (status != IL_OK) return status;
    return il_passing_look(p, to, sides + p->size, values + corners->count);
}

int il_passing_next(const il_passing *p, il_corner *found)
{
    const il_corners *corners = p->corners;
    const double *begin = corners->values;
    const double *before = begin + 2 * corners->count, *after = before + corners->count;
    int64_t number = 0;
    double c = 0.0, weight = 0.0;

    while (number < corners->count && !corners->pending[number]) number++;
    found->number = number < corners->count ? number : -1;
    if (found->number < 0) return IL_OK;
    int status = enclose(p, number, &c);
    if (status != IL_OK) return status;
    /* other sign changes here belong to the same kink */
    corners->pending[number] = 0;
    for (int64_t k = 0; k < corners->count; k++) {
        if (same_side(begin[k], before[k]) && !same_side(begin[k], after[k])) {
            corners->pending[k] = 0;
        }
    }
    status = weight_before(p, number, &weight);
    found->t = p->t + c * p->h;
    found->u = inputs_at(p, c);
    /* symplectic Euler has errors of that order everywhere, and positions half a step ahead */
    found->part = p->method->stages ? c - weight : 0.0;
    return status;
}
