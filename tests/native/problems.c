/* Systems with known solutions, and a host that steps them the way a real-time loop does. */
#include <math.h>
#include <string.h>

#include "il_run.h"

/* theta'' = -c0 sin(theta); n = 1 */
IL_EXPORT int pendulum(void *context, double t, const double *x, double *xd)
{
    const double *c = context;
    (void)t;
    xd[0] = x[1];
    xd[1] = -c[0] * sin(x[0]);
    return IL_OK;
}

/* Known functions of time and their derivatives, made the solution of `coupled`. */
static void chosen(double t, double Q[4], double P[4], double Z[3])
{
    const double w = 1.3, v = 0.9, a = 0.4;
    Q[0] = 0.3 + sin(w * t), Q[1] = w * cos(w * t);
    Q[2] = -w * w * sin(w * t), Q[3] = -w * w * w * cos(w * t);
    P[0] = 0.7 * cos(v * t) - 0.2 * t, P[1] = -0.7 * v * sin(v * t) - 0.2;
    P[2] = -0.7 * v * v * cos(v * t), P[3] = 0.7 * v * v * v * sin(v * t);
    Z[0] = exp(-a * t) + 0.25, Z[1] = -a * exp(-a * t), Z[2] = a * a * exp(-a * t);
}

IL_EXPORT void coupled_solution(double t, double *x)
{
    double Q[4], P[4], Z[3];
    chosen(t, Q, P, Z);
    x[0] = Q[0], x[1] = P[0], x[2] = Q[1], x[3] = P[1], x[4] = Z[0];
}

/* Nonlinear, all states coupled, time in it; n = 2, m = 1; context = (t_nan, t_bad, bad status). */
IL_EXPORT int coupled(void *context, double t, const double *x, double *xd)
{
    const double q = x[0], p = x[1], qd = x[2], pd = x[3], z = x[4];
    const double *c = context;
    double Q[4], P[4], Z[3];
    chosen(t, Q, P, Z);
    if (c && t >= c[1]) return (int)c[2];
    xd[0] = qd;
    xd[1] = pd;
    xd[2] = Q[2] - (q * q * q - Q[0] * Q[0] * Q[0]) - 0.7 * (qd * z - Q[1] * Z[0])
            + 0.5 * (sin(p) - sin(P[0]));
    xd[3] = P[2] - 1.1 * (p * q - P[0] * Q[0]) - 0.4 * (pd * pd * pd - P[1] * P[1] * P[1]);
    xd[4] = Z[1] - 1.7 * (z * z - Z[0] * Z[0]) + 0.6 * (q * pd - Q[0] * P[1]);
    if (c && t >= c[0]) xd[3] = log(-1.0 - q * q);
    return IL_OK;
}

IL_EXPORT int coupled_jacobian(void *context, double t, double h, const double *x, const double *xd,
    double *J, double *dfdt)
{
    const double q = x[0], p = x[1], qd = x[2], pd = x[3], z = x[4];
    double Q[4], P[4], Z[3];
    (void)context, (void)h, (void)xd;
    chosen(t, Q, P, Z);
    /* the rows of q are left as they are: the stepper knows them */
    const double rows[3][5] = {
        {-3.0 * q * q, 0.5 * cos(p), -0.7 * z, 0.0, -0.7 * qd},
        {-1.1 * p, -1.1 * q, 0.0, -1.2 * pd * pd, 0.0},
        {0.6 * pd, 0.0, 0.0, 0.6 * q, -3.4 * z},
    };
    memcpy(J + 10, rows, sizeof rows);
    dfdt[0] = dfdt[1] = 0.0;
    dfdt[2] = Q[3] + 3.0 * Q[0] * Q[0] * Q[1] + 0.7 * (Q[2] * Z[0] + Q[1] * Z[1])
              - 0.5 * cos(P[0]) * P[1];
    dfdt[3] = P[3] + 1.1 * (P[1] * Q[0] + P[0] * Q[1]) + 1.2 * P[1] * P[1] * P[2];
    dfdt[4] = Z[2] + 3.4 * Z[0] * Z[1] - 0.6 * (Q[1] * P[1] + Q[0] * P[2]);
    return IL_OK;
}

/* wrong ones: half of it, and nothing */
IL_EXPORT int half_jacobian(void *context, double t, double h, const double *x, const double *xd,
    double *J, double *dfdt)
{
    const int status = coupled_jacobian(context, t, h, x, xd, J, dfdt);
    for (int k = 10; k < 25; k++) J[k] *= 0.5;
    return status;
}

IL_EXPORT int zero_jacobian(void *context, double t, double h, const double *x, const double *xd,
    double *J, double *dfdt)
{
    (void)context, (void)t, (void)h, (void)x, (void)xd, (void)dfdt;
    for (int k = 10; k < 25; k++) J[k] = 0.0;
    return IL_OK;
}

/* z' = A z, A = ((c0, -c1), (c1, c0)): one step gives the stability function at c0 + i c1; m = 2 */
IL_EXPORT int spiral(void *context, double t, const double *x, double *xd)
{
    const double *c = context;
    (void)t;
    xd[0] = c[0] * x[0] - c[1] * x[1];
    xd[1] = c[1] * x[0] + c[0] * x[1];
    return IL_OK;
}

/* q'' = -c0 q - c1 qd, so stiff a damper that q creeps; n = 1 */
IL_EXPORT int creep(void *context, double t, const double *x, double *xd)
{
    const double *c = context;
    (void)t;
    xd[0] = x[1];
    xd[1] = -c[0] * x[0] - c[1] * x[1];
    return IL_OK;
}

/* eps q'' = (1 - q^2) qd - q, context = (eps); n = 1 */
IL_EXPORT int van_der_pol(void *context, double t, const double *x, double *xd)
{
    const double eps = *(const double *)context;
    (void)t;
    xd[0] = x[1];
    xd[1] = ((1.0 - x[0] * x[0]) * x[1] - x[0]) / eps;
    return IL_OK;
}

IL_EXPORT int van_der_pol_jacobian(void *context, double t, double h, const double *x,
                                   const double *xd, double *J, double *dfdt)
{
    const double eps = *(const double *)context;
    (void)t, (void)h, (void)xd;
    J[2] = (-2.0 * x[0] * x[1] - 1.0) / eps;
    J[3] = (1.0 - x[0] * x[0]) / eps;
    dfdt[0] = dfdt[1] = 0.0;
    return IL_OK;
}

/* Robertson's chemical reaction; m = 3 */
IL_EXPORT int robertson(void *context, double t, const double *x, double *xd)
{
    (void)context;
    (void)t;
    xd[0] = -0.04 * x[0] + 1e4 * x[1] * x[2];
    xd[2] = 3e7 * x[1] * x[1];
    xd[1] = -xd[0] - xd[2];
    return IL_OK;
}

/* z' = -c0 (z - phi) + phi', phi = sin(t + 0.4); m = 1 */
IL_EXPORT int prothero_robinson(void *context, double t, const double *x, double *xd)
{
    const double lambda = *(const double *)context;
    xd[0] = -lambda * (x[0] - sin(t + 0.4)) + cos(t + 0.4);
    return IL_OK;
}

/* z' = z^2, infinite at t = 1 / z0; m = 1 */
IL_EXPORT int explosion(void *context, double t, const double *x, double *xd)
{
    (void)context;
    (void)t;
    xd[0] = x[0] * x[0];
    return IL_OK;
}

/* q'' = -w(q) qd^2 - q with w^3 + w = 2 q + 5 by Newton from the last w: every call leaves a trace.
   The loop is open beyond |q| = limit. n = 1 */
typedef struct warm {
    double w, kept, limit;
    double saves, restores;
} warm;

IL_EXPORT int warm_rates(void *context, double t, const double *x, double *xd)
{
    warm *c = context;
    (void)t;
    if (fabs(x[0]) > c->limit) return IL_LOOP_OPEN;
    for (int k = 0; k < 3; k++) {
        c->w -= (c->w * c->w * c->w + c->w - 2.0 * x[0] - 5.0) / (3.0 * c->w * c->w + 1.0);
    }
    xd[0] = x[1];
    xd[1] = -0.1 * c->w * x[1] * x[1] - 4.0 * x[0];
    return IL_OK;
}

IL_EXPORT void warm_save(void *context)
{
    warm *c = context;
    c->kept = c->w;
    c->saves += 1.0;
}

IL_EXPORT void warm_restore(void *context)
{
    warm *c = context;
    c->w = c->kept;
    c->restores += 1.0;
}

/* Steps of `coupled` one by one, as a real-time host makes them; status of the last one. */
IL_EXPORT int host(int64_t method, double h, int64_t steps, double *context, double *x)
{
    const il_system system = {.rates = coupled, .context = context, .n = 2, .m = 1};
    double work[200];
    int64_t pivots[3];
    il_stepper stepper;
    if (il_work_size(method, 2, 1) > 200) return IL_BAD_ARGUMENT;
    int status = il_stepper_init(&stepper, &system, method, work, pivots);
    for (int64_t k = 0; k < steps && status == IL_OK; k++) {
        status = il_step(&stepper, (double)k * h, h, x);
    }
    return status;
}
