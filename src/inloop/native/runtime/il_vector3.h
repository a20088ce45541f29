/* Vectors of three numbers, unrolled by hand: compilers do not unroll such short loops. */
#ifndef IL_VECTOR3_H
#define IL_VECTOR3_H

#include <math.h>

static inline double il_dot3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* faster than fmin and fmax, which handle NaN */
static inline double il_least(double a, double b)
{
    return a < b ? a : b;
}

static inline double il_most(double a, double b)
{
    return a > b ? a : b;
}

/* c = a - b */
static inline void il_sub3(const double *a, const double *b, double *c)
{
    c[0] = a[0] - b[0];
    c[1] = a[1] - b[1];
    c[2] = a[2] - b[2];
}

/* c = a + s b */
static inline void il_along3(const double *a, double s, const double *b, double *c)
{
    c[0] = a[0] + s * b[0];
    c[1] = a[1] + s * b[1];
    c[2] = a[2] + s * b[2];
}

/* c = a x b; c must not alias them */
static inline void il_cross3(const double *a, const double *b, double *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* y = R x, R row-major */
static inline void il_turn3(const double *R, const double *x, double *y)
{
    y[0] = il_dot3(R, x);
    y[1] = il_dot3(R + 3, x);
    y[2] = il_dot3(R + 6, x);
}

/* y = R^T x */
static inline void il_turn_back3(const double *R, const double *x, double *y)
{
    y[0] = R[0] * x[0] + R[3] * x[1] + R[6] * x[2];
    y[1] = R[1] * x[0] + R[4] * x[1] + R[7] * x[2];
    y[2] = R[2] * x[0] + R[5] * x[1] + R[8] * x[2];
}

/* Normalize; returns the length, and leaves a zero vector unchanged. */
static inline double il_unit3(double *a)
{
    const double length = sqrt(il_dot3(a, a));
    if (length > 0.0) {
        a[0] /= length;
        a[1] /= length;
        a[2] /= length;
    }
    return length;
}

/* A unit vector perpendicular to another one. */
static inline void il_any_across3(const double *a, double *across)
{
    const double other[3] = {fabs(a[0]) < 0.7, fabs(a[0]) >= 0.7, 0.0};
    il_along3(other, -il_dot3(other, a), a, across);
    il_unit3(across);
}

#endif
