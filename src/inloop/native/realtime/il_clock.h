/* What the loop knows of time: a table of functions, so that a run need not be one against the
 * system's clock.
 *
 * The system's clock is CLOCK_MONOTONIC. A scripted one stands still until somebody lets it go on
 * (inloop_grant in inloop.h), wakes the loop as late as its script says and lets each step and each
 * warm-up take as long as that says: a run on it is the same on every machine. All who are attached
 * to the mailbox read its time from there.
 */
#ifndef IL_CLOCK_H
#define IL_CLOCK_H

/* first: it asks the system's headers for more than C99 */
#include "inloop.h"

#include "il_export.h"

enum il_work {
    IL_STEP = 0,
    IL_WARM_UP = 1 /* a step that is thrown away; see il_warm.c */
};

typedef struct il_clock {
    /* Time [ns]; it never goes back. */
    int64_t (*now)(void *self);
    /* Sleep until a time [ns]; 0: woken before, to look around and then to sleep again. */
    int (*sleep_until)(void *self, int64_t time);
    /* Stay awake until a time [ns], with all that is in the caches; 0: called away before, to look
       around and then to stay again. */
    int (*stay_until)(void *self, int64_t time);
    /* Sleep until the bell of the inputs has changed from what it was, or for a moment. */
    void (*rest)(void *self, const inloop_mailbox *box, uint32_t bell);
    /* Processor time that the calling thread has used [ns]. */
    int64_t (*processor_time)(void *self);
    /* Something is being computed; NULL: time passes by itself meanwhile. */
    void (*work)(void *self, enum il_work what);
} il_clock;

/* The system's; self is not used. */
extern const il_clock il_system_clock;

/* The self of a scripted clock. All times in ns; behind the end of a list they are 0. */
typedef struct il_script {
    const inloop_mailbox *box; /* of the plant: its segment holds an inloop_clock */
    const int64_t *late;       /* by how much each sleep lasts too long */
    const int64_t *took;       /* how long each step takes, extra ones included */
    const int64_t *used;       /* processor time of each step */
    const int64_t *warmed;     /* how long each warm-up takes */
    int64_t late_count, took_count, used_count, warmed_count;

    /* private to the clock */
    int64_t sleeps, steps, warm_ups, processor;
    uint64_t bell;
} il_script;

/* The functions of a scripted clock. */
IL_EXPORT const il_clock *il_scripted_clock(void);

#endif
