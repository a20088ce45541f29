/* The functions of math.h for plants in single precision, mapped to those for floats. */
#ifndef IL_MATH_SINGLE_H
#define IL_MATH_SINGLE_H

#include <math.h>

#define sin(x) sinf(x)
#define cos(x) cosf(x)
#define tan(x) tanf(x)
#define asin(x) asinf(x)
#define acos(x) acosf(x)
#define atan(x) atanf(x)
#define exp(x) expf(x)
#define log(x) logf(x)
#define sqrt(x) sqrtf(x)
#define tanh(x) tanhf(x)
#define fabs(x) fabsf(x)
#define floor(x) floorf(x)
#define ceil(x) ceilf(x)
#define atan2(x, y) atan2f(x, y)
#define pow(x, y) powf(x, y)
#define fmin(x, y) fminf(x, y)
#define fmax(x, y) fmaxf(x, y)
#define fmod(x, y) fmodf(x, y)
#define copysign(x, y) copysignf(x, y)
#define hypot(x, y) hypotf(x, y)
#define frexp(x, k) frexpf(x, k)
#define ldexp(x, k) ldexpf(x, k)

#endif
