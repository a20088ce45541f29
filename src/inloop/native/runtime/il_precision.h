/* Definitions that depend on the floating-point precision.
 *
 * All numbers are double. The sources of a plant can also be exported in single precision: then
 * each `double` becomes `float`, each literal gets the suffix f (io/boards/single.py), and
 * IL_SINGLE is defined. The remaining differences are defined here. */
#ifndef IL_PRECISION_H
#define IL_PRECISION_H

#include <stdint.h>

#ifdef IL_SINGLE
typedef int32_t il_integer; /* as wide as a number */
typedef uint32_t il_natural;
#define IL_MANTISSA 23      /* mantissa bits without the leading one */
#define IL_BIAS 127         /* exponent bias */
#define IL_BY_PRECISION(of_double, of_float) (of_float)
#else
typedef int64_t il_integer;
typedef uint64_t il_natural;
#define IL_MANTISSA 52
#define IL_BIAS 1023
#define IL_BY_PRECISION(of_double, of_float) (of_double)
#endif

#define IL_SIGN_BIT ((il_natural)1 << (8 * sizeof(il_natural) - 1))
#define IL_EXPONENT_BITS ((il_natural)(2 * IL_BIAS + 1) << IL_MANTISSA)

#endif
