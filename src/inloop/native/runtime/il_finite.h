/* Tell NaN and infinity. */
#ifndef IL_FINITE_H
#define IL_FINITE_H

#include <stdint.h>
#include <string.h>

/* By the bits of the exponent, so that no compiler flag can optimize it away. */
static inline int il_all_finite(const double *x, int64_t size)
{
    const uint64_t exponent = UINT64_C(0x7ff) << 52, one = UINT64_C(1) << 52;
    uint64_t carried = 0; /* an exponent of ones carries into the sign */
    for (int64_t i = 0; i < size; i++) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        carried |= (bits & exponent) + one;
    }
    return carried >> 63 == 0;
}

/* Are they equal, number by number? NaN never is. */
static inline int il_all_equal(const double *a, const double *b, int64_t size)
{
    int equal = 1;
    for (int64_t i = 0; i < size; i++) {
        equal &= a[i] == b[i];
    }
    return equal;
}

/* |x| <= most for all of them? Never for NaN and infinity: absolute values are in the order of
   their bits. */
static inline int il_all_within(const double *x, const double *most, int64_t size)
{
    const uint64_t sign = UINT64_C(1) << 63;
    int good = 1;
    for (int64_t i = 0; i < size; i++) {
        uint64_t bits, limit;
        memcpy(&bits, &x[i], sizeof bits);
        memcpy(&limit, &most[i], sizeof limit);
        good &= (bits & ~sign) <= limit;
    }
    return good;
}

#endif
