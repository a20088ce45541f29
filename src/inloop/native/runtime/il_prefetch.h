/* Prefetch of code and data that a long sleep has evicted from the caches.
 *
 * Line by line, as they are needed, they arrive at the latency of the memory; read in order they
 * arrive at its bandwidth. If they are still cached, reading them costs more than it saves, so one
 * cache line is timed first. Prefetch instructions are no substitute, since processors drop them
 * when many are in flight; they do for the few that load the addresses of pages (TLB). */
#ifndef IL_PREFETCH_H
#define IL_PREFETCH_H

#if defined(__ELF__) && defined(__GNUC__) && !defined(__TINYC__)
#define IL_PREFETCHES

#include <stdint.h>

/* A range of memory that is needed soon. */
typedef struct {
    const void *begin;
    int64_t bytes;
} il_range;

/* Prefetch one line of each page, so that all page walks overlap. */
static inline void il_prefetch_pages(const il_range *all, int count)
{
    for (int k = 0; k < count; k++) {
        for (int64_t at = 0; at < all[k].bytes; at += 4096) {
            __builtin_prefetch((const char *)all[k].begin + at, 0, 2);
        }
    }
}

/* Does a cache line have to come from memory? 0 where there is no cycle counter to time it with. */
static inline int il_is_far(const void *line)
{
#if defined(__x86_64__) && defined(__linux__)
    enum { NEAR = 150 }; /* most cycles of a cache hit; memory takes at least twice as many */
    const uint64_t begin = __builtin_ia32_rdtsc();
    (void)*(const volatile char *)line;
    __builtin_ia32_lfence(); /* wait until it has arrived */
    return __builtin_ia32_rdtsc() - begin > NEAR;
#else
    (void)line;
    return 0;
#endif
}

/* Read all cache lines in order. */
static inline void il_read_ahead(const il_range *all, int count)
{
    for (int k = 0; k < count; k++) {
        for (int64_t at = 0; at < all[k].bytes; at += 64) {
            (void)*((const volatile char *)all[k].begin + at);
        }
    }
}

#endif
#endif
