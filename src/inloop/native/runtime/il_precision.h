/* What depends on how many bits a number has.

   All numbers are double. The sources of a plant can also leave Python in single precision: then
   each `double` reads `float`, each literal has an f at its end (io/boards/single.py), and
   IL_SINGLE is defined. What no such rule can know is chosen here. */
#ifndef IL_PRECISION_H
#define IL_PRECISION_H

#include <stdint.h>

#ifdef IL_SINGLE
typedef int32_t il_integer; /* as wide as a number */
typedef uint32_t il_natural;
#define IL_MANTISSA 23      /* bits of a number behind its first one */
#define IL_BIAS 127         /* of its exponent */
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
