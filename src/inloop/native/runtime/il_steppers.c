/* Fixed-step integrators for x = (q, qd); see il_steppers.h. */
#include "il_steppers.h"

#include <stddef.h>
#include <string.h>

typedef int (*step_function)(const il_system *, double, double, double *, double *, double *);

/* By the bits of the exponent, so that no compiler flag can optimize it away. */
static int all_finite(const double *x, int64_t n)
{
    const uint64_t exponent = UINT64_C(0x7ff) << 52;
    int good = 1;
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        good &= (bits & exponent) != exponent;
    }
    return good;
}

/* Take over the new state, or keep the old one. */
static int commit(int64_t n, const double *q_new, const double *qd_new, double *q, double *qd)
{
    if (!all_finite(q_new, n) || !all_finite(qd_new, n)) {
        return IL_DIVERGED;
    }
    memcpy(q, q_new, (size_t)n * sizeof *q);
    memcpy(qd, qd_new, (size_t)n * sizeof *qd);
    return IL_OK;
}

/* y = x + h dx */
static void advance(int64_t n, double *y, const double *x, double h, const double *dx)
{
    for (int64_t i = 0; i < n; i++) {
        y[i] = x[i] + h * dx[i];
    }
}

int64_t il_work_size(int64_t method, int64_t n)
{
    switch (method) {
    case IL_EULER:
        return 3 * n;
    case IL_RK4:
        return 5 * n;
    default:
        return -1;
    }
}

int64_t il_sample_count(int64_t steps, int64_t stride)
{
    return 1 + steps / stride + (steps % stride != 0);
}

int il_step_euler(const il_system *system, double t, double h, double *q, double *qd, double *work)
{
    const int64_t n = system->n;
    double *qdd = work;
    double *q_new = work + n;
    double *qd_new = work + 2 * n;

    const int status = system->accelerations(system->context, t, q, qd, qdd);
    if (status != IL_OK) {
        return status;
    }
    /* velocities first: q moves with the new ones, which keeps the energy bounded */
    advance(n, qd_new, qd, h, qdd);
    advance(n, q_new, q, h, qd_new);
    return commit(n, q_new, qd_new, q, qd);
}

int il_step_rk4(const il_system *system, double t, double h, double *q, double *qd, double *work)
{
    /* part of h at which stages 2 to 4 are taken, and the weights of all four */
    static const double reach[4] = {0.5, 0.5, 1.0, 0.0};
    static const double weight[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
    const int64_t n = system->n;
    double *qdd = work;
    double *q_stage = work + n;
    double *qd_stage = work + 2 * n;
    double *q_new = work + 3 * n;
    double *qd_new = work + 4 * n;
    double t_stage = t;

    memcpy(q_stage, q, (size_t)n * sizeof *q);
    memcpy(qd_stage, qd, (size_t)n * sizeof *qd);
    memcpy(q_new, q, (size_t)n * sizeof *q);
    memcpy(qd_new, qd, (size_t)n * sizeof *qd);
    for (int stage = 0; stage < 4; stage++) {
        const int status = system->accelerations(system->context, t_stage, q_stage, qd_stage, qdd);
        if (status != IL_OK) {
            return status;
        }
        advance(n, q_new, q_new, h * weight[stage], qd_stage);
        advance(n, qd_new, qd_new, h * weight[stage], qdd);
        /* the next stage starts again from the old state; positions use the old slope first */
        t_stage = t + reach[stage] * h;
        advance(n, q_stage, q, reach[stage] * h, qd_stage);
        advance(n, qd_stage, qd, reach[stage] * h, qdd);
    }
    return commit(n, q_new, qd_new, q, qd);
}

static step_function stepper(int64_t method)
{
    switch (method) {
    case IL_EULER:
        return il_step_euler;
    case IL_RK4:
        return il_step_rk4;
    default:
        return NULL;
    }
}

static void sample(il_fixed_run *run)
{
    const size_t n = (size_t)run->system.n;
    const size_t row = (size_t)run->samples * n;
    run->t_samples[run->samples] = run->t0 + (double)run->steps_done * run->h;
    memcpy(run->q_samples + row, run->q, n * sizeof *run->q);
    memcpy(run->qd_samples + row, run->qd, n * sizeof *run->qd);
    run->samples++;
}

static int run_steps(il_fixed_run *run, step_function step)
{
    for (int64_t k = 0; k < run->steps; k++) {
        if (run->stop != NULL && *run->stop) {
            return IL_STOPPED;
        }
        /* from the count, not by adding h: no drift of the clock */
        const double t = run->t0 + (double)k * run->h;
        const int status = step(&run->system, t, run->h, run->q, run->qd, run->work);
        if (status != IL_OK) {
            return status;
        }
        run->steps_done = k + 1;
        if (run->steps_done % run->stride == 0) {
            sample(run);
        }
    }
    return IL_OK;
}

int il_run_fixed(il_fixed_run *run)
{
    const step_function step = stepper(run->method);

    run->steps_done = 0;
    run->samples = 0;
    if (step == NULL || run->system.n < 0 || run->steps < 0 || run->stride < 1) {
        return IL_BAD_ARGUMENT;
    }
    if (!all_finite(run->q, run->system.n) || !all_finite(run->qd, run->system.n)) {
        return IL_DIVERGED;
    }
    sample(run);
    const int status = run_steps(run, step);
    /* the last good state is always the last sample */
    if (run->steps_done % run->stride != 0) {
        sample(run);
    }
    return status;
}
