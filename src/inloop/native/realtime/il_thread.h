/* What a real-time thread asks of the system, and what it was refused. Not for users. */
#ifndef IL_THREAD_H
#define IL_THREAD_H

#include "inloop.h"

#include <pthread.h>

/* What is wanted, and errno of what was refused; 0: granted or not asked for. */
typedef struct il_privileges {
    int64_t priority;    /* of SCHED_FIFO; 0: the ordinary scheduler */
    int64_t core;        /* to run on; -1: any */
    int64_t lock_memory; /* not 0: keep all memory of the process from being paged out */
    int64_t priority_error, core_error, lock_error;
} il_privileges;

/* Start a thread that no signal is delivered to; 0 or errno. */
int il_thread_start(pthread_t *thread, void *(*body)(void *), void *argument);

/* Ask for the privileges, from inside the thread, and touch its stack. */
void il_thread_prepare(il_privileges *privileges);

/* Processor time of this thread [ns]. */
static inline int64_t il_processor_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Sleep until a time of CLOCK_MONOTONIC [ns]. */
static inline void il_sleep_until(int64_t time)
{
    const struct timespec target = {time / 1000000000, time % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &target, NULL) == EINTR) {
    }
}

#endif
