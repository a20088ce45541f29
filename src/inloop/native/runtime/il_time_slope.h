/* Partial derivatives by time from three values; not for users. */
#ifndef IL_TIME_SLOPE_H
#define IL_TIME_SLOPE_H

#include <math.h>

/* df/dt from f(t - delta), f(t), f(t + delta). An input that jumps does so on one side of t only:
   there the difference is larger the smaller delta is, and means nothing. Then the other side. */
static inline double il_time_slope(double before, double now, double after, double delta)
{
    const double left = now - before, right = after - now;

    if (left * right > 0.0 && fabs(left) < 2.0 * fabs(right) && fabs(right) < 2.0 * fabs(left)) {
        return (after - before) / (2.0 * delta);
    }
    return (fabs(right) < fabs(left) ? right : left) / delta;
}

#endif
