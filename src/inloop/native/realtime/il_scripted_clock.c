/* A clock that follows a script; see il_clock.h.
 *
 * Only the loop advances the time: to the end of each sleep, by the duration of each step, and to
 * the limit when it sleeps beyond that. While it sleeps nothing changes, so the driver of the run
 * always finds the same state.
 */
#include "il_clock.h"

/* interval of checks while it sleeps [ns of the wall clock] */
static const int64_t LOOK_AROUND = 20000000;

static int64_t entry(const int64_t *list, int64_t count, int64_t k)
{
    return k < count ? list[k] : 0;
}

static int64_t now(void *self)
{
    const il_script *script = self;
    return inloop_time(script->box);
}

static void set_now(const il_script *script, int64_t time)
{
    __atomic_store_n(&inloop_clock_of(script->box)->now, time, __ATOMIC_RELEASE);
}

/* The grant has been used up: the time stays at its limit until the bell rings. */
static void fall_asleep(il_script *script, uint32_t grant, int64_t limit, uint32_t bell)
{
    /* a clock without a limit has continued by itself */
    if (limit != INT64_MAX && limit > now(script)) {
        set_now(script, limit);
    }
    inloop_tell_asleep(script->box, grant);
    inloop_sleep(script->box, INLOOP_INPUTS, bell, LOOK_AROUND);
    __atomic_store_n(&inloop_clock_of(script->box)->asleep, 0, __ATOMIC_SEQ_CST);
}

/* Advance the time to a moment, as far as the grant allows. */
static int pass_until(il_script *script, int64_t wake)
{
    const inloop_clock *clock = inloop_clock_of(script->box);
    const uint32_t grant = __atomic_load_n(&clock->grants, __ATOMIC_SEQ_CST);
    const int64_t limit = __atomic_load_n(&clock->limit, __ATOMIC_SEQ_CST);
    const uint32_t bell = inloop_bell(script->box, INLOOP_INPUTS);

    if (bell != script->bell) {
        /* handle the bell first */
        script->bell = bell;
        return 0;
    }
    if (wake > limit) {
        fall_asleep(script, grant, limit, bell);
        return 0;
    }
    set_now(script, wake);
    return 1;
}

static int sleep_until(void *self, int64_t time)
{
    il_script *script = self;
    const int64_t late = entry(script->late, script->late_count, script->sleeps);
    const int woken = pass_until(script, time + late);
    script->sleeps += woken;
    return woken;
}

/* A thread that stays awake is never late. */
static int stay_until(void *self, int64_t time)
{
    return now(self) >= time || pass_until(self, time);
}

static void rest(void *self, const inloop_mailbox *box, uint32_t bell)
{
    il_script *script = self;
    const inloop_clock *clock = inloop_clock_of(box);
    const uint32_t grant = __atomic_load_n(&clock->grants, __ATOMIC_SEQ_CST);
    const int64_t limit = __atomic_load_n(&clock->limit, __ATOMIC_SEQ_CST);

    if (inloop_bell(box, INLOOP_INPUTS) == bell) {
        fall_asleep(script, grant, limit, bell);
    }
}

static int64_t processor_time(void *self)
{
    const il_script *script = self;
    return script->processor;
}

static void work(void *self, enum il_work what)
{
    il_script *script = self;
    if (what == IL_WARM_UP) {
        const int64_t k = script->warm_ups++;
        set_now(script, now(script) + entry(script->warmed, script->warmed_count, k));
        return;
    }
    set_now(script, now(script) + entry(script->took, script->took_count, script->steps));
    script->processor += entry(script->used, script->used_count, script->steps);
    script->steps++;
}

const il_clock *il_scripted_clock(void)
{
    static const il_clock clock = {
        .now = now,
        .sleep_until = sleep_until,
        .stay_until = stay_until,
        .rest = rest,
        .processor_time = processor_time,
        .work = work,
    };
    return &clock;
}
