/* Privileges that a real-time thread requests, and which were refused. Internal. */
#ifndef IL_THREAD_H
#define IL_THREAD_H

#include "inloop.h"

#include <pthread.h>

/* Requests, and errno of refused ones; 0: granted or not requested. */
typedef struct il_privileges {
    int64_t priority;    /* of SCHED_FIFO; 0: the ordinary scheduler */
    int64_t core;        /* to run on; -1: any */
    int64_t lock_memory; /* not 0: lock the memory that the process uses */
    int64_t priority_error, core_error, lock_error;
} il_privileges;

/* Start a thread with signals blocked; returns 0 or errno. */
int il_thread_start(pthread_t *thread, void *(*body)(void *), void *argument);

/* Request the privileges, from inside the thread, and touch its stack. */
void il_thread_prepare(il_privileges *privileges);

#endif
