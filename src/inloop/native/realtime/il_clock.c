/* Timekeeping of the loop: wake-up times, and accounting of missed periods; see il_loop.h.
 *
 * Invariants: overruns = made_up + skipped + backlog; steps = periods - skipped - backlog if the
 * loop was never paused.
 */
#include "il_histogram.h"
#include "il_loop.h"

static int64_t time_of(const il_loop *loop, int64_t wake)
{
    /* by multiplication: no drift */
    return loop->origin + (int64_t)((double)wake * loop->wall_period);
}

/* Index of the period that contains a time. */
static int64_t period_at(const il_loop *loop, int64_t time)
{
    int64_t k = (int64_t)((double)(time - loop->origin) / loop->wall_period);
    k += time_of(loop, k + 1) <= time;
    return k - (time_of(loop, k) > time);
}

/* Periods that ended before their step was done; `late` of these steps are done by now. */
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
    /* steps pending before a pause are not made up after it */
    il_add(&statistics->skipped, loop->backlog);
    loop->backlog = 0;
    __atomic_store_n(&statistics->backlog, 0, __ATOMIC_RELAXED);
    loop->wall_period = loop->period / loop->speed;
    /* a step and those to make up need time, too */
    const int64_t most_lead = (int64_t)(0.5 * loop->wall_period);
    loop->lead = loop->warm < most_lead ? loop->warm : most_lead;
    __atomic_store_n(&statistics->lead, (uint64_t)loop->lead, __ATOMIC_RELAXED);
    loop->origin = il_now(loop);
    loop->wake = 1;
    loop->warmed_for = 0;
}

/* Sleep until a time; 0: check for changes first. */
static int sleep_to(il_loop *loop, int64_t time)
{
    int woken = il_now(loop) >= time;
    if (woken) {
        return 1;
    }
    while (!woken) {
        if (loop->stop || il_has_command(loop)) {
            return 0;
        }
        woken = loop->clock->sleep_until(loop->clock_self, time);
    }
    il_count(&inloop_statistics_of(&loop->box)->latency, il_now(loop) - time);
    return 1;
}

/* Execute the next step once for warm-up, if there is time. */
static void warm_up_until(il_loop *loop, int64_t due)
{
    inloop_statistics *statistics = inloop_statistics_of(&loop->box);
    if (loop->warmed_for == loop->wake) {
        return;
    }
    loop->warmed_for = loop->wake;
    int late = il_now(loop) >= due;
    if (!late) {
        il_warm_up(loop);
        late = il_now(loop) > due;
        il_add(&statistics->warmups, 1);
        il_count(&statistics->warmup, il_now(loop) - (due - loop->lead));
    }
    il_add(&statistics->late_warmups, late != 0);
}

int il_clock_wait(il_loop *loop)
{
    inloop_statistics *statistics = inloop_statistics_of(&loop->box);
    const int64_t due = time_of(loop, loop->wake);

    if (!sleep_to(loop, due - loop->lead)) {
        return 0;
    }
    if (loop->lead > 0) {
        warm_up_until(loop, due);
        if (!loop->clock->stay_until(loop->clock_self, due)) {
            return 0;
        }
    }
    const int64_t now = il_now(loop);
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
    const int64_t period = period_at(loop, loop->published);
    const int64_t behind = period - loop->wake;
    const int begins = (int)loop->begins;

    loop->begins = 0;
    if (behind <= 0) {
        loop->wake++;
        return;
    }
    if (begins) {
        /* no warm start: the clock begins when it is done */
        il_clock_start(loop);
        return;
    }
    /* this step is done, but late; the next one belongs to the period that has begun */
    const int long_step = (double)processor_time >= loop->wall_period;
    miss(loop, (uint64_t)behind, 1, long_step ? &statistics->too_long : &statistics->preempted);
    il_add(&statistics->periods, (uint64_t)behind - 1);
    loop->wake = period;
}

int il_clock_has_room(const il_loop *loop)
{
    const int64_t now = il_now(loop), step = now - loop->last_time;
    /* last_time is when the step that has just ended began; twice its duration must fit */
    return loop->backlog > 0 && now + 2 * step < time_of(loop, loop->wake) - loop->lead;
}
