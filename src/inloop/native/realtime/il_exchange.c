/* Read commands, parameters and inputs from the mailbox; all of them are validated. */
#include "il_histogram.h"
#include "il_loop.h"

static inloop_statistics *statistics_of(il_loop *loop)
{
    return inloop_statistics_of(&loop->box);
}

/* ---- commands ---- */

static void set_inputs(il_loop *loop)
{
    const size_t bytes = (size_t)loop->box.layout.inputs * sizeof *loop->now;
    memcpy(loop->now, loop->inputs_start, bytes);
    memcpy(loop->before, loop->inputs_start, bytes);
    loop->t_now = loop->t_before = 0.0;
    loop->seen_inputs = 0;
    loop->at_rest = 0;
    loop->stale = 0;
    if (loop->hand != NULL) {
        il_hand_let_go(loop->hand, loop->instance);
    }
}

void il_start_state(il_loop *loop)
{
    loop->step = 0;
    loop->status = IL_OK;
    loop->safe_latched = 0;
    set_inputs(loop);
    il_apply_inputs(loop, 0.0);
    (void)il_restore(loop->instance, loop->start);
    for (int64_t k = 0; k < loop->touch_count; k++) {
        /* no history: nothing follows from the first gap */
        loop->touches[k] = (il_touch){.gap = loop->touches[k].gap};
    }
}

/* Restore a snapshot, which is followed by its step number. */
static int restore(il_loop *loop, const double *values)
{
    const double most = 9007199254740992.0; /* 2^53 */
    const double step = values[loop->box.layout.stepper_states];
    if (!(step >= 0.0 && step < most) || il_restore(loop->instance, values) != IL_OK) {
        return 0;
    }
    il_start_state(loop);
    (void)il_restore(loop->instance, values);
    loop->step = (int64_t)step;
    il_set_count(loop->instance, loop->step * loop->substeps);
    return 1;
}

void il_first_state(il_loop *loop)
{
    il_start_state(loop);
    if (loop->first != NULL) {
        (void)restore(loop, loop->first);
    }
}

/* Move a joint to a position, and report the result. */
static int place(il_loop *loop, const double *values)
{
    const uint64_t result = il_place_joint(loop, values);
    __atomic_store_n(&statistics_of(loop)->placing, result, __ATOMIC_RELAXED);
    if (result == INLOOP_PLACED) {
        il_publish_outputs(loop, INLOOP_SET);
    }
    return result == INLOOP_PLACED;
}

/* Execute a command; 0 if it is invalid. */
static int obey(il_loop *loop, int64_t command, const double *values)
{
    const double value = values[0];
    switch (command) {
    case INLOOP_NO_COMMAND:
        return 1;
    case INLOOP_PAUSE:
        loop->paused = 1;
        loop->steps_left = 0;
        return 1;
    case INLOOP_RESUME:
        loop->safe_latched = 0;
        if (loop->paused) {
            loop->paused = 0;
            il_clock_start(loop);
        }
        return 1;
    case INLOOP_STEP:
        if (!(value >= 1.0 && value <= 1e15)) {
            return 0;
        }
        loop->paused = 1;
        loop->steps_left = (int64_t)value;
        return 1;
    case INLOOP_RESET:
        il_start_state(loop);
        il_publish_outputs(loop, INLOOP_SET);
        return 1;
    case INLOOP_STOP:
        loop->stop = 1;
        return 1;
    case INLOOP_SPEED:
        if (!(value >= 1e-3 && value <= 1e3)) {
            return 0;
        }
        loop->speed = value;
        il_clock_start(loop);
        return 1;
    case INLOOP_RESTORE:
        if (!restore(loop, values)) {
            return 0;
        }
        il_publish_outputs(loop, INLOOP_SET);
        return 1;
    case INLOOP_MAKE_SAFE:
        loop->safe_latched = IL_STOPPED;
        return 1;
    case INLOOP_PLACE:
        return place(loop, values);
    default:
        return 0;
    }
}

void il_take_commands(il_loop *loop)
{
    inloop_statistics *statistics = statistics_of(loop);
    const uint64_t count = loop->box.layout.rings[INLOOP_COMMANDS].values;
    inloop_record record;
    uint64_t lost = 0;

    /* also while no steps are done: writers wait for the result */
    il_take_parameters(loop);
    /* a bounded number per period, so that stepping cannot be blocked */
    for (int k = 0; k < 16 && il_has_command(loop); k++) {
        const int error = inloop_following(&loop->box, INLOOP_COMMANDS, &loop->command_cursor,
                                           &lost, &record, loop->command);
        if (error == INLOOP_BUSY) {
            /* damaged: continue after it */
            loop->command_cursor = inloop_head(&loop->box, INLOOP_COMMANDS);
        }
        if (error != INLOOP_OK || !inloop_finite(loop->command, count) ||
            !obey(loop, record.status, loop->command)) {
            il_add(&statistics->bad_commands, 1);
        }
    }
    __atomic_store(&statistics->speed, &loop->speed, __ATOMIC_RELAXED);
    __atomic_store_n(&statistics->latched, (uint64_t)loop->safe_latched, __ATOMIC_RELAXED);
    __atomic_store_n(&statistics->commands_done, loop->command_cursor, __ATOMIC_RELEASE);
}

/* ---- parameters ---- */

static int in_range(const il_loop *loop)
{
    const il_plant *plant = loop->instance->plant;
    const int64_t count = plant->parameter_count;
    int good = inloop_finite(loop->fresh, (uint64_t)count);
    for (int64_t k = 0; good && k < count; k++) {
        const il_quantity *parameter = &plant->parameters[k];
        good = loop->fresh[k] >= parameter->least && loop->fresh[k] <= parameter->most;
    }
    return good && il_within_bounds(plant, loop->fresh);
}

/* Apply parameters with which the plant can continue from its current state; 0: the old ones stay.
   */
static int take_over(il_loop *loop)
{
    if (loop->last_outputs == 0) {
        /* nothing has started yet */
        il_begin_with(loop->instance, loop->fresh);
        return 1;
    }
    return il_set_parameters(loop->instance, loop->fresh) == IL_OK;
}

void il_take_parameters(il_loop *loop)
{
    inloop_statistics *statistics = statistics_of(loop);
    inloop_record record;

    if (inloop_head(&loop->box, INLOOP_PARAMETERS) == loop->parameters_looked_at ||
        inloop_newest(&loop->box, INLOOP_PARAMETERS, &record, loop->fresh) != INLOOP_OK) {
        return;
    }
    /* processed once, whatever the result */
    loop->parameters_looked_at = record.sequence;
    if (in_range(loop) && take_over(loop)) {
        loop->parameter_sequence = record.sequence;
    } else {
        il_add(&statistics->bad_parameters, 1);
        __atomic_store_n(&statistics->parameters_refused, record.sequence, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&statistics->parameters_seen, record.sequence, __ATOMIC_RELEASE);
}

/* ---- inputs ---- */

/* Report drives that new inputs move while their velocity is and stays 0: all attached bodies are
   displaced without inertia or damping. */
static void watch_drives(il_loop *loop)
{
    inloop_statistics *statistics = statistics_of(loop);
    int64_t jumped = 0;

    for (int64_t k = 0; k < loop->drive_count; k++) {
        const int64_t q = loop->drives[k].position, qd = loop->drives[k].velocity;
        if (loop->fresh[q] != loop->now[q] && loop->fresh[qd] == 0.0 && loop->now[qd] == 0.0) {
            jumped = q + 1;
        }
    }
    if (jumped) {
        il_add(&statistics->drive_jumps, 1);
        __atomic_store_n(&statistics->jumped, (uint64_t)jumped, __ATOMIC_RELAXED);
    }
}

/* Apply inputs that are new. */
static void look(il_loop *loop, double t)
{
    inloop_statistics *statistics = statistics_of(loop);
    const size_t bytes = (size_t)loop->box.layout.inputs * sizeof *loop->now;
    inloop_record record;

    if (inloop_head(&loop->box, INLOOP_INPUTS) == loop->looked_at) {
        return;
    }
    const int error = inloop_newest(&loop->box, INLOOP_INPUTS, &record, loop->fresh);
    if (error != INLOOP_OK) {
        il_add(&statistics->torn_inputs, error == INLOOP_BUSY);
        return;
    }
    loop->looked_at = record.sequence;
    if (!inloop_finite(loop->fresh, loop->box.layout.inputs)) {
        il_add(&statistics->bad_inputs, 1);
        return;
    }
    watch_drives(loop);
    memcpy(loop->before, loop->seen_inputs ? loop->now : loop->fresh, bytes);
    loop->t_before = loop->seen_inputs ? loop->t_now : t;
    memcpy(loop->now, loop->fresh, bytes);
    loop->t_now = t;
    loop->input_sequence = record.sequence;
    /* outputs that do not exist yet cannot have been answered */
    loop->input_answers = record.answers <= loop->last_outputs ? record.answers : 0;
    loop->at_rest = (record.flags & INLOOP_REST) != 0;
    /* a stamp from the future is ignored */
    const int64_t now = il_now(loop);
    loop->input_stamp = record.stamp < 0 || record.stamp > now ? now : record.stamp;
    loop->seen_inputs = 1;
}

void il_take_inputs(il_loop *loop)
{
    inloop_statistics *statistics = statistics_of(loop);

    look(loop, il_simulated(loop));
    loop->stale = 0;
    if (!loop->seen_inputs) {
        return;
    }
    if (loop->at_rest) {
        return;
    }
    const int64_t age = loop->taken - loop->input_stamp;
    il_count(&statistics->input_age, age);
    /* outputs cannot be answered before they exist, however slow the clock is */
    if (loop->mode == IL_CLOCK && loop->stale_after > 0 && age > loop->stale_after &&
        loop->input_answers < loop->last_outputs) {
        loop->stale = 1;
        il_add(&statistics->stale_inputs, 1);
    }
}

/* ---- pulls ---- */

void il_take_hand(il_loop *loop)
{
    inloop_statistics *statistics = statistics_of(loop);
    double grips[INLOOP_GRIPS * sizeof(inloop_grip) / sizeof(double)];
    inloop_record record;

    if (loop->hand == NULL) {
        return;
    }
    if (inloop_head(&loop->box, INLOOP_HAND) != loop->hand_sequence &&
        inloop_newest(&loop->box, INLOOP_HAND, &record, grips) == INLOOP_OK) {
        const int64_t now = il_now(loop);
        loop->hand_sequence = record.sequence;
        loop->hand_stamp = record.stamp < 0 || record.stamp > now ? now : record.stamp;
        il_add(&statistics->bad_hands, !il_hand_take(loop->hand, grips));
    }
    if (loop->hand->held == 0) {
        return;
    }
    loop->hand_stale = loop->mode == IL_CLOCK && loop->stale_after > 0 &&
                       loop->taken - loop->hand_stamp > loop->stale_after;
    il_add(&statistics->stale_hands, loop->hand_stale != 0);
}

int il_holds(const il_loop *loop)
{
    return loop->hand != NULL && loop->hand->held > 0 && !loop->hand_stale && !loop->safe_latched;
}

int il_is_safe(const il_loop *loop)
{
    return loop->safe_latched || (loop->stale && loop->policy[IL_INPUT_STALE] == IL_SAFE);
}

double il_held_input(const il_loop *loop, int64_t k)
{
    /* NaN among the safe values: keep the current value */
    const double safe = loop->inputs_safe[k];
    const int led = il_leads(loop->instance, k) != 0;
    /* the plant's controller continues while external inputs are stale */
    const int64_t is_safe = led ? loop->safe_latched : il_is_safe(loop);
    if (is_safe && inloop_finite(&safe, 1)) {
        return safe;
    }
    return led ? loop->instance->inputs[k] : loop->now[k];
}

void il_apply_inputs(il_loop *loop, double t)
{
    const double span = loop->t_now - loop->t_before;
    double ahead = 0.0;

    if (loop->extrapolate && !il_is_safe(loop) && span > 0.0) {
        /* at the middle of the sub-step, and at most one interval ahead */
        ahead = (t + 0.5 * loop->instance->step - loop->t_now) / span;
        ahead = ahead < 1.0 ? ahead : 1.0;
    }
    il_let_go(loop->instance, loop->safe_latched != 0);
    for (int64_t k = 0; k < loop->instance->plant->input_count; k++) {
        const double held = il_held_input(loop, k);
        il_set_input(loop->instance, k, ahead > 0.0 ? held + ahead * (held - loop->before[k]) : held);
    }
}
