/* The classical Runge-Kutta method, order 4. */
#include "il_dense.h"

static int64_t stage_size(int64_t n, int64_t m)
{
    return 2 * (2 * n + m);
}

static int attempt(il_stepper *stepper, const il_span *span)
{
    /* fraction of h at which stages 2 to 4 are evaluated, and their weights */
    static const double reach[3] = {0.5, 0.5, 1.0};
    static const double weight[3] = {1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
    const int64_t size = stepper->size;
    const double h = span->h;
    double *x_stage = stepper->stages;
    double *k_stage = stepper->stages + size;
    const double *k = stepper->slope;

    int status = il_first_slope(stepper, span);
    if (status != IL_OK) {
        return status;
    }
    il_move_by(size, stepper->x_new, span->x, h / 6.0, k);
    for (int stage = 0; stage < 3; stage++) {
        /* each stage starts from the old state, along the slope of the previous one */
        il_move_by(size, x_stage, span->x, reach[stage] * h, k);
        status = il_evaluate(stepper, span->t + reach[stage] * h, x_stage, k_stage);
        if (status != IL_OK) {
            return status;
        }
        k = k_stage;
        il_move_by(size, stepper->x_new, stepper->x_new, weight[stage] * h, k);
    }
    return IL_OK;
}

const il_method il_method_rk4 = {0, stage_size, attempt, il_dense_cubic, NULL};
