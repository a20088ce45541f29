/* The polynomial over one step; see il_dense.h. */
#include "il_dense.h"

void il_dense_line(il_stepper *stepper, const il_span *span)
{
    const int64_t size = stepper->size;
    double *r = stepper->dense;

    for (int64_t i = 0; i < size; i++) {
        r[i] = span->x[i];
        r[size + i] = stepper->x_new[i] - span->x[i];
    }
    memset(r + 2 * size, 0, (size_t)(3 * size) * sizeof *r);
}

void il_dense_hermite(il_stepper *stepper, const il_span *span)
{
    const int64_t size = stepper->size;
    double *r2 = stepper->dense + 2 * size;
    double *r3 = stepper->dense + 3 * size;

    il_dense_line(stepper, span);
    for (int64_t i = 0; i < size; i++) {
        const double change = stepper->x_new[i] - span->x[i];
        r2[i] = span->h * stepper->slope[i] - change;
        r3[i] = change - span->h * stepper->slope_new[i] - r2[i];
    }
}

int il_dense_cubic(il_stepper *stepper, const il_span *span)
{
    const int status = il_evaluate(stepper, span->t_new, stepper->x_new, stepper->slope_new);
    if (status != IL_OK) {
        return status;
    }
    stepper->slope_new_known = 1;
    il_dense_hermite(stepper, span);
    return IL_OK;
}

int il_dense_reach(il_stepper *stepper, const il_span *span, double s, double *x)
{
    const int64_t size = stepper->size;
    const il_span part = {span->t, s * span->h, span->t + s * span->h, span->x};
    double *const kept = stepper->dense + 2 * size; /* rows not used by a straight line */

    memcpy(kept, stepper->x_new, (size_t)size * sizeof *kept);
    const int status = stepper->method->attempt(stepper, &part);
    memcpy(x, stepper->x_new, (size_t)size * sizeof *x);
    memcpy(stepper->x_new, kept, (size_t)size * sizeof *kept);
    memset(kept, 0, (size_t)size * sizeof *kept);
    il_normalize(&stepper->system, x);
    return status;
}

void il_dense_at(const il_stepper *stepper, double s, double *x)
{
    const int64_t size = stepper->size;
    const double *r = stepper->dense;
    const double rest = 1.0 - s;

    for (int64_t i = 0; i < size; i++) {
        const double inner = r[3 * size + i] + rest * r[4 * size + i];
        x[i] = r[i] + s * (r[size + i] + rest * (r[2 * size + i] + s * inner));
    }
}
