/* An observer next to a plant: a thread that attaches to its mailbox like any controller.
 *
 * It reads each record of outputs in turn, updates an observer (il_follower.h), and publishes the
 * record again, with the observer's outputs as its last signals, in a mailbox of its own. The plant
 * may run in another process, or be a real device whose link fills the mailbox: it does not wait
 * for the observer. Records that the thread misses are bridged.
 *
 * The caller owns all memory. The thread allocates nothing, takes no lock and prints nothing.
 */
#ifndef IL_BESIDE_H
#define IL_BESIDE_H

/* first: it requests more than C99 from the system headers */
#include "inloop.h"

#include "il_follower.h"
#include "il_thread.h"

typedef struct il_beside {
    /* set by the caller */
    inloop_mailbox from, to; /* of the plant; its own: the same layout with more signals */
    il_follower *follower;
    double *scratch;         /* il_beside_scratch numbers */
    il_privileges privileges;

    /* set by other threads */
    volatile int32_t stop;

    /* how it went */
    uint64_t records, lost;  /* read; missed */
    volatile int32_t ended;  /* not 0: the plant has ended, or the observer was stopped */

    /* private */
    pthread_t thread;
    uint64_t cursor, parameters; /* numbers of the last outputs and parameters passed on */
    double *read, *written, *fresh;
} il_beside;

/* Length of `scratch` [doubles]; -1: the two mailboxes do not match. */
IL_EXPORT int64_t il_beside_scratch(const il_beside *beside);

/* Start the thread at the newest record; IL_OK, IL_BAD_ARGUMENT or -errno. */
IL_EXPORT int64_t il_beside_start(il_beside *beside);

/* Ask the thread to end; returns at once. */
IL_EXPORT void il_beside_stop(il_beside *beside);

/* Wait for the thread; call it once. */
IL_EXPORT void il_beside_join(il_beside *beside);

#endif
