/* Keeping time: when to wake up, and an account of what was missed; see il_loop.h.
 *
 * Always overruns = made_up + skipped + backlog; steps = periods - skipped - backlog if the loop
 * was never paused.
 */
#include "il_histogram.h"
#include "il_loop.h"

static int64_t time_of(const il_loop *loop, int64_t wake)
{
    /* by multiplication: no drift */
    return loop->origin + (int64_t)((double)wake * loop->wall_period);
}

/* Number of the period that a time lies in. */
static int64_t period_at(const il_loop *loop, int64_t time)
{
    int64_t k = (int64_t)((double)(time - loop->origin) / loop->wall_period);
    k += time_of(loop, k + 1) <= time;
    return k - (time_of(loop, k) > time);
}

/* Periods that ended before a step was done; `late` of their steps are done by now. */
static void miss(il_loop *loop, uint64_t count, uint64_t late, uint64_t *cause)
{
    inloop_statistics *statistics = inloop_statistics_of(&loop->box);
    if (count == 0) {
        return;
    }
    il_add(&statistics->overruns, count);
    il_add(cause, count);
    il_add(&statistics->made_up, late);
    loop->backlog += count - late;
    if (loop->backlog > (uint64_t)loop->most_backlog) {
        il_add(&statistics->skipped, loop->backlog - (uint64_t)loop->most_backlog);
        loop->backlog = (uint64_t)loop->most_backlog;
    }
    loop->late = 1;
    __atomic_store_n(&statistics->backlog, loop->backlog, __ATOMIC_RELAXED);
}

void il_clock_start(il_loop *loop)
{
    inloop_statistics *statistics = inloop_statistics_of(&loop->box);
    /* what was still due before a pause is not made up after it */
    il_add(&statistics->skipped, loop->backlog);
    loop->backlog = 0;
    __atomic_store_n(&statistics->backlog, 0, __ATOMIC_RELAXED);
    loop->wall_period = loop->period / loop->speed;
    loop->origin = il_now(loop);
    loop->wake = 1;
}

int il_clock_wait(il_loop *loop)
{
    inloop_statistics *statistics = inloop_statistics_of(&loop->box);
    const int64_t due = time_of(loop, loop->wake);
    const int sleeps = il_now(loop) < due;
    int woken = !sleeps;

    while (!woken) {
        if (loop->stop || il_has_command(loop)) {
            return 0;
        }
        woken = loop->clock->sleep_until(loop->clock_self, due);
    }
    const int64_t now = il_now(loop);
    if (sleeps) {
        il_count(&statistics->latency, now - due);
    }
    const int64_t period = period_at(loop, now);
    const uint64_t missed = period > loop->wake ? (uint64_t)(period - loop->wake) : 0;
    il_add(&statistics->periods, missed + 1);
    miss(loop, missed, 0, &statistics->woken_late);
    loop->wake += (int64_t)missed;
    loop->last_time = now;
    return 1;
}

void il_clock_finish(il_loop *loop, int64_t processor_time)
{
    inloop_statistics *statistics = inloop_statistics_of(&loop->box);
    const int64_t period = period_at(loop, il_now(loop));
    const int64_t behind = period - loop->wake;

    if (behind <= 0) {
        loop->wake++;
        return;
    }
    /* this step is done, but late; the next one is that of the period that has begun */
    const int long_step = (double)processor_time >= loop->wall_period;
    miss(loop, (uint64_t)behind, 1, long_step ? &statistics->too_long : &statistics->preempted);
    il_add(&statistics->periods, (uint64_t)behind - 1);
    loop->wake = period;
}

int il_clock_has_room(const il_loop *loop)
{
    const int64_t now = il_now(loop), step = now - loop->last_time;
    /* last_time is when the step that has just ended began; twice as long must fit */
    return loop->backlog > 0 && now + 2 * step < time_of(loop, loop->wake);
}
