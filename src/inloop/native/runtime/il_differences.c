/* The Jacobian of a system; see il_differences.h. */
#include "il_differences.h"

#include <float.h>
#include <math.h>

#include "il_time_slope.h"

/* threshold of small values: relative to the unit of a component, and as a multiple of its
   tolerance */
static const double SMALL = 3e-3;
static const double TOLERANCES = 1e6;

/* A change of x that balances rounding and truncation errors, exact in binary. */
static double increment(double x, double small)
{
    const double size = fabs(x) > small ? fabs(x) : small;
    volatile double moved = x + sqrt(DBL_EPSILON) * size;
    return moved - x;
}

/* Magnitude below which a component counts as near 0. */
static double small_size(const il_stepper *stepper, int64_t j)
{
    const double small = stepper->system.sizes ? SMALL * stepper->system.sizes[j] : SMALL;
    const double tolerated = stepper->atol ? TOLERANCES * stepper->atol[j] : small;
    return tolerated > 0.0 && tolerated < small ? tolerated : small;
}

/* column j of J, rows n and below */
static int column(il_stepper *stepper, const il_span *span, int64_t j, double *J, double *work)
{
    const int64_t size = stepper->size;
    double *x = work;
    double *xd = work + size;
    const double delta = increment(x[j], small_size(stepper, j));

    x[j] += delta;
    const int status = il_evaluate(stepper, span->t, x, xd);
    x[j] = span->x[j];
    for (int64_t i = stepper->system.n; i < size && status == IL_OK; i++) {
        J[i * size + j] = (xd[i] - stepper->slope[i]) / delta;
    }
    return status;
}

static int time_derivative(il_stepper *stepper, const il_span *span, double *dfdt, double *before)
{
    const int64_t size = stepper->size;
    const double delta = il_time_increment(span->t, span->h);

    if (stepper->system.autonomous) {
        memset(dfdt, 0, (size_t)size * sizeof *dfdt);
        return IL_OK;
    }
    int status = il_evaluate(stepper, span->t + delta, span->x, dfdt);
    if (status == IL_OK) {
        status = il_evaluate(stepper, span->t - delta, span->x, before);
    }
    for (int64_t i = 0; i < size && status == IL_OK; i++) {
        dfdt[i] = il_time_slope(before[i], stepper->slope[i], dfdt[i], delta);
    }
    return status;
}

static int take_differences(il_stepper *stepper, const il_span *span, double *J, double *dfdt,
                            double *work)
{
    memcpy(work, span->x, (size_t)stepper->size * sizeof *work);
    int status = time_derivative(stepper, span, dfdt, work + stepper->size);
    for (int64_t j = 0; j < stepper->size && status == IL_OK; j++) {
        status = column(stepper, span, j, J, work);
    }
    return status;
}

int il_find_jacobian(il_stepper *stepper, const il_span *span, double *J, double *dfdt,
                     double *work)
{
    const il_system *system = &stepper->system;
    const int64_t known = system->n * stepper->size; /* numbers in the known rows (0, I, 0) */
    int status;

    stepper->jacobians++;
    if (system->jacobian) {
        status = system->jacobian(system->context, span->t, span->h, span->x, stepper->slope, J,
                                  dfdt);
    } else {
        status = take_differences(stepper, span, J, dfdt, work);
    }
    /* an infinite entry would lead to a finite but wrong state */
    if (status == IL_OK && !il_all_finite(J + known, stepper->size * stepper->size - known)) {
        return IL_DIVERGED;
    }
    return status;
}
