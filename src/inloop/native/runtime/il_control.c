/* Error norm and step size; see il_control.h. */
#include "il_control.h"

#include <float.h>
#include <math.h>

static const double SAFETY = 0.9;
static const double LEAST = 0.2; /* limits of the step size ratio */
static const double MOST = 10.0;
static const double MEMORY = 0.04; /* weight of the previous error */

static double bounded(double factor)
{
    /* written so that NaN gives LEAST */
    return factor > LEAST ? (factor < MOST ? factor : MOST) : LEAST;
}

double il_error_norm(int64_t size, const double *v, const double *x, const double *y,
                     const double *rtol, const double *atol)
{
    double sum = 0.0;
    for (int64_t i = 0; i < size; i++) {
        const double x_i = fabs(x[i]), y_i = fabs(y[i]);
        /* DBL_MIN: 0 / 0 is a small error */
        const double scale = atol[i] + rtol[i] * (x_i > y_i ? x_i : y_i) + DBL_MIN;
        sum += v[i] / scale * (v[i] / scale);
    }
    return size > 0 ? sqrt(sum / (double)size) : 0.0;
}

double il_step_after_success(double h, double error, double error_before, int power)
{
    if (error <= 0.0) {
        return h * MOST;
    }
    const double integral = 1.0 / power - 0.75 * MEMORY;
    return h * bounded(SAFETY * pow(error, -integral) * pow(error_before, MEMORY));
}

double il_step_after_failure(double h, double error, int power)
{
    const double integral = 1.0 / power - 0.75 * MEMORY;
    return h * bounded(SAFETY * pow(error, -integral));
}
