/* A Rosenbrock method of order 2 with two stages, for fixed steps through stiff force laws:

     (I - g W) k = f(t, x) + g df/dt,                                     g = gamma h
     (I - g W) y = w f(t + g, x + g k) - k + (w - 1) g df/dt,             w = 1 / (2 gamma)
     x_new = x + h ((2 - w) k + y)

   It is a W-method: its order is 2 for any matrix W, because the order conditions do not involve W
   (Steihaug & Wolfbrandt 1979, doi:10.1090/S0025-5718-1979-0521273-8; Hairer & Wanner, Solving
   Ordinary Differential Equations II (1996), IV.7: with b2 = w, alpha_21 = gamma, gamma_21 =
   -gamma/w; df/dt may also be omitted where it is not stiff). So W need only contain what is stiff,
   the force laws, and mechanisms factorize nothing larger than their mass matrix. With the complete
   Jacobian gamma = 1 - 1/sqrt 2 makes it L-stable (the stability function is that of ROS2: Verwer,
   Spee, Blom & Hundsdorfer 1999, doi:10.1137/S1064827597326651). Why this member of the family with
   b2 alpha_21 = 1/2: the second evaluation of the laws, at x + g k, is a linearly implicit Euler
   step, in which stiff deviations have decayed. ROS2 with the same gamma evaluates at -2.4 times,
   the midpoint at -0.7 times the deviation: on the opposite side of a friction law, from where both
   diverge. Order 3 with any W takes four stages (three leave gamma^2/4 = gamma^2/6; Rang &
   Angermann 2005, doi:10.1007/s10543-005-0035-y). */
#include "il_dense.h"
#include "il_differences.h"
#include "il_shifted.h"

static const double gamma_ = 0.29289321881345248; /* 1 - 1/sqrt 2 */
static const double weight = 1.70710678118654752; /* 1 / (2 gamma) */

/* layout of `stages` */
typedef struct parts {
    double *k, *y, *x_stage;
    double *work; /* two rows; this and the following for systems without `predict` */
    double *dfdt;
    double *J;    /* size x size */
    double *W;    /* (n + m) x (n + m) */
} parts;

static int64_t stage_size(int64_t n, int64_t m)
{
    const int64_t size = 2 * n + m;
    return 6 * size + size * size + (n + m) * (n + m);
}

static parts split(const il_stepper *stepper)
{
    const int64_t size = stepper->size;
    double *k = stepper->stages;
    double *J = k + 6 * size;
    return (parts){k, k + size, k + 2 * size, k + 3 * size, k + 5 * size, J, J + size * size};
}

/* k, with the complete df/dx as W: (I - g J)^-1 r = (I / g - J)^-1 r / g */
static int predict_by_jacobian(il_stepper *stepper, const il_span *span, double g, const parts *p)
{
    int status = il_first_slope(stepper, span);
    if (status == IL_OK) {
        status = il_find_jacobian(stepper, span, p->J, p->dfdt, p->work);
    }
    if (status == IL_OK) {
        status = il_shifted_factor(stepper, g, p->J, p->W);
    }
    if (status != IL_OK) {
        return status;
    }
    for (int64_t i = 0; i < stepper->size; i++) {
        p->k[i] = stepper->slope[i] / g + p->dfdt[i];
    }
    il_shifted_solve(stepper, g, p->J, p->W, p->k);
    return IL_OK;
}

static int predict(il_stepper *stepper, const il_span *span, double g, const parts *p)
{
    const il_system *system = &stepper->system;

    if (system->predict == NULL) {
        return predict_by_jacobian(stepper, span, g, p);
    }
    stepper->evaluations++;
    return system->predict(system->context, span->t, span->x, g, p->k);
}

static int correct(il_stepper *stepper, double t, double g, const parts *p)
{
    const il_system *system = &stepper->system;

    if (system->correct) {
        stepper->evaluations++;
        return system->correct(system->context, t, p->x_stage, g, weight, p->k, p->y);
    }
    const int status = il_evaluate(stepper, t, p->x_stage, p->y);
    for (int64_t i = 0; i < stepper->size; i++) {
        p->y[i] = (weight * p->y[i] - p->k[i]) / g + (weight - 1.0) * p->dfdt[i];
    }
    il_shifted_solve(stepper, g, p->J, p->W, p->y);
    return status;
}

static int attempt(il_stepper *stepper, const il_span *span)
{
    const int64_t size = stepper->size;
    const double h = span->h;
    const double g = gamma_ * h;
    const parts p = split(stepper);

    int status = predict(stepper, span, g, &p);
    if (status == IL_OK) {
        il_move_by(size, p.x_stage, span->x, g, p.k);
        status = correct(stepper, span->t + g, g, &p);
    }
    if (status != IL_OK) {
        return status;
    }
    for (int64_t i = 0; i < size; i++) {
        stepper->x_new[i] = span->x[i] + h * ((2.0 - weight) * p.k[i] + p.y[i]);
    }
    return IL_OK;
}

/* q by the cubic with the velocities at both ends, qd by its derivative, z by the cubic with its
   rates. Accelerations are not used: for stiff laws they are noise. */
static int interpolate(il_stepper *stepper, const il_span *span)
{
    const int64_t size = stepper->size;
    const int64_t n = stepper->system.n;
    const double *x = span->x, *x_new = stepper->x_new;
    double *r2 = stepper->dense + 2 * size, *r3 = r2 + size;

    if (stepper->system.m > 0) {
        int status = il_first_slope(stepper, span);
        if (status == IL_OK) {
            status = il_dense_cubic(stepper, span);
        }
        if (status != IL_OK) {
            return status;
        }
    } else {
        il_dense_line(stepper, span);
    }
    for (int64_t i = 0; i < n; i++) {
        const double change = x_new[i] - x[i];
        r2[i] = span->h * x[n + i] - change;
        r3[i] = change - span->h * x_new[n + i] - r2[i];
        r2[n + i] = 6.0 * change / span->h - 3.0 * (x[n + i] + x_new[n + i]);
        r3[n + i] = 0.0;
    }
    return IL_OK;
}

const il_method il_method_implicit = {0, stage_size, attempt, interpolate, NULL};
