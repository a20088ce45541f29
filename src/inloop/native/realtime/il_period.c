/* One period of the plant: sub-steps, handling of failures, and the outputs. */
#include "il_histogram.h"
#include "il_loop.h"

static int advance(il_loop *loop, int holds)
{
    for (int64_t k = 0; k < loop->substeps; k++) {
        if (loop->hand != NULL && loop->hand->applied) {
            il_hand_take_back(loop->hand, loop->instance);
        }
        il_apply_inputs(loop, il_time(loop->instance));
        const int status = holds ? il_hand_advance(loop->hand, loop->instance)
                                 : il_advance(loop->instance);
        if (status != IL_OK) {
            return status;
        }
    }
    return IL_OK;
}

/* All sub-steps, then the outputs after the first entry. Changes only the instance and the reports
   of the pulls. */
int il_advance_period(il_loop *loop, double *outputs)
{
    const int holds = il_holds(loop);
    int status = advance(loop, holds);
    if (status != IL_OK && holds) {
        /* pulls must not end the run */
        il_hand_take_back(loop->hand, loop->instance);
        (void)il_restore(loop->instance, loop->good);
        il_hand_refuse(loop->hand);
        status = advance(loop, 0);
    }
    return status != IL_OK ? status : il_outputs(loop->instance, outputs + 1);
}

/* The host's policy for a status. */
static void follow_policy(il_loop *loop, int64_t status)
{
    const int64_t policy = loop->policy[status];
    if (policy == IL_END) {
        loop->end_status = status;
        loop->stop = 1;
    }
    /* stale inputs are safe while they are stale; all else until a resume */
    if (policy == IL_SAFE && status != IL_INPUT_STALE) {
        loop->safe_latched = status;
    }
}

/* Statuses of a failed step that are reported separately. */
static int told_apart(int status)
{
    const int known = status == IL_LOOP_OPEN || status == IL_CHATTERING ||
                      status == IL_OUT_OF_BOUNDS || status == IL_CONTROLLER_FAILED;
    return known ? status : IL_DIVERGED;
}

/* Report contacts so short that their forces are not resolved, or that fall between two steps: the
   impact may have gained or lost any energy. */
static void watch_touches(il_loop *loop)
{
    enum { FEWEST = 4 };
    inloop_statistics *statistics = inloop_statistics_of(&loop->box);
    for (int64_t k = 0; k < loop->touch_count; k++) {
        il_touch *touch = &loop->touches[k];
        const double gap = loop->outputs[touch->gap];
        const double change = gap - touch->last;
        const int brief = gap >= 0.0 && touch->pressed > 0 && touch->pressed < FEWEST;
        const int unseen = gap >= 0.0 && touch->pressed == 0 && change > 0.0 &&
                           touch->change < 0.0 && touch->last + touch->change < 0.0;
        if (brief || unseen) {
            il_add(&statistics->brief_contacts, 1);
            __atomic_store_n(&statistics->touched, (uint64_t)touch->gap, __ATOMIC_RELAXED);
        }
        touch->pressed = gap < 0.0 ? touch->pressed + loop->substeps : 0;
        touch->last = gap;
        touch->change = change;
    }
}

/* Report which coordinate or velocity would have left its bounds. */
static void tell_beyond(il_loop *loop)
{
    /* the first output is time */
    const int64_t output = 1 + il_output_beyond(loop->instance);
    __atomic_store_n(&inloop_statistics_of(&loop->box)->beyond, (uint64_t)output,
                     __ATOMIC_RELAXED);
}

/* Publish the pulls, before the outputs that they led to. */
static void publish_pulls(il_loop *loop)
{
    double pulls[INLOOP_GRIPS * sizeof(inloop_pull) / sizeof(double)];
    const inloop_record about = {
        .answers = loop->hand_sequence,
        .step = (int64_t)loop->last_outputs + 1,
    };
    memcpy(pulls, loop->hand->pulls, sizeof pulls);
    (void)inloop_publish(&loop->box, INLOOP_PULLS, &about, pulls);
}

void il_one_period(il_loop *loop, int64_t flags)
{
    inloop_statistics *statistics = inloop_statistics_of(&loop->box);
    il_instance *instance = loop->instance;
    const il_counts before = instance->counts;
    const int64_t events = instance->machine.events_lost;
    const int late = (int)loop->late;

    loop->late = 0;
    if (late) {
        follow_policy(loop, IL_OVERRUN);
    }
    if (loop->stale) {
        follow_policy(loop, IL_INPUT_STALE);
    }
    flags |= il_is_safe(loop) ? INLOOP_SAFE : 0;
    il_add(&statistics->safe_steps, (flags & INLOOP_SAFE) != 0);
    int status = il_advance_period(loop, loop->outputs);
    const int failed = status != IL_OK;
    il_add(&statistics->steps, 1);
    if (!failed) {
        watch_touches(loop);
        loop->step++;
        il_add(&statistics->events, (uint64_t)(instance->machine.events_lost - events));
        il_add(&statistics->partitions, (uint64_t)(instance->counts.choices - before.choices));
        il_add(&statistics->singular, (uint64_t)(instance->counts.singular - before.singular));
        il_add(&statistics->missed_turns, (uint64_t)(instance->counts.nearby - before.nearby));
        const int64_t inexact = instance->counts.inexact - before.inexact;
        il_add(&statistics->inexact_contacts, (uint64_t)inexact);
        status = loop->stale  ? IL_INPUT_STALE
                 : inexact    ? IL_CONTACT_INEXACT
                 : late       ? IL_OVERRUN
                              : IL_OK;
    } else {
        /* the last valid state and its time are kept */
        status = told_apart(status);
        if (status == IL_OUT_OF_BOUNDS) {
            tell_beyond(loop);
        }
        (void)il_restore(instance, loop->good);
        il_add(&statistics->failed, 1);
        loop->failure = status;
        __atomic_store_n(&statistics->failure, (uint64_t)status, __ATOMIC_RELAXED);
        (void)il_outputs(instance, loop->outputs + 1);
    }
    loop->status = status;
    /* the record holds the inputs of this step; changes are for the next one */
    if (il_holds(loop)) {
        publish_pulls(loop);
        flags |= INLOOP_PULLED;
    }
    il_publish_outputs(loop, flags);
    if (failed) {
        follow_policy(loop, status);
    }
}

double *il_snapshot_in(const il_loop *loop, double *outputs)
{
    return outputs + il_inputs_in_record(loop) + loop->instance->plant->input_count;
}

void il_complete_outputs(il_loop *loop, double *outputs)
{
    double *const inputs = outputs + il_inputs_in_record(loop);
    outputs[0] = il_simulated(loop);
    for (int64_t k = 0; k < loop->instance->plant->input_count; k++) {
        inputs[k] = il_held_input(loop, k);
    }
    il_take_snapshot(loop->instance, il_snapshot_in(loop, outputs));
}

/* Update the observer, and append its outputs. */
static void observe(il_loop *loop, int64_t flags)
{
    il_follower *follower = loop->follower;
    double *const told = loop->outputs + il_inputs_in_record(loop) - follower->told_count;
    (void)il_follow_record(follower, loop->outputs, (flags & INLOOP_SET) != 0);
    memcpy(told, follower->told, (size_t)follower->told_count * sizeof *told);
}

void il_publish_outputs(il_loop *loop, int64_t flags)
{
    il_instance *instance = loop->instance;
    inloop_statistics *statistics = inloop_statistics_of(&loop->box);

    if (flags & INLOOP_SET) {
        (void)il_outputs(instance, loop->outputs + 1);
        loop->begins = 1;
    }
    il_complete_outputs(loop, loop->outputs);
    if (loop->follower != NULL) {
        observe(loop, flags);
    }
    const inloop_record about = {
        .answers = loop->input_sequence,
        .parameters = loop->parameter_sequence,
        .step = loop->step,
        .status = loop->status,
        .flags = flags,
        .partition = il_aspect_of(instance),
    };
    __atomic_store_n(&statistics->status, (uint64_t)loop->status, __ATOMIC_RELAXED);
    loop->last_outputs = inloop_publish(&loop->box, INLOOP_OUTPUTS, &about, loop->outputs);
    loop->published = il_now(loop);
}
