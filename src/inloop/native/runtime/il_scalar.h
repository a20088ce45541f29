/* Arithmetic of generated code: one state at a time, or IL_LANES states in parallel.
 *
 * `real` is double, or a vector of IL_LANES doubles if IL_LANES is defined (il_single.h: float).
 * Every function here is branch-free where speed matters and works on both. C99; the vector form
 * needs the vector extensions of gcc or clang. */
#ifndef IL_SCALAR_H
#define IL_SCALAR_H

#include "il_chart.h"
#include "il_precision.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef IL_LANES
typedef double real __attribute__((vector_size(sizeof(double) * IL_LANES)));
typedef il_integer il_bits __attribute__((vector_size(sizeof(il_integer) * IL_LANES)));
typedef il_natural il_unsigned __attribute__((vector_size(sizeof(il_natural) * IL_LANES)));
#define IL_SPLAT(x) ((x) - (real){0})
#define IL_PADDED(n) (n)
#else
typedef double real;
typedef il_integer il_bits;
typedef il_natural il_unsigned;
#define IL_SPLAT(x) (x)
#define IL_PADDED(n) (((n) + 3) / 4 * 4) /* whole vectors, so that compilers compute four at a time */
#endif

#ifdef __GNUC__
#define IL_UNUSED __attribute__((unused))
#define IL_ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define IL_UNUSED
#define IL_ALWAYS_INLINE inline
#endif
#define IL_FUNCTION static inline IL_UNUSED

IL_FUNCTION il_bits il_to_bits(real x)
{
    il_bits b;
    memcpy(&b, &x, sizeof b);
    return b;
}

IL_FUNCTION real il_from_bits(il_bits b)
{
    real x;
    memcpy(&x, &b, sizeof x);
    return x;
}

/* a where the mask is all ones, b where it is all zeros */
IL_FUNCTION real il_blend(il_bits mask, real a, real b)
{
    return il_from_bits((il_to_bits(a) & mask) | (il_to_bits(b) & ~mask));
}

#ifdef IL_LANES
#define IL_MASK(condition) (condition)
#define IL_CHOOSE(condition, a, b) il_blend(condition, a, b)
#else
#define IL_MASK(condition) (-(il_bits)(condition))
#define IL_CHOOSE(condition, a, b) ((condition) ? (a) : (b))
#endif

#ifdef IL_LANES
IL_FUNCTION real il_abs(real x) { return il_from_bits(il_to_bits(x) & (il_integer)~IL_SIGN_BIT); }
#else
IL_FUNCTION real il_abs(real x) { return fabs(x); }
#endif

/* min, max and sign propagate NaN, as in NumPy; comparisons with it are 0 */
#ifdef IL_LANES
IL_FUNCTION real il_lt(real a, real b) { return il_blend(IL_MASK(a < b), IL_SPLAT(1.0), IL_SPLAT(0.0)); }
IL_FUNCTION real il_le(real a, real b) { return il_blend(IL_MASK(a <= b), IL_SPLAT(1.0), IL_SPLAT(0.0)); }
IL_FUNCTION real il_where(real c, real a, real b) { return il_blend(IL_MASK(c != IL_SPLAT(0.0)), a, b); }
IL_FUNCTION real il_min(real a, real b) { return il_blend(IL_MASK(a < b) | IL_MASK(a != a), a, b); }
IL_FUNCTION real il_max(real a, real b) { return il_blend(IL_MASK(a > b) | IL_MASK(a != a), a, b); }
IL_FUNCTION real il_sign(real x)
{
    const real one = il_from_bits((il_to_bits(x) & (il_integer)IL_SIGN_BIT) | il_to_bits(IL_SPLAT(1.0)));
    return il_blend(IL_MASK(x < IL_SPLAT(0.0)) | IL_MASK(x > IL_SPLAT(0.0)), one, x);
}
#else
/* written so that compilers compare and select within vector registers, without branches */
IL_FUNCTION real il_lt(real a, real b) { return a < b ? 1.0 : 0.0; }
IL_FUNCTION real il_le(real a, real b) { return a <= b ? 1.0 : 0.0; }
IL_FUNCTION real il_where(real c, real a, real b) { return fabs(c) <= 0.0 ? b : a; }
/* for NaN each of the two selections takes its second operand; they agree, or one has the bits of a
   NaN, which the other cannot clear */
IL_FUNCTION real il_either(real a, real b) { return il_from_bits(il_to_bits(a) | il_to_bits(b)); }
IL_FUNCTION real il_min(real a, real b) { return il_either(a < b ? a : b, b < a ? b : a); }
IL_FUNCTION real il_max(real a, real b) { return il_either(a > b ? a : b, b > a ? b : a); }
IL_FUNCTION real il_sign(real x) { return copysign(fabs(x) > 0.0 ? 1.0 : fabs(x), x); }
#endif

/* functions of the C library, lane by lane */
#ifdef IL_LANES
#define IL_LIBM_1(name)                                                                            \
    IL_FUNCTION real il_##name(real x)                                                             \
    {                                                                                              \
        for (int k = 0; k < IL_LANES; k++) x[k] = name(x[k]);                                      \
        return x;                                                                                  \
    }
#define IL_LIBM_2(name)                                                                            \
    IL_FUNCTION real il_##name(real x, real y)                                                     \
    {                                                                                              \
        for (int k = 0; k < IL_LANES; k++) x[k] = name(x[k], y[k]);                                \
        return x;                                                                                  \
    }
#else
#define IL_LIBM_1(name) IL_FUNCTION real il_##name(real x) { return name(x); }
#define IL_LIBM_2(name) IL_FUNCTION real il_##name(real x, real y) { return name(x, y); }
#endif
IL_LIBM_1(tan)
IL_LIBM_1(asin)
IL_LIBM_1(acos)
IL_LIBM_1(sqrt)
IL_LIBM_1(log)
IL_LIBM_1(tanh)
IL_LIBM_2(atan2)
IL_LIBM_2(pow)

#ifdef IL_SINGLE
IL_LIBM_1(atan)
#include "il_single.h"
#else
/* arctangent within 2 ulp, inline and with one division: of |x|, of (|x| - 1)/(|x| + 1) beyond tan
   π/8, of -1/|x| beyond tan 3π/8; then the polynomial of fdlibm (s_atan.c, Sun 1993). Tyre formulas
   need many: the library function takes twice as long. */
IL_FUNCTION real il_atan(real x)
{
    const real a = il_abs(x);
    const real tan_1 = IL_SPLAT(4.14213562373095034e-01), tan_3 = IL_SPLAT(2.41421356237309492e+00);
    const real over = IL_CHOOSE(a > tan_3, IL_SPLAT(-1.0), IL_CHOOSE(a > tan_1, a - 1.0, a));
    const real under = IL_CHOOSE(a > tan_3, a, IL_CHOOSE(a > tan_1, a + 1.0, IL_SPLAT(1.0)));
    /* the subtracted angle in two parts: 0, π/4 or π/2 */
    const real eighths = IL_CHOOSE(a > tan_3, IL_SPLAT(2.0), IL_CHOOSE(a > tan_1, IL_SPLAT(1.0), IL_SPLAT(0.0)));
    const real t = over / under, z = t * t, w = z * z;
    const real odd = z * (3.33333333333329318027e-01 + w * (1.42857142725034663711e-01
                   + w * (9.09088713343650656196e-02 + w * (6.66107313738753120669e-02
                   + w * (4.97687799461593236017e-02 + w * 1.62858201153657823623e-02)))));
    const real even = w * (1.99999999998764832476e-01 + w * (1.11111104054623557880e-01
                    + w * (7.69187620504482999495e-02 + w * (5.83357013379057348645e-02
                    + w * 3.65315727442169155270e-02))));
    const real size = eighths * 7.85398163397448278999e-01
                    - ((t * (odd - even) - eighths * 3.06161699786838301793e-17) - t);
#ifdef IL_LANES
    return il_from_bits(il_to_bits(size) | (il_to_bits(x) & (il_integer)IL_SIGN_BIT));
#else
    return copysign(size, x);
#endif
}

/* e^x within 1 ulp, inline: 2^k e^r with |r| <= ½ ln 2 and the series of e^r up to r^13. Subnormal
   results are flushed to 0: friction laws often need e^-big, and subnormal numbers take a hundred
   times as long. */
IL_FUNCTION real il_exp(real x)
{
    const real magic = IL_SPLAT(6755399441055744.0); /* 1.5 * 2^52: adding it rounds to an integer */
    const il_bits nothing = IL_MASK(x < IL_SPLAT(-708.39));
    il_bits k, half;
    real shifted, r, z, w, high, low;
    x = il_blend(IL_MASK(x > IL_SPLAT(710.0)), IL_SPLAT(710.0), il_blend(nothing, IL_SPLAT(0.0), x));
    shifted = x * IL_SPLAT(1.44269504088896338700) + magic;
    k = il_to_bits(shifted) - il_to_bits(magic);
    shifted = shifted - magic;
    /* ln 2 is subtracted in two parts (33 and 53 bits) */
    r = (x - shifted * 6.93147180369123816490e-01) - shifted * 1.90821492927058770002e-10;
    z = r * r;
    w = z * z;
    low = (0.5 + r * (1.0 / 6.0)) + z * (1.0 / 24.0 + r * (1.0 / 120.0));
    high = (1.0 / 720.0 + r * (1.0 / 5040.0)) + z * (1.0 / 40320.0 + r * (1.0 / 362880.0))
         + w * ((1.0 / 3628800.0 + r * (1.0 / 39916800.0))
                + z * (1.0 / 479001600.0 + r * (1.0 / 6227020800.0)));
    r = 1.0 + (r + z * (low + w * high));
    /* in two factors, because 2^1024 is out of range */
    half = k >> 1;
    r = r * il_from_bits((half + 1023) << 52) * il_from_bits((k - half + 1023) << 52);
    return il_blend(nothing, IL_SPLAT(0.0), r);
}
#endif

/* tables and lines, lane by lane */
IL_FUNCTION real il_table(real x, int n, const double *breaks, const double *c, double below, double above)
{
#ifdef IL_LANES
    for (int k = 0; k < IL_LANES; k++) x[k] = il_table_1(x[k], n, breaks, c, below, above);
    return x;
#else
    return il_table_1(x, n, breaks, c, below, above);
#endif
}

IL_FUNCTION real il_table2(real x, real y, const double *grid, int n, int m, int by_x, int by_y)
{
#ifdef IL_LANES
    for (int k = 0; k < IL_LANES; k++) x[k] = il_table2_1(x[k], y[k], grid, n, m, by_x, by_y);
    return x;
#else
    return il_table2_1(x, y, grid, n, m, by_x, by_y);
#endif
}

IL_FUNCTION real il_spline2(real x, real y, const double *grid, int degree, int by_x, int by_y)
{
#ifdef IL_LANES
    for (int k = 0; k < IL_LANES; k++) x[k] = il_spline2_1(x[k], y[k], grid, degree, by_x, by_y);
    return x;
#else
    return il_spline2_1(x, y, grid, degree, by_x, by_y);
#endif
}

IL_FUNCTION real il_station(real x, real y, const double *line)
{
#ifdef IL_LANES
    for (int k = 0; k < IL_LANES; k++) x[k] = il_station_1(x[k], y[k], line);
    return x;
#else
    return il_station_1(x, y, line);
#endif
}

/* large angles; out of line */
#ifdef __GNUC__
#define IL_RARE __attribute__((noinline, cold, unused))
#else
#define IL_RARE
#endif
#ifdef IL_LANES
#define IL_FAR(name)                                                                               \
    static IL_RARE real il_far_##name(real x)                                                      \
    {                                                                                              \
        for (int k = 0; k < IL_LANES; k++) x[k] = name(x[k]);                                      \
        return x;                                                                                  \
    }
#else
#define IL_FAR(name) static IL_RARE real il_far_##name(real x) { return name(x); }
#endif
IL_FAR(sin)
IL_FAR(cos)

#ifndef IL_SINGLE
/* sine and cosine of one angle with |x| < IL_ANGLE_LIMIT: multiples of π/2 are subtracted in two
   parts (33 and 53 bits of π/2), then the polynomials of fdlibm (k_sin.c, k_cos.c, Sun 1993) */
#define IL_ANGLE_LIMIT 1e5
IL_FUNCTION void il_sincos_1(real x, real *s, real *c)
{
    const real magic = IL_SPLAT(6755399441055744.0); /* 1.5 * 2^52: adding it rounds to an integer */
    real k = x * IL_SPLAT(0.63661977236758134308) + magic;
    const il_bits quarter = il_to_bits(k);
    il_bits odd;
    real r, z, sine, cosine;
    k = k - magic;
    r = (x - k * 1.57079632673412561417e+00) - k * 6.07710050650619224932e-11;
    z = r * r;
    sine = r + (r * z) * (-1.66666666666666324348e-01 + z * (8.33333333332248946124e-03
         + z * (-1.98412698298579493134e-04 + z * (2.75573137070700676789e-06
         + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))));
    cosine = 1.0 - 0.5 * z + (z * z) * (4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03
           + z * (2.48015872894767294178e-05 + z * (-2.75573143513906633035e-07
           + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
    odd = -(quarter & 1);
    *s = il_from_bits(il_to_bits(il_blend(odd, cosine, sine)) ^ (il_bits)((il_unsigned)(quarter & 2) << 62));
    *c = il_from_bits(il_to_bits(il_blend(odd, sine, cosine)) ^ (il_bits)((il_unsigned)((quarter + 1) & 2) << 62));
}
#endif

/* is any of these angles, in any lane, out of range or NaN? */
IL_FUNCTION int il_any_far(int n, const real *angle)
{
    il_bits near = ~(il_bits){0};
    for (int k = 0; k < n; k++) near &= IL_MASK(il_abs(angle[k]) < IL_SPLAT(IL_ANGLE_LIMIT));
#ifdef IL_LANES
    for (int l = 0; l < IL_LANES; l++)
        if (!near[l]) return 1;
    return 0;
#else
    return !near;
#endif
}

/* sines and cosines of n angles; those out of range (or NaN) come from the C library, so that a
   state's result does not depend on its neighbors. Inline, so that n is a constant. */
static IL_ALWAYS_INLINE IL_UNUSED void il_sincos(int n, const real *restrict angle, real *restrict sine,
                                                 real *restrict cosine)
{
    for (int k = 0; k < n; k++) il_sincos_1(angle[k], &sine[k], &cosine[k]);
    if (il_any_far(n, angle)) {
        for (int k = 0; k < n; k++) {
            const il_bits near = IL_MASK(il_abs(angle[k]) < IL_SPLAT(IL_ANGLE_LIMIT));
            sine[k] = il_blend(near, sine[k], il_far_sin(angle[k]));
            cosine[k] = il_blend(near, cosine[k], il_far_cos(angle[k]));
        }
    }
}

/* the same for a single angle, where there are too few to fill a vector */
IL_FUNCTION void il_sincos_one(real angle, real *restrict sine, real *restrict cosine)
{
#ifdef IL_LANES
    il_sincos(1, &angle, sine, cosine);
#else
    if (fabs(angle) < IL_ANGLE_LIMIT) {
        il_sincos_1(angle, sine, cosine);
    } else {
        *sine = sin(angle);
        *cosine = cos(angle);
    }
#endif
}

#ifndef IL_LANES
/* sine and cosine after a rotation by |d| <= IL_SMALL_TURN: the truncation error is below 1e-17 */
#define IL_SMALL_TURN 1e-3
IL_FUNCTION void il_turn(double d, double *restrict sine, double *restrict cosine)
{
    const double s = *sine, c = *cosine, z = d * d;
    const double sin_d = d - d * z * (1.0 / 6.0);
    const double versin_d = z * (0.5 - z * (1.0 / 24.0));
    *sine = s + (c * sin_d - s * versin_d);
    *cosine = c - (s * sin_d + c * versin_d);
}
#endif

/* of one angle, within code */
IL_FUNCTION real il_sin(real x)
{
    real s, c;
    il_sincos_1(x, &s, &c);
    if (il_any_far(1, &x)) s = il_blend(IL_MASK(il_abs(x) < IL_SPLAT(IL_ANGLE_LIMIT)), s, il_far_sin(x));
    return s;
}

IL_FUNCTION real il_cos(real x)
{
    real s, c;
    il_sincos_1(x, &s, &c);
    if (il_any_far(1, &x)) c = il_blend(IL_MASK(il_abs(x) < IL_SPLAT(IL_ANGLE_LIMIT)), c, il_far_cos(x));
    return c;
}

#ifdef IL_LANES
/* rows of n numbers become n vectors; missing rows repeat the last one. Each vector is assembled in
   a register: narrow stores followed by a wide load would stall. */
IL_FUNCTION void il_gather(int n, const double *restrict rows, int lanes, real *restrict v)
{
    const double *r[IL_LANES];
    for (int l = 0; l < IL_LANES; l++) r[l] = rows + (int64_t)(l < lanes ? l : lanes - 1) * n;
    for (int k = 0; k < n; k++) {
#if IL_LANES == 4
        v[k] = (real){r[0][k], r[1][k], r[2][k], r[3][k]};
#elif IL_LANES == 8
        v[k] = (real){r[0][k], r[1][k], r[2][k], r[3][k], r[4][k], r[5][k], r[6][k], r[7][k]};
#else
        for (int l = 0; l < IL_LANES; l++) v[k][l] = r[l][k];
#endif
    }
}

IL_FUNCTION void il_scatter(int n, const real *restrict v, int lanes, double *restrict rows)
{
    const double *flat = (const double *)v;
    for (int l = 0; l < lanes; l++)
        for (int k = 0; k < n; k++) rows[(int64_t)l * n + k] = flat[k * IL_LANES + l];
}
#endif

#endif
