/* Clock of the loop: a table of functions, so that a run need not use the system clock.
 *
 * The system clock is CLOCK_MONOTONIC. A scripted one stands still until it is granted time
 * (inloop_grant in inloop.h), wakes the loop as late as its script says and lets each step and each
 * warm-up take as long as scripted: a run on it is the same on every machine. All processes
 * attached to the mailbox read its time from there.
 */
#ifndef IL_CLOCK_H
#define IL_CLOCK_H

/* first: it requests more than C99 from the system headers */
#include "inloop.h"

#include "il_export.h"

enum il_work {
    IL_STEP = 0,
    IL_WARM_UP = 1 /* a step that is discarded; see il_warm.c */
};

typedef struct il_clock {
    /* Time [ns], monotonic. */
    int64_t (*now)(void *self);
    /* Sleep until a time [ns]; 0: woken early, to check for changes and sleep again. */
    int (*sleep_until)(void *self, int64_t time);
    /* Stay awake until a time [ns], with warm caches; 0: interrupted, to check for changes and stay
       awake again. */
    int (*stay_until)(void *self, int64_t time);
    /* Sleep until the bell of the inputs has changed, or for a moment. */
    void (*rest)(void *self, const inloop_mailbox *box, uint32_t bell);
    /* Processor time of the calling thread [ns]. */
    int64_t (*processor_time)(void *self);
    /* A computation begins; NULL: time passes by itself. */
    void (*work)(void *self, enum il_work what);
} il_clock;

/* The system clock; self is not used. */
extern const il_clock il_system_clock;

/* State of a scripted clock. All times in ns; 0 beyond the end of a list. */
typedef struct il_script {
    const inloop_mailbox *box; /* of the plant: its segment holds an inloop_clock */
    const int64_t *late;       /* lateness of each wake-up */
    const int64_t *took;       /* duration of each step, including extra ones */
    const int64_t *used;       /* processor time of each step */
    const int64_t *warmed;     /* duration of each warm-up */
    int64_t late_count, took_count, used_count, warmed_count;

    /* private to the clock */
    int64_t sleeps, steps, warm_ups, processor;
    uint64_t bell;
} il_script;

/* The functions of a scripted clock. */
IL_EXPORT const il_clock *il_scripted_clock(void);

#endif
