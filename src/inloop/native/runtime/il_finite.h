/* Checks for NaN and infinity. */
#ifndef IL_FINITE_H
#define IL_FINITE_H

#include <stdint.h>
#include <string.h>

#include "il_precision.h"

/* By the exponent bits, so that no compiler flag can optimize it away. */
static inline int il_all_finite(const double *x, int64_t size)
{
    const il_natural one = (il_natural)1 << IL_MANTISSA;
    il_natural carried = 0; /* an exponent of all ones carries into the sign */
    for (int64_t i = 0; i < size; i++) {
        il_natural bits;
        memcpy(&bits, &x[i], sizeof bits);
        carried |= (bits & IL_EXPONENT_BITS) + one;
    }
    return (carried & IL_SIGN_BIT) == 0;
}

/* Are all numbers equal? NaN never is. */
static inline int il_all_equal(const double *a, const double *b, int64_t size)
{
    int equal = 1;
    for (int64_t i = 0; i < size; i++) {
        equal &= a[i] == b[i];
    }
    return equal;
}

/* |x| <= most for all of them? False for NaN and infinity: absolute values are ordered like their
   bits. */
static inline int il_all_within(const double *x, const double *most, int64_t size)
{
    int good = 1;
    for (int64_t i = 0; i < size; i++) {
        il_natural bits, limit;
        memcpy(&bits, &x[i], sizeof bits);
        memcpy(&limit, &most[i], sizeof limit);
        good &= (bits & ~IL_SIGN_BIT) <= limit;
    }
    return good;
}

#endif
