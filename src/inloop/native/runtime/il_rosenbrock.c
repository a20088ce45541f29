/* RODAS, a Rosenbrock method of order 4(3) with 6 stages: L-stable and stiffly accurate, with
   dense output of order 3. Hairer & Wanner, Solving Ordinary Differential Equations II (1996),
   IV.7 and VI.4, doi:10.1007/978-3-642-05221-7; coefficients as in their code RODAS, METH = 1.

   Stage i solves, with W = I / (h gamma) - J,
     W u_i = f(t + reach_i h, x + sum a_ij u_j) + sum (c_ij / h) u_j + h d_i dfdt. */
#include "il_dense.h"
#include "il_differences.h"
#include "il_shifted.h"

enum { STAGES = 6 };

static const double gamma_ = 0.25;
static const double reach[STAGES] = {0.0, 0.386, 0.21, 0.63, 1.0, 1.0};
static const double d[STAGES] = {0.25, -0.1043, 0.1035, -0.03620000000000023, 0.0, 0.0};
static const double a[STAGES][5] = {
    {0.0},
    {1.544},
    {0.9466785280815826, 0.2557011698983284},
    {3.314825187068521, 2.896124015972201, 0.9986419139977817},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1.0},
};
static const double c[STAGES][5] = {
    {0.0},
    {-5.6688},
    {-2.430093356833875, -0.2063599157091915},
    {-0.1073529058151375, -9.594562251023355, -20.47028614809616},
    {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160},
    {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136,
     -6.058818238834054},
};
static const double dense_weight[2][5] = {
    {10.12623508344586, -7.487995877610167, -34.80091861555747, -7.992771707568823,
     1.025137723295662},
    {-0.6762803392801253, 6.087714651680015, 16.43084320892478, 24.76722511418386,
     -6.594389125716872},
};

/* layout of `stages` */
typedef struct parts {
    double *u;       /* STAGES rows */
    double *x_stage; /* followed by one more row */
    double *dfdt;
    double *J;       /* size x size */
    double *W;       /* (n + m) x (n + m) */
} parts;

static int64_t stage_size(int64_t n, int64_t m)
{
    const int64_t size = 2 * n + m;
    return (STAGES + 3) * size + size * size + (n + m) * (n + m);
}

static parts split(const il_stepper *stepper)
{
    const int64_t size = stepper->size;
    double *u = stepper->stages;
    double *x_stage = u + STAGES * size;
    double *dfdt = x_stage + 2 * size;
    double *J = dfdt + size;
    return (parts){u, x_stage, dfdt, J, J + size * size};
}

/* y += factor * (sum of weight[j] u[j]) */
static void add_stages(int64_t size, double *y, double factor, const double *weight,
                       const double *u, int count)
{
    for (int j = 0; j < count; j++) {
        il_move_by(size, y, y, factor * weight[j], u + j * size);
    }
}

static int stage_solution(il_stepper *stepper, const il_span *span, const parts *p, int stage)
{
    const int64_t size = stepper->size;
    double *u = p->u + stage * size;

    if (stage == 0) {
        memcpy(u, stepper->slope, (size_t)size * sizeof *u);
    } else {
        memcpy(p->x_stage, span->x, (size_t)size * sizeof *u);
        add_stages(size, p->x_stage, 1.0, a[stage], p->u, stage);
        const double t_stage = span->t + reach[stage] * span->h;
        const int status = il_evaluate(stepper, t_stage, p->x_stage, u);
        if (status != IL_OK) {
            return status;
        }
    }
    add_stages(size, u, 1.0 / span->h, c[stage], p->u, stage);
    il_move_by(size, u, u, span->h * d[stage], p->dfdt);
    il_shifted_solve(stepper, span->h * gamma_, p->J, p->W, u);
    return IL_OK;
}

static int attempt(il_stepper *stepper, const il_span *span)
{
    const int64_t size = stepper->size;
    const parts p = split(stepper);

    int status = il_first_slope(stepper, span);
    /* a rejected step is retried from the same state, with the same Jacobian */
    if (status == IL_OK && !stepper->jacobian_known) {
        status = il_find_jacobian(stepper, span, p.J, p.dfdt, p.x_stage);
        stepper->jacobian_known = status == IL_OK;
    }
    if (status == IL_OK) {
        status = il_shifted_factor(stepper, span->h * gamma_, p.J, p.W);
    }
    for (int stage = 0; stage < STAGES && status == IL_OK; stage++) {
        status = stage_solution(stepper, span, &p, stage);
    }
    if (status != IL_OK) {
        return status;
    }
    /* the last stage is the error estimate, and is added to the last point to give the result */
    memcpy(stepper->error, p.u + (STAGES - 1) * size, (size_t)size * sizeof *p.u);
    il_move_by(size, stepper->x_new, p.x_stage, 1.0, stepper->error);
    return IL_OK;
}

static int interpolate(il_stepper *stepper, const il_span *span)
{
    const int64_t size = stepper->size;
    const double *u = split(stepper).u;

    il_dense_line(stepper, span);
    add_stages(size, stepper->dense + 2 * size, 1.0, dense_weight[0], u, STAGES - 1);
    add_stages(size, stepper->dense + 3 * size, 1.0, dense_weight[1], u, STAGES - 1);
    return IL_OK;
}

const il_method il_method_rodas = {4, stage_size, attempt, interpolate, NULL};
