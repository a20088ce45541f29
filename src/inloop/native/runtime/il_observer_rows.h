/* Sums of rows, which is where the covariance of an observer spends its time. Not for users.
 *
 * Four numbers at once where the compiler has vectors, and several of these fours, so that sums stay
 * in registers. Each number of a row is the same sum in the same order, wherever it stands: what is
 * symmetric by its formula is so to the bit.
 */
#ifndef IL_OBSERVER_ROWS_H
#define IL_OBSERVER_ROWS_H

#include <stdint.h>

#ifdef __GNUC__

/* four numbers that lie anywhere */
typedef double il_four
    __attribute__((vector_size(4 * sizeof(double)), aligned(sizeof(double)), may_alias));

enum { IL_FOUR = 4, IL_SIXTEEN = 16 };

/* Sixteen columns: to += the sum of all factors[r] times row r; rows are `stride` apart. */
static inline void il_add_sixteen(double *restrict to, int64_t rows, const double *restrict factors,
                                  const double *restrict from, int64_t stride)
{
    il_four *const out = (il_four *)to;
    il_four a = out[0], b = out[1], c = out[2], d = out[3];
    for (int64_t r = 0; r < rows; r++) {
        const il_four *row = (const il_four *)(from + r * stride);
        a += factors[r] * row[0];
        b += factors[r] * row[1];
        c += factors[r] * row[2];
        d += factors[r] * row[3];
    }
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d;
}

/* As many columns as make fours; returns how many. */
static inline int64_t il_add_fours(int64_t count, double *restrict to, int64_t rows,
                                   const double *restrict factors, const double *restrict from,
                                   int64_t stride)
{
    int64_t k = 0;
    for (; k + IL_SIXTEEN <= count; k += IL_SIXTEEN) {
        il_add_sixteen(to + k, rows, factors, from + k, stride);
    }
    for (; k + IL_FOUR <= count; k += IL_FOUR) {
        il_four sum = *(il_four *)(to + k);
        for (int64_t r = 0; r < rows; r++) {
            sum += factors[r] * *(const il_four *)(from + r * stride + k);
        }
        *(il_four *)(to + k) = sum;
    }
    return k;
}

/* The sum of all a[k] b[k]. */
static inline double il_dot_of_rows(int64_t count, const double *a, const double *b)
{
    il_four sums = {0.0, 0.0, 0.0, 0.0};
    int64_t k = 0;
    for (; k + IL_FOUR <= count; k += IL_FOUR) {
        sums += *(const il_four *)(a + k) * *(const il_four *)(b + k);
    }
    double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    for (; k < count; k++) {
        sum += a[k] * b[k];
    }
    return sum;
}

static inline void il_scale(int64_t count, double *a, double factor)
{
    int64_t k = 0;
    for (; k + IL_FOUR <= count; k += IL_FOUR) {
        *(il_four *)(a + k) *= factor;
    }
    for (; k < count; k++) {
        a[k] *= factor;
    }
}

#else

static inline int64_t il_add_fours(int64_t count, double *to, int64_t rows, const double *factors,
                                   const double *from, int64_t stride)
{
    (void)count;
    (void)to;
    (void)rows;
    (void)factors;
    (void)from;
    (void)stride;
    return 0;
}

static inline double il_dot_of_rows(int64_t count, const double *a, const double *b)
{
    double sum = 0.0;
    for (int64_t k = 0; k < count; k++) {
        sum += a[k] * b[k];
    }
    return sum;
}

static inline void il_scale(int64_t count, double *a, double factor)
{
    for (int64_t k = 0; k < count; k++) {
        a[k] *= factor;
    }
}

#endif

/* to += the sum of all factors[r] times row r; rows are `stride` apart, and apart from `to`. */
static inline void il_add_rows(int64_t count, double *restrict to, int64_t rows,
                               const double *restrict factors, const double *restrict from,
                               int64_t stride)
{
    for (int64_t k = il_add_fours(count, to, rows, factors, from, stride); k < count; k++) {
        double sum = to[k];
        for (int64_t r = 0; r < rows; r++) {
            sum += factors[r] * from[r * stride + k];
        }
        to[k] = sum;
    }
}

/* to += factor from; the two lie apart. */
static inline void il_add_row(int64_t count, double *restrict to, double factor,
                              const double *restrict from)
{
    il_add_rows(count, to, 1, &factor, from, count);
}

#endif
