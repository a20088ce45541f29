/* e^x, sine and cosine in single precision, for il_scalar.h; see il_precision.h.

   As in double precision there, with fewer terms: minimax polynomials (relative error below 4e-9),
   fitted for this purpose. Identical on every machine with IEEE 754 rounding. */
#if !defined(IL_SINGLE_H) && defined(IL_SINGLE)
#define IL_SINGLE_H

/* e^x = 2^k e^r with |r| <= ½ ln 2; subnormal results are flushed to 0 */
IL_FUNCTION real il_exp(real x)
{
    const real magic = IL_SPLAT(12582912.0); /* 1.5 * 2^23: adding it rounds to an integer */
    const il_bits nothing = IL_MASK(x < IL_SPLAT(-87.33));
    il_bits k, half;
    real shifted, r;
    x = il_blend(IL_MASK(x > IL_SPLAT(89.0)), IL_SPLAT(89.0), il_blend(nothing, IL_SPLAT(0.0), x));
    shifted = x * 1.44269504 + magic;
    k = il_to_bits(shifted) - il_to_bits(magic);
    shifted = shifted - magic;
    /* ln 2 is subtracted in two parts, the first of 9 bits */
    r = (x - shifted * 0.693359375) + shifted * 2.12194440e-4;
    r = 1.0 + (r + r * r * (0.50000001 + r * (0.166665173 + r * (0.041666201
      + r * (0.00836907292 + r * 0.00139508091)))));
    /* in two factors, because 2^128 is out of range */
    half = k >> 1;
    r = r * il_from_bits((half + IL_BIAS) << IL_MANTISSA) * il_from_bits((k - half + IL_BIAS) << IL_MANTISSA);
    return il_blend(nothing, IL_SPLAT(0.0), r);
}

/* sine and cosine of one angle with |x| < IL_ANGLE_LIMIT: multiples of π/2 are subtracted in three
   parts (8 and 10 bits of π/2, and the rest), so that the first two products are exact */
#define IL_ANGLE_LIMIT 8000.0
IL_FUNCTION void il_sincos_1(real x, real *s, real *c)
{
    const real magic = IL_SPLAT(12582912.0); /* 1.5 * 2^23: adding it rounds to an integer */
    real k = x * 0.636619772 + magic;
    const il_bits quarter = il_to_bits(k);
    const il_bits odd = -(quarter & 1);
    real r, z, sine, cosine;
    k = k - magic;
    r = ((x - k * 1.5703125) - k * 0.00048398971557617188) + k * 1.62920680e-07;
    z = r * r;
    sine = r + (r * z) * (-0.166666546 + z * (0.00833215499 + z * -0.000195140769));
    cosine = 1.0 - 0.5 * z + (z * z) * (0.0416666463 + z * (-0.0013887337 + z * 2.44348371e-05));
    *s = il_from_bits(il_to_bits(il_blend(odd, cosine, sine)) ^ (il_bits)((il_unsigned)(quarter & 2) << 30));
    *c = il_from_bits(il_to_bits(il_blend(odd, sine, cosine)) ^ (il_bits)((il_unsigned)((quarter + 1) & 2) << 30));
}

#endif
