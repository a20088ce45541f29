/* Symplectic Euler for the coordinates, explicit Euler for the first-order states. */
#include "il_dense.h"

static int64_t stage_size(int64_t n, int64_t m)
{
    (void)n;
    (void)m;
    return 0;
}

static int attempt(il_stepper *stepper, const il_span *span)
{
    const int64_t n = stepper->system.n;
    const double *x = span->x;
    double *x_new = stepper->x_new;

    const int status = il_first_slope(stepper, span);
    if (status != IL_OK) {
        return status;
    }
    /* velocities first: q moves with the new ones, which keeps the energy bounded */
    il_move_by(stepper->size - n, x_new + n, x + n, span->h, stepper->slope + n);
    il_move_by(n, x_new, x, span->h, x_new + n);
    return IL_OK;
}

const il_method il_method_euler = {0, stage_size, attempt, il_dense_cubic, NULL};
