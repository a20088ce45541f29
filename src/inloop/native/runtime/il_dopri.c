/* Dormand & Prince 5(4), doi:10.1016/0771-050X(80)90013-3, with local extrapolation and FSAL. Dense
   output of order 4: Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I (1993),
   II.6, as in their code DOPRI5. */
#include "il_dense.h"

enum { STAGES = 7 };

static const double reach[STAGES] = {0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0};

/* row 7 holds the weights of the result of order 5 */
static const double a[STAGES][6] = {
    {0.0},
    {1.0 / 5.0},
    {3.0 / 40.0, 9.0 / 40.0},
    {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0},
    {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0},
    {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0},
    {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0},
};

/* result of order 5 minus result of order 4 */
static const double error_weight[STAGES] = {
    71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339200.0, 22.0 / 525.0,
    -1.0 / 40.0,
};

/* of r4, the correction of the cubic over the step */
static const double dense_weight[STAGES] = {
    -12715105075.0 / 11282082432.0,  0.0, 87487479700.0 / 32700410799.0,
    -10690763975.0 / 1880347072.0,   701980252875.0 / 199316789632.0,
    -1453857185.0 / 822651844.0,     69997945.0 / 29380423.0,
};

static int64_t stage_size(int64_t n, int64_t m)
{
    return 6 * (2 * n + m);
}

/* k[0] to k[6]: the first and the last are the slopes at the ends of the step */
static void slopes(const il_stepper *stepper, double *k[STAGES])
{
    k[0] = stepper->slope;
    for (int stage = 1; stage < STAGES - 1; stage++) {
        k[stage] = stepper->stages + (stage - 1) * stepper->size;
    }
    k[STAGES - 1] = stepper->slope_new;
}

/* y += h sum of weight[j] k[j] */
static void add_slopes(int64_t size, double *y, double h, const double *weight, double *const *k,
                       int count)
{
    for (int j = 0; j < count; j++) {
        if (weight[j] != 0.0) {
            il_move_by(size, y, y, h * weight[j], k[j]);
        }
    }
}

static int attempt(il_stepper *stepper, const il_span *span)
{
    const int64_t size = stepper->size;
    double *k[STAGES];

    slopes(stepper, k);
    int status = il_first_slope(stepper, span);
    for (int stage = 1; stage < STAGES && status == IL_OK; stage++) {
        const int last = stage == STAGES - 1;
        double *x_stage = last ? stepper->x_new : stepper->stages + 5 * size;
        const double t_stage = last ? span->t_new : span->t + reach[stage] * span->h;
        il_move_by(size, x_stage, span->x, span->h * a[stage][0], k[0]);
        add_slopes(size, x_stage, span->h, a[stage] + 1, k + 1, stage - 1);
        if (last) {
            il_normalize(&stepper->system, x_stage);
        }
        status = il_evaluate(stepper, t_stage, x_stage, k[stage]);
    }
    if (status != IL_OK) {
        return status;
    }
    memset(stepper->error, 0, (size_t)size * sizeof *stepper->error);
    add_slopes(size, stepper->error, span->h, error_weight, k, STAGES);
    stepper->slope_new_known = 1;
    return IL_OK;
}

static int interpolate(il_stepper *stepper, const il_span *span)
{
    const int64_t size = stepper->size;
    double *k[STAGES];

    slopes(stepper, k);
    il_dense_hermite(stepper, span);
    add_slopes(size, stepper->dense + 4 * size, span->h, dense_weight, k, STAGES);
    return IL_OK;
}

const il_method il_method_dopri = {5, stage_size, attempt, interpolate, NULL};
