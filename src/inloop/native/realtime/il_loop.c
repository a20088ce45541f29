/* The thread that runs a plant; see il_loop.h. */
#include "il_loop.h"

#include "il_histogram.h"

/* Buffers for records from the mailbox before they are applied. */
static int64_t fresh_size(const inloop_header *layout)
{
    return layout->inputs > layout->parameters ? layout->inputs : layout->parameters;
}

/* Buffer for the whole instance; empty without warm-up. */
static int64_t aside_size(const il_loop *loop)
{
    return loop->warm > 0 ? (int64_t)(loop->instance->size / sizeof(double)) : 0;
}

int64_t il_loop_scratch(const il_loop *loop)
{
    const inloop_header *layout = &loop->box.layout;
    return (int64_t)layout->rings[INLOOP_OUTPUTS].values + fresh_size(layout) + 2 * (int64_t)layout->inputs +
           layout->rings[INLOOP_COMMANDS].values + aside_size(loop) +
           layout->rings[INLOOP_OUTPUTS].values + il_placing_room(loop->instance);
}

static void cut_scratch(il_loop *loop)
{
    const inloop_header *layout = &loop->box.layout;
    double *next = loop->scratch;

    loop->outputs = next;
    loop->good = il_snapshot_in(loop, loop->outputs);
    loop->fresh = next += layout->rings[INLOOP_OUTPUTS].values;
    loop->now = next += fresh_size(layout);
    loop->before = next += layout->inputs;
    loop->command = next += layout->inputs;
    loop->aside = next += layout->rings[INLOOP_COMMANDS].values;
    loop->thrown_away = next += aside_size(loop);
    loop->placing = next + layout->rings[INLOOP_OUTPUTS].values;
}

static void tell_state(il_loop *loop, uint64_t state)
{
    inloop_statistics *statistics = inloop_statistics_of(&loop->box);
    __atomic_store_n(&statistics->heartbeat, (uint64_t)il_now(loop), __ATOMIC_RELAXED);
    __atomic_store_n(&statistics->state, state, __ATOMIC_RELEASE);
}

/* Are there inputs that answer the newest outputs? Waits for them for a moment. */
static int answered(il_loop *loop)
{
    inloop_record record;
    const uint32_t bell = inloop_bell(&loop->box, INLOOP_INPUTS);

    if (inloop_head(&loop->box, INLOOP_INPUTS) != loop->looked_at &&
        inloop_newest(&loop->box, INLOOP_INPUTS, &record, loop->fresh) == INLOOP_OK &&
        record.answers >= loop->last_outputs) {
        return 1;
    }
    loop->clock->rest(loop->clock_self, &loop->box, bell);
    return 0;
}

/* Wait until a step may be done; 0: check for changes first. */
static int wait_for_step(il_loop *loop)
{
    if (loop->paused && loop->steps_left == 0) {
        const uint32_t bell = inloop_bell(&loop->box, INLOOP_INPUTS);
        if (!il_has_command(loop) && !loop->stop) {
            loop->clock->rest(loop->clock_self, &loop->box, bell);
        }
        return 0;
    }
    if (loop->mode == IL_LOCK_STEP) {
        return answered(loop);
    }
    /* single steps do not wait for the clock */
    if (loop->mode == IL_FREE || loop->paused) {
        return 1;
    }
    return il_clock_wait(loop);
}

/* One step with its bookkeeping. */
static void do_step(il_loop *loop, int64_t flags)
{
    inloop_statistics *statistics = inloop_statistics_of(&loop->box);
    const int clocked = loop->mode == IL_CLOCK && !loop->paused;
    const il_clock *clock = loop->clock;
    const int64_t processor = clock->processor_time(loop->clock_self), begin = il_now(loop);

    /* everything that can be done before the inputs are needed */
    if (clocked && !(flags & INLOOP_EXTRA)) {
        il_fetch(loop);
    }
    il_take_parameters(loop);
    loop->taken = il_now(loop);
    il_take_inputs(loop);
    il_take_hand(loop);
    if (clock->work != NULL) {
        clock->work(loop->clock_self, IL_STEP);
    }
    il_one_period(loop, flags);
    const int64_t used = clock->processor_time(loop->clock_self) - processor;
    il_count(&statistics->step, loop->published - begin);
    il_count(&statistics->reaction, loop->published - loop->taken);
    il_count(&statistics->step_cpu, used);
    if (clocked && !(flags & INLOOP_EXTRA)) {
        il_clock_finish(loop, used);
    }
    if (loop->paused) {
        loop->steps_left--;
    }
    if (++loop->steps_done == loop->steps_wanted) {
        loop->stop = 1;
    }
}

static void *body(void *argument)
{
    il_loop *loop = argument;
    inloop_statistics *statistics = inloop_statistics_of(&loop->box);

    il_thread_prepare(&loop->privileges);
    __atomic_store_n(&statistics->thread, (uint64_t)syscall(SYS_gettid), __ATOMIC_RELAXED);
    __atomic_store(&statistics->speed, &loop->speed, __ATOMIC_RELAXED);
    il_take_parameters(loop);
    il_first_state(loop);
    il_publish_outputs(loop, INLOOP_SET);
    il_clock_start(loop);
    tell_state(loop, loop->paused ? INLOOP_PAUSED : INLOOP_RUNNING);
    while (!loop->stop) {
        il_take_commands(loop);
        tell_state(loop, loop->paused ? INLOOP_PAUSED : INLOOP_RUNNING);
        if (loop->stop || !wait_for_step(loop)) {
            continue;
        }
        do_step(loop, 0);
        if (loop->mode == IL_CLOCK && !loop->paused && !loop->stop && il_clock_has_room(loop)) {
            do_step(loop, INLOOP_EXTRA);
            loop->backlog--;
            il_add(&statistics->made_up, 1);
            __atomic_store_n(&statistics->backlog, loop->backlog, __ATOMIC_RELAXED);
        }
    }
    tell_state(loop, INLOOP_ENDED);
    inloop_ring_bell(&loop->box, INLOOP_OUTPUTS);
    if (inloop_scripted(&loop->box)) {
        /* regardless of later grants */
        inloop_tell_asleep(&loop->box, inloop_clock_of(&loop->box)->grants);
    }
    return NULL;
}

int64_t il_loop_start(il_loop *loop)
{
    const inloop_header *layout = &loop->box.layout;
    const il_plant *plant = loop->instance ? loop->instance->plant : NULL;
    if (plant == NULL || loop->substeps < 1 || !(loop->instance->step > 0.0) ||
        !(loop->period > 0.0) || !(loop->speed > 0.0) || loop->warm < 0 ||
        plant->input_count != (int64_t)layout->inputs ||
        plant->parameter_count != (int64_t)layout->parameters ||
        il_inputs_in_record(loop) !=
            1 + 2 * (int64_t)layout->coordinates + layout->states + layout->signals ||
        il_snapshot_size(loop->instance) != (int64_t)layout->stepper_states ||
        (loop->first != NULL && il_restore(loop->instance, loop->first) != IL_OK)) {
        return IL_BAD_ARGUMENT;
    }
    /* outputs must have no other writer */
    if (inloop_take(&loop->box, INLOOP_OUTPUTS) != INLOOP_OK ||
        inloop_take(&loop->box, INLOOP_PULLS) != INLOOP_OK) {
        return -EBUSY;
    }
    cut_scratch(loop);
    if (loop->follower != NULL) {
        il_follower_begin(loop->follower);
    }
    loop->clock = loop->clock != NULL ? loop->clock : &il_system_clock;
    loop->end_status = IL_OK;
    loop->bare_loop_privileges = loop->privileges;
    int error = il_thread_start(&loop->thread, body, loop);
    if (error == 0 && loop->bare_loop) {
        error = il_thread_start(&loop->bare_loop_thread, il_bare_loop_body, loop);
        if (error != 0) {
            loop->bare_loop = 0;
            il_loop_stop(loop);
            il_loop_join(loop);
        }
    }
    return -error;
}

void il_loop_stop(il_loop *loop)
{
    loop->stop = 1;
    inloop_ring_bell(&loop->box, INLOOP_INPUTS);
}

void il_loop_join(il_loop *loop)
{
    pthread_join(loop->thread, NULL);
    if (loop->bare_loop) {
        pthread_join(loop->bare_loop_thread, NULL);
    }
}

void il_loop_unlock(void)
{
    munlockall();
}
