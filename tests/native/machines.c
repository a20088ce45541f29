/* Modes, indicators and jumps with known solutions. */
#include <math.h>

#include "il_machine.h"
#include "il_root.h"

/* free fall: x = (height, speed); context = (gravity, restitution, mass); n = 1 */
IL_EXPORT int fall(void *context, double t, const double *x, double *xd)
{
    const double *c = context;
    (void)t;
    xd[0] = x[1];
    xd[1] = -c[0];
    return IL_OK;
}

/* nothing moves; n = 1 */
IL_EXPORT int rest(void *context, double t, const double *x, double *xd)
{
    (void)context;
    (void)t;
    (void)x;
    xd[0] = xd[1] = 0.0;
    return IL_OK;
}

IL_EXPORT int first_state(void *context, double t, const double *x, double *g)
{
    (void)context;
    (void)t;
    g[0] = x[0];
    return IL_OK;
}

static double energy(const double *c, const double *x)
{
    return c[2] * (0.5 * x[1] * x[1] + c[0] * x[0]);
}

IL_EXPORT int bounce(void *context, double t, const double *x, double *x_new, il_record *record)
{
    const double *c = context;
    (void)t;
    x_new[0] = x[0];
    x_new[1] = -c[1] * x[1];
    record->energy_before = energy(c, x);
    record->energy_after = energy(c, x_new);
    record->restitution = c[1];
    return IL_OK;
}

IL_EXPORT int stop(void *context, double t, const double *x, double *x_new, il_record *record)
{
    const double *c = context;
    (void)t;
    x_new[0] = x_new[1] = 0.0;
    record->energy_before = energy(c, x);
    return IL_OK;
}

/* a driven Duffing oscillator with a first-order state; n = 1, m = 1 */
IL_EXPORT int duffing(void *context, double t, const double *x, double *xd)
{
    (void)context;
    xd[0] = x[1];
    xd[1] = -2.3 * x[0] - 0.8 * x[0] * x[0] * x[0] - 0.3 * x[2] + 0.6 * cos(1.7 * t);
    xd[2] = x[0] * x[1] - 0.9 * x[2];
    return IL_OK;
}

/* a wall at context[0] below */
IL_EXPORT int wall(void *context, double t, const double *x, double *g)
{
    (void)t;
    g[0] = x[0] - *(const double *)context;
    return IL_OK;
}

IL_EXPORT int wall_bounce(void *context, double t, const double *x, double *x_new, il_record *record)
{
    (void)context;
    (void)t;
    x_new[0] = x[0];
    x_new[1] = -0.8 * x[1];
    x_new[2] = x[2] + 0.1;
    record->restitution = 0.8;
    return IL_OK;
}

/* z' = context[0]; m = 1 */
IL_EXPORT int slide(void *context, double t, const double *x, double *xd)
{
    (void)t;
    (void)x;
    xd[0] = *(const double *)context;
    return IL_OK;
}

/* g = z - (three levels) */
IL_EXPORT int levels(void *context, double t, const double *x, double *g)
{
    const double *c = context;
    (void)t;
    g[0] = x[0] - c[0];
    g[1] = x[0] - c[1];
    g[2] = x[0] - c[2];
    return IL_OK;
}

/* a parabola in time: context = (center, half width), negative within */
IL_EXPORT int dip(void *context, double t, const double *x, double *g)
{
    const double *c = context;
    (void)x;
    g[0] = (t - c[0]) * (t - c[0]) - c[1] * c[1];
    return IL_OK;
}

/* NaN from time context[0] on, status context[1] from time context[2] on; at zero at context[3] */
IL_EXPORT int fragile(void *context, double t, const double *x, double *g)
{
    const double *c = context;
    (void)x;
    g[0] = t < c[0] ? c[3] - t : sqrt(-1.0 - t * t);
    return t < c[2] ? IL_OK : (int)c[1];
}

/* returns context[0] */
IL_EXPORT int refuse(void *context, double t, const double *x, double *x_new, il_record *record)
{
    (void)t;
    x_new[0] = x[0] + 1.0;
    record->energy_before = 7.0;
    return (int)*(const double *)context;
}

/* from (height, speed) to (height, speed, speed at the impact), and back to (height of it) */
IL_EXPORT int grow(void *context, double t, const double *x, double *x_new, il_record *record)
{
    (void)context;
    (void)t;
    (void)record;
    x_new[0] = x[0];
    x_new[1] = -0.5 * x[1];
    x_new[2] = x[1];
    return IL_OK;
}

IL_EXPORT int shrink(void *context, double t, const double *x, double *x_new, il_record *record)
{
    (void)context;
    (void)t;
    (void)record;
    x_new[0] = x[2];
    return IL_OK;
}

/* free fall with a state that keeps what it is; n = 1, m = 1 */
IL_EXPORT int fall_and_remember(void *context, double t, const double *x, double *xd)
{
    xd[2] = 0.0;
    return fall(context, t, x, xd);
}

IL_EXPORT int second_state(void *context, double t, const double *x, double *g)
{
    (void)context;
    (void)t;
    g[0] = x[1];
    return IL_OK;
}

/* two balls, one above the other in its own world: x = (y1, y2, v1, v2); n = 2 */
IL_EXPORT int fall_two(void *context, double t, const double *x, double *xd)
{
    const double *c = context;
    (void)t;
    xd[0] = x[2];
    xd[1] = x[3];
    xd[2] = xd[3] = -c[0];
    return IL_OK;
}

IL_EXPORT int heights(void *context, double t, const double *x, double *g)
{
    (void)context;
    (void)t;
    g[0] = x[0];
    g[1] = x[1];
    return IL_OK;
}

/* context = (number of the ball, restitution) */
IL_EXPORT int bounce_one(void *context, double t, const double *x, double *x_new, il_record *record)
{
    const double *c = context;
    const int ball = (int)c[0];
    (void)t;
    (void)record;
    for (int i = 0; i < 4; i++) x_new[i] = x[i];
    x_new[2 + ball] = -c[1] * x[2 + ball];
    return IL_OK;
}

/* zero at three times */
IL_EXPORT int cubic(void *context, double t, const double *x, double *g)
{
    const double *c = context;
    (void)x;
    g[0] = (t - c[0]) * (t - c[1]) * (t - c[2]);
    return IL_OK;
}

/* curves that fall through zero at context[1]: context = (which, root, trials so far) */
static int curve(void *context, double s, double *f)
{
    double *c = context;
    const double d = c[1] - s;
    c[2] += 1.0;
    switch ((int)c[0]) {
    case 0:
        *f = d + 0.3 * d * d * d; /* tame */
        break;
    case 1:
        *f = pow(d, 9.0); /* flat */
        break;
    case 2:
        *f = d > 0.0 ? 1e-9 : -1e9; /* a step */
        break;
    case 3:
        *f = expm1(50.0 * d); /* steep on one side */
        break;
    case 4:
        *f = d > 0.0 ? 1.0 : -1e-300; /* nearly nothing on one side */
        break;
    default:
        return 99;
    }
    return IL_OK;
}

/* The root of a curve between 0 and 1, or a status. */
IL_EXPORT int root_of(double *context, double s_tolerance, double f_tolerance, double *s)
{
    il_point a = {0.0, 0.0}, b = {1.0, 0.0};
    int status = curve(context, a.s, &a.f);
    if (status == IL_OK) status = curve(context, b.s, &b.f);
    context[2] = 0.0;
    if (status != IL_OK) return status;
    return il_find_root(curve, context, a, b, s_tolerance, f_tolerance, s);
}
