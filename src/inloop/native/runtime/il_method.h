/* Interface of a method to the stepper, and shared helpers. Internal. */
#ifndef IL_METHOD_H
#define IL_METHOD_H

#include <string.h>

#include "il_finite.h"
#include "il_stepper.h"

/* The trial step. t_new is t + h up to rounding: the clock decides. */
typedef struct il_span {
    double t, h, t_new;
    const double *x;
} il_span;

typedef struct il_method {
    /* order of the error estimate in h; 0: none */
    int error_power;
    /* length of `stages` [doubles] */
    int64_t (*stage_size)(int64_t n, int64_t m);
    /* computes x_new, and error if there is an estimate; slope_new if it is free */
    int (*attempt)(il_stepper *stepper, const il_span *span);
    /* fills the rows of `dense`, after a successful attempt */
    int (*interpolate)(il_stepper *stepper, const il_span *span);
    /* x at the fraction s of the step for methods without a polynomial; NULL: il_dense_at */
    int (*reach)(il_stepper *stepper, const il_span *span, double s, double *x);
} il_method;

extern const il_method il_method_euler, il_method_rk4, il_method_dopri, il_method_rodas,
    il_method_implicit, il_method_moreau, il_method_alpha, il_method_event_driven;

/* xd = f(t, x), counted */
static inline int il_evaluate(il_stepper *stepper, double t, const double *x, double *xd)
{
    stepper->evaluations++;
    return stepper->system.rates(stepper->system.context, t, x, xd);
}

/* f at the start of the step, unless known from the end of the previous one */
static inline int il_first_slope(il_stepper *stepper, const il_span *span)
{
    if (stepper->slope_known) {
        return IL_OK;
    }
    const int status = il_evaluate(stepper, span->t, span->x, stepper->slope);
    stepper->slope_known = status == IL_OK;
    return status;
}

static inline void il_put_aside(const il_stepper *stepper)
{
    if (stepper->system.save) {
        stepper->system.save(stepper->system.context);
    }
}

static inline void il_take_back(const il_stepper *stepper)
{
    if (stepper->system.restore) {
        stepper->system.restore(stepper->system.context);
    }
}

/* y = x + h dx */
static inline void il_move_by(int64_t size, double *y, const double *x, double h, const double *dx)
{
    for (int64_t i = 0; i < size; i++) {
        y[i] = x[i] + h * dx[i];
    }
}

/* The reason why a state is not within its bounds. */
static inline int il_name_bound(const il_stepper *stepper, il_bounds *bounds)
{
    if (!il_all_finite(stepper->x_new, stepper->size)) {
        return IL_DIVERGED;
    }
    int64_t k = 0;
    while (k < stepper->size - 1 && il_all_within(&stepper->x_new[k], &bounds->most[k], 1)) {
        k++;
    }
    bounds->beyond = k;
    return IL_OUT_OF_BOUNDS;
}

/* Compute x_new and check it. */
static inline int il_try(il_stepper *stepper, const il_span *span)
{
    stepper->slope_new_known = 0;
    const int status = stepper->method->attempt(stepper, span);
    if (status != IL_OK) {
        return status;
    }
    il_normalize(&stepper->system, stepper->x_new);
    il_bounds *bounds = stepper->system.bounds;
    if (bounds == NULL) {
        return il_all_finite(stepper->x_new, stepper->size) ? IL_OK : IL_DIVERGED;
    }
    return il_all_within(stepper->x_new, bounds->most, stepper->size)
               ? IL_OK
               : il_name_bound(stepper, bounds);
}

/* Accept: x = x_new, and the slope at the end becomes that at the start. */
static inline void il_accept(il_stepper *stepper, double *x)
{
    double *slope = stepper->slope;

    memcpy(x, stepper->x_new, (size_t)stepper->size * sizeof *x);
    stepper->slope = stepper->slope_new;
    stepper->slope_new = slope;
    stepper->slope_known = stepper->slope_new_known;
    stepper->slope_new_known = 0;
    stepper->jacobian_known = 0;
}

#endif
