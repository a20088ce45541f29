/* One period of the plant: sub-steps, what happens when they fail, and the outputs. */
#include "il_histogram.h"
#include "il_loop.h"

static double time_of(const il_loop *loop, int64_t substep)
{
    /* as in il_fixed.c: the same bits as a simulation */
    return (double)(loop->step * loop->substeps + substep) * loop->h;
}

/* What is not in the state of the stepper: dependent coordinates, multipliers, efforts. */
static int expand(il_loop *loop, double t)
{
    double *const *to = loop->expanded;
    if (loop->expand == NULL) {
        return IL_OK;
    }
    const int64_t good = loop->expand(loop->system.context, 1, &t, loop->x, to[0], to[1], to[2],
                                      to[3], to[4]);
    return good == 1 ? IL_OK : IL_LOOP_OPEN;
}

/* All sub-steps, then what the outputs need. */
static int advance(il_loop *loop)
{
    for (int64_t k = 0; k < loop->substeps; k++) {
        const double t = time_of(loop, k);
        il_apply_inputs(loop, t);
        const int status = il_step(&loop->stepper, t, loop->h, loop->x);
        if (status != IL_OK) {
            return status;
        }
    }
    return expand(loop, time_of(loop, loop->substeps));
}

/* What the host wants done about a status. */
static void follow_policy(il_loop *loop, int64_t status)
{
    const int64_t policy = loop->policy[status];
    if (policy == IL_END) {
        loop->end_status = status;
        loop->stop = 1;
    }
    /* stale inputs are safe as long as they are stale; all else until somebody resumes */
    if (policy == IL_SAFE && status != IL_INPUT_STALE) {
        loop->safe_latched = 1;
    }
}

void il_one_period(il_loop *loop, int64_t flags)
{
    inloop_statistics *statistics = inloop_statistics_of(&loop->box);
    const size_t bytes = (size_t)loop->stepper.size * sizeof *loop->x;
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
    memcpy(loop->x_good, loop->x, bytes);
    int status = advance(loop);
    il_add(&statistics->steps, 1);
    if (status == IL_OK) {
        loop->step++;
        status = loop->stale ? IL_INPUT_STALE : late ? IL_OVERRUN : IL_OK;
    } else {
        /* the last good state stays, and time with it */
        status = status == IL_LOOP_OPEN ? IL_LOOP_OPEN : IL_DIVERGED;
        memcpy(loop->x, loop->x_good, bytes);
        il_add(&statistics->failed, 1);
        follow_policy(loop, status);
        (void)expand(loop, time_of(loop, 0));
    }
    loop->status = status;
    il_publish_outputs(loop, flags);
}

void il_publish_outputs(il_loop *loop, int64_t flags)
{
    const inloop_header *layout = &loop->box.layout;
    const int64_t found = 2 * (int64_t)layout->coordinates + layout->states + layout->signals;
    inloop_statistics *statistics = inloop_statistics_of(&loop->box);
    double *value = loop->outputs;

    if (flags & INLOOP_SET) {
        (void)expand(loop, time_of(loop, 0));
    }
    *value++ = time_of(loop, 0);
    for (int64_t k = 0; k < found; k++) {
        *value++ = *loop->sources[k];
    }
    for (int64_t k = 0; k < (int64_t)layout->inputs; k++) {
        *value++ = il_held_input(loop, k);
    }
    memcpy(value, loop->x, (size_t)loop->stepper.size * sizeof *value);
    const inloop_record about = {
        .answers = loop->input_sequence,
        .parameters = loop->parameter_sequence,
        .step = loop->step,
        .status = loop->status,
        .flags = flags,
    };
    __atomic_store_n(&statistics->status, (uint64_t)loop->status, __ATOMIC_RELAXED);
    loop->last_outputs = inloop_publish(&loop->box, INLOOP_OUTPUTS, &about, loop->outputs);
}
