/* Histograms of times in log-spaced bins: no logarithm, no division, one writer, any reader. */
#ifndef IL_HISTOGRAM_H
#define IL_HISTOGRAM_H

#include "inloop.h"

/* Add to a word that only this thread writes and others read. */
static inline void il_add(uint64_t *word, uint64_t amount)
{
    __atomic_store_n(word, *word + amount, __ATOMIC_RELAXED);
}

/* Bin of a time [ns]: up to 31 as it is, then 32 bins per octave. */
static inline int il_bin(uint64_t time)
{
    if (time < 32) {
        return (int)time;
    }
    const int octave = 63 - __builtin_clzll(time);
    const int bin = (octave - 4) * 32 + (int)(time >> (octave - 5) & 31);
    return bin < INLOOP_BINS ? bin : INLOOP_BINS - 1;
}

static inline void il_count(inloop_histogram *histogram, int64_t time)
{
    const uint64_t value = time > 0 ? (uint64_t)time : 0;
    il_add(&histogram->bins[il_bin(value)], 1);
    il_add(&histogram->sum, value);
    il_add(&histogram->count, 1);
    if (value > histogram->most) {
        __atomic_store_n(&histogram->most, value, __ATOMIC_RELAXED);
    }
}

#endif
