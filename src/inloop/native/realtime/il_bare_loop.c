/* A bare cyclic loop of the same rate, which measures how late this machine wakes up an idle
 * thread.
 *
 * Offset by half a period from the loop, with the same privileges, so that they do not collide.
 */
#include "il_histogram.h"
#include "il_loop.h"

void *il_bare_loop_body(void *argument)
{
    il_loop *loop = argument;
    inloop_statistics *statistics = inloop_statistics_of(&loop->box);
    const double period = loop->period / loop->speed;

    il_thread_prepare(&loop->bare_loop_privileges);
    /* system time, whichever clock the loop uses */
    const int64_t origin = inloop_now() + (int64_t)(0.5 * period);
    for (int64_t wake = 1; !loop->stop; wake++) {
        const int64_t due = origin + (int64_t)((double)wake * period);
        while (!loop->stop && !il_system_clock.sleep_until(NULL, due)) {
        }
        if (loop->stop) {
            break;
        }
        const int64_t late = inloop_now() - due;
        const int64_t missed = late > 0 ? (int64_t)((double)late / period) : 0;
        il_count(&statistics->bare_loop, late);
        il_add(&statistics->bare_loop_periods, (uint64_t)missed + 1);
        il_add(&statistics->bare_loop_overruns, (uint64_t)missed);
        wake += missed;
    }
    return NULL;
}
