/* Partial derivatives by time from three values. Internal. */
#ifndef IL_TIME_SLOPE_H
#define IL_TIME_SLOPE_H

#include <float.h>
#include <math.h>

/* Time difference for a step of h: a small fraction of it, accurate to 1e-3. */
static inline double il_time_increment(double t, double h)
{
    const double part = 1e-4 * fabs(h), known = 1e3 * DBL_EPSILON * fabs(t);
    volatile double moved = t + (part > known ? part : known);

    return moved - t;
}

/* df/dt from f(t - delta), f(t), f(t + delta). An input jumps on one side of t only: there the
   difference grows as delta shrinks, and is meaningless. Then the other side is used. */
static inline double il_time_slope(double before, double now, double after, double delta)
{
    const double left = now - before, right = after - now;

    if (left * right > 0.0 && fabs(left) < 2.0 * fabs(right) && fabs(right) < 2.0 * fabs(left)) {
        return (after - before) / (2.0 * delta);
    }
    return (fabs(right) < fabs(left) ? right : left) / delta;
}

#endif
