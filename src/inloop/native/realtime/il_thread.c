/* Threads with real-time privileges, if the system grants them; see il_thread.h. */
#include "il_thread.h"

#include <sched.h>
#include <sys/prctl.h>

enum { STACK_TOUCHED = 256 * 1024 };

int il_thread_start(pthread_t *thread, void *(*body)(void *), void *argument)
{
    sigset_t all, before;

    /* signals go to the thread that started it (Python handles Ctrl-C), except those that this
       thread causes itself, see il_bus_guard.h */
    sigfillset(&all);
    sigdelset(&all, SIGBUS);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(thread, NULL, body, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

/* Touch pages of the stack, so that no step has to fault them in. */
static void touch_stack(void)
{
    volatile unsigned char room[STACK_TOUCHED];
    for (int k = 0; k < STACK_TOUCHED; k += 4096) {
        room[k] = 0;
    }
    (void)room[0];
}

void il_thread_prepare(il_privileges *privileges)
{
    touch_stack();
    privileges->priority_error = privileges->core_error = privileges->lock_error = 0;
    /* what is only reserved is locked when it is touched: it is not fetched for that */
    if (privileges->lock_memory && mlockall(MCL_CURRENT | MCL_ONFAULT) != 0) {
        privileges->lock_error = errno;
    }
    if (privileges->core >= 0) {
        cpu_set_t cores;
        CPU_ZERO(&cores);
        if (privileges->core < CPU_SETSIZE) {
            CPU_SET((int)privileges->core, &cores);
        }
        const int error = pthread_setaffinity_np(pthread_self(), sizeof cores, &cores);
        privileges->core_error = error;
    }
    if (privileges->priority > 0) {
        const struct sched_param wish = {.sched_priority = (int)privileges->priority};
        const int error = pthread_setschedparam(pthread_self(), SCHED_FIFO, &wish);
        privileges->priority_error = error;
    }
    /* ordinary threads are woken up to 50 us late on purpose, unless they request less slack */
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}
