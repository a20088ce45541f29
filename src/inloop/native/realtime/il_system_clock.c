/* CLOCK_MONOTONIC as the clock of the loop; see il_clock.h. */
#include "il_clock.h"

/* interval of checks for commands while waiting [ns] */
static const int64_t SLICE = 20000000;

static int64_t now(void *self)
{
    (void)self;
    return inloop_now();
}

static int sleep_until(void *self, int64_t time)
{
    const int64_t slice = inloop_now() + SLICE, end = time < slice ? time : slice;
    const struct timespec target = {end / 1000000000, end % 1000000000};
    (void)self;
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &target, NULL) == EINTR) {
    }
    return end == time;
}

static int stay_until(void *self, int64_t time)
{
    (void)self;
    while (inloop_now() < time) {
    }
    return 1;
}

static void rest(void *self, const inloop_mailbox *box, uint32_t bell)
{
    (void)self;
    inloop_sleep(box, INLOOP_INPUTS, bell, SLICE);
}

static int64_t processor_time(void *self)
{
    struct timespec time;
    (void)self;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

const il_clock il_system_clock = {
    .now = now,
    .sleep_until = sleep_until,
    .stay_until = stay_until,
    .rest = rest,
    .processor_time = processor_time,
    .work = NULL,
};
