/* An observer beside a plant; see il_beside.h. */
#include "il_beside.h"

#include "il_clock.h"
#include "il_histogram.h"

enum { LOOKS_UP = 50000000 }; /* checks whether to continue after this long without a record [ns] */

/* Numbers before the inputs in the records of a layout. */
static uint64_t outputs_of(const inloop_header *layout)
{
    return 1 + 2 * (uint64_t)layout->coordinates + layout->states + layout->signals;
}

int64_t il_beside_scratch(const il_beside *beside)
{
    const inloop_header *from = &beside->from.layout, *to = &beside->to.layout;
    const uint64_t told = (uint64_t)beside->follower->told_count;
    if (from->coordinates != to->coordinates || from->states != to->states ||
        from->signals + told != to->signals || from->inputs != to->inputs ||
        from->parameters != to->parameters ||
        from->stepper_states != to->stepper_states) {
        return -1;
    }
    return (int64_t)from->rings[INLOOP_OUTPUTS].values + to->rings[INLOOP_OUTPUTS].values +
           (int64_t)from->rings[INLOOP_PARAMETERS].values;
}

/* Copy the state of the plant to the statistics. */
static void pass_on_state(il_beside *beside)
{
    const inloop_statistics *from = inloop_statistics_of(&beside->from);
    inloop_statistics *to = inloop_statistics_of(&beside->to);
    const uint64_t heartbeat = __atomic_load_n(&from->heartbeat, __ATOMIC_RELAXED);
    const uint64_t state = __atomic_load_n(&from->state, __ATOMIC_ACQUIRE);
    double speed;
    __atomic_load(&from->speed, &speed, __ATOMIC_RELAXED);
    __atomic_store(&to->speed, &speed, __ATOMIC_RELAXED);
    __atomic_store_n(&to->heartbeat, heartbeat, __ATOMIC_RELAXED);
    __atomic_store_n(&to->state, state, __ATOMIC_RELEASE);
}

/* The record with the observer's outputs inserted between its outputs and its inputs. */
static void publish(il_beside *beside, const inloop_record *record)
{
    const il_follower *follower = beside->follower;
    const uint64_t outputs = outputs_of(&beside->from.layout);
    const uint64_t all = beside->from.layout.rings[INLOOP_OUTPUTS].values;
    double *to = beside->written;

    memcpy(to, beside->read, outputs * sizeof *to);
    memcpy(to + outputs, follower->told, (size_t)follower->told_count * sizeof *to);
    memcpy(to + outputs + follower->told_count, beside->read + outputs,
           (all - outputs) * sizeof *to);
    (void)inloop_publish(&beside->to, INLOOP_OUTPUTS, record, to);
}

/* Repeat the parameters that a record refers to, under their number there, for its readers. */
static void pass_on_parameters(il_beside *beside, uint64_t number)
{
    inloop_record record;
    if (number == beside->parameters || number == 0 ||
        inloop_copy(&beside->from, INLOOP_PARAMETERS, number, &record, beside->fresh) !=
            INLOOP_OK) {
        return;
    }
    inloop_fill(&beside->to, INLOOP_PARAMETERS, number, &record, beside->fresh);
    __atomic_store_n(&inloop_ring_of(&beside->to, INLOOP_PARAMETERS)->head, number,
                     __ATOMIC_RELEASE);
    beside->parameters = number;
}

/* One record, if there is one. */
static int take_record(il_beside *beside)
{
    inloop_statistics *statistics = inloop_statistics_of(&beside->to);
    inloop_record record;
    const int error = inloop_following(&beside->from, INLOOP_OUTPUTS, &beside->cursor,
                                       &beside->lost, &record, beside->read);
    if (error == INLOOP_BUSY) {
        /* overwritten repeatedly: continue with the newest one */
        const uint64_t head = inloop_head(&beside->from, INLOOP_OUTPUTS);
        beside->lost += head > beside->cursor + 1 ? head - beside->cursor - 1 : 0;
        beside->cursor = head > 0 ? head - 1 : 0;
        return INLOOP_OK;
    }
    if (error != INLOOP_OK) {
        return error;
    }
    const int64_t begin = inloop_now(), used = il_system_clock.processor_time(NULL);
    (void)il_follow_record(beside->follower, beside->read, (record.flags & INLOOP_SET) != 0);
    pass_on_parameters(beside, record.parameters);
    publish(beside, &record);
    il_count(&statistics->step, inloop_now() - begin);
    il_count(&statistics->step_cpu, il_system_clock.processor_time(NULL) - used);
    il_add(&statistics->steps, 1);
    __atomic_store_n(&statistics->status, (uint64_t)record.status, __ATOMIC_RELAXED);
    beside->records++;
    return INLOOP_OK;
}

static int has_ended(const il_beside *beside)
{
    const inloop_statistics *statistics = inloop_statistics_of(&beside->from);
    return __atomic_load_n(&statistics->state, __ATOMIC_ACQUIRE) == INLOOP_ENDED;
}

static void *body(void *argument)
{
    il_beside *beside = argument;
    inloop_statistics *statistics = inloop_statistics_of(&beside->to);
    int gone = 0;

    il_thread_prepare(&beside->privileges);
    __atomic_store_n(&statistics->thread, (uint64_t)syscall(SYS_gettid), __ATOMIC_RELAXED);
    while (!beside->stop) {
        const uint32_t bell = inloop_bell(&beside->from, INLOOP_OUTPUTS);
        if (take_record(beside) == INLOOP_OK) {
            continue;
        }
        if (gone) {
            break;
        }
        pass_on_state(beside);
        gone = has_ended(beside); /* then look once more: nothing comes after that */
        if (!gone) {
            inloop_sleep(&beside->from, INLOOP_OUTPUTS, bell, LOOKS_UP);
        }
        /* no record for long: is its process still alive? */
        if (!gone && inloop_bell(&beside->from, INLOOP_OUTPUTS) == bell) {
            gone = inloop_gone(&beside->from) == INLOOP_GONE;
        }
    }
    __atomic_store_n(&statistics->state, INLOOP_ENDED, __ATOMIC_RELEASE);
    inloop_ring_bell(&beside->to, INLOOP_OUTPUTS);
    beside->ended = 1;
    return NULL;
}

int64_t il_beside_start(il_beside *beside)
{
    /* inputs are not accepted here: write to the plant's own mailbox */
    for (int ring = 0; ring < INLOOP_RINGS; ring++) {
        if (inloop_take(&beside->to, ring) != INLOOP_OK) {
            return -EBUSY;
        }
    }
    if (il_beside_scratch(beside) < 0) {
        return IL_BAD_ARGUMENT;
    }
    pass_on_state(beside);
    const uint64_t head = inloop_head(&beside->from, INLOOP_OUTPUTS);
    beside->cursor = head > 0 ? head - 1 : 0;
    beside->read = beside->scratch;
    beside->written = beside->read + beside->from.layout.rings[INLOOP_OUTPUTS].values;
    beside->fresh = beside->written + beside->to.layout.rings[INLOOP_OUTPUTS].values;
    il_follower_begin(beside->follower);
    return -il_thread_start(&beside->thread, body, beside);
}

void il_beside_stop(il_beside *beside)
{
    beside->stop = 1;
    inloop_ring_bell(&beside->from, INLOOP_OUTPUTS);
}

void il_beside_join(il_beside *beside)
{
    pthread_join(beside->thread, NULL);
}
