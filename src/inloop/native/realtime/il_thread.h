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

#endif
