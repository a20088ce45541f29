/* The part of math.h that plants need, for a target without a C library: what WebAssembly has as an
   instruction is one, and the rest comes from Math of JavaScript (see `imports` of wasmplant.js). */
#ifndef IL_PAGE_MATH_H
#define IL_PAGE_MATH_H

#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))
#define HUGE_VAL (__builtin_huge_val())

#define isfinite(x) __builtin_isfinite(x)
#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf(x)
#define signbit(x) __builtin_signbit(x)

double sin(double x);
double cos(double x);
double tan(double x);
double asin(double x);
double acos(double x);
double atan(double x);
double atan2(double y, double x);
double tanh(double x);
double exp(double x);
double log(double x);
double pow(double x, double y);

static inline double sqrt(double x) { return __builtin_sqrt(x); }
static inline double fabs(double x) { return __builtin_fabs(x); }
static inline double floor(double x) { return __builtin_floor(x); }
static inline double ceil(double x) { return __builtin_ceil(x); }
static inline double trunc(double x) { return __builtin_trunc(x); }
static inline double copysign(double x, double y) { return __builtin_copysign(x, y); }
/* the instructions would pass a NaN on */
static inline double fmin(double x, double y) { return x < y || y != y ? x : y; }
static inline double fmax(double x, double y) { return x > y || y != y ? x : y; }
/* halves away from zero */
static inline double round(double x)
{
    const double whole = trunc(x);
    return fabs(x - whole) >= 0.5 ? whole + copysign(1.0, x) : whole;
}

/* 2^power, of normal numbers */
static inline double ldexp(double x, int power)
{
    const unsigned long long bits = (unsigned long long)(power + 1023) << 52;
    double factor;
    __builtin_memcpy(&factor, &bits, sizeof factor);
    return x * factor;
}
/* x = fraction 2^power, the fraction 1/2 to 1; of normal numbers */
static inline double frexp(double x, int *power)
{
    unsigned long long bits;
    double fraction;
    if (x == 0.0 || !isfinite(x)) {
        *power = 0;
        return x;
    }
    __builtin_memcpy(&bits, &x, sizeof bits);
    *power = (int)(bits >> 52 & 0x7ff) - 1022;
    bits = (bits & ~(0x7ffULL << 52)) | (1022ULL << 52);
    __builtin_memcpy(&fraction, &bits, sizeof fraction);
    return fraction;
}

#endif
