/* Code and numbers that a long sleep has driven out of the caches.
 *
 * Line by line, as they are needed, they come slowly; read in order beforehand they come at the rate
 * of the memory. Where they are still in the caches that takes longer than it saves: so one line is
 * timed first. Prefetch instructions are no substitute: processors drop them where many are under
 * way. They do for the few that ask where pages lie, and cost next to nothing. */
#ifndef IL_FETCH_H
#define IL_FETCH_H

#if defined(__ELF__) && defined(__GNUC__) && !defined(__TINYC__)
#define IL_FETCHES

#include <stdint.h>

/* What is needed soon. */
typedef struct {
    const void *begin;
    int64_t bytes;
} il_needed;

/* Ask where its pages lie, of all of them at once. */
static inline void il_find(const il_needed *all, int count)
{
    for (int k = 0; k < count; k++) {
        for (int64_t at = 0; at < all[k].bytes; at += 4096) {
            __builtin_prefetch((const char *)all[k].begin + at, 0, 2);
        }
    }
}

/* Does a line have to come from memory? 0 where there is no clock that could tell, or where a
   program must not read its own code. */
static inline int il_is_far(const void *line)
{
#if defined(__x86_64__) && defined(__linux__)
    enum { NEAR = 150 }; /* most ticks of the clock that caches take; memory takes twice as many */
    const uint64_t begin = __builtin_ia32_rdtsc();
    (void)*(const volatile char *)line;
    __builtin_ia32_lfence(); /* it is there */
    return __builtin_ia32_rdtsc() - begin > NEAR;
#else
    (void)line;
    return 0;
#endif
}

/* Read all of it, one line of the caches after the other. */
static inline void il_fetch(const il_needed *all, int count)
{
    for (int k = 0; k < count; k++) {
        for (int64_t at = 0; at < all[k].bytes; at += 64) {
            (void)*((const volatile char *)all[k].begin + at);
        }
    }
}

#endif
#endif
