/* The beginning, the samples and the end of a run; see il_sampling.h. */
#include "il_sampling.h"

#include <math.h>

#include "il_dense.h"

/* a sample this close to the end of a step is the state there [part of sample_step] */
static const double NEAR = 1e-7;

/* The next row, for the state at time t. */
static double *new_row(il_run *run, double t)
{
    run->t_samples[run->samples] = t;
    return run->x_samples + run->samples++ * il_state_size(&run->system);
}

static void sample_state(il_run *run)
{
    const size_t bytes = (size_t)il_state_size(&run->system) * sizeof *run->x;
    memcpy(new_row(run, run->t), run->x, bytes);
    run->sampled = 1;
}

/* Number of the first uniform sample after t. */
static int64_t sample_after(const il_run *run, double t)
{
    return (int64_t)floor((t - run->t0) / run->sample_step + NEAR) + 1;
}

int il_begin(il_run *run, il_stepper *stepper)
{
    const size_t bytes = (size_t)il_state_size(&run->system) * sizeof *run->x;
    const int status =
        il_stepper_init(stepper, &run->system, run->method, run->work, run->pivots);

    run->samples = 0;
    if (status != IL_OK || run->stride < 1 || run->capacity < 2) {
        return IL_BAD_ARGUMENT;
    }
    if (!il_all_finite(run->x, stepper->size) || !il_all_finite(&run->t, 1)) {
        return IL_DIVERGED;
    }
    memcpy(stepper->slope, run->slope, bytes);
    stepper->slope_known = run->slope_known != 0;
    if (run->sample_step != 0.0) {
        run->next_sample = sample_after(run, run->t);
    }
    sample_state(run);
    return IL_OK;
}

int il_may_go_on(const il_run *run)
{
    if (run->stop != NULL && *run->stop) {
        return IL_STOPPED;
    }
    return run->samples < run->capacity ? IL_OK : IL_SAMPLES_FULL;
}

/* The polynomial over the step, if it is finite. */
static int interpolate(il_stepper *stepper, const il_span *span)
{
    const int status = stepper->method->interpolate(stepper, span);
    if (status != IL_OK) {
        return status;
    }
    return il_all_finite(stepper->dense, 5 * stepper->size) ? IL_OK : IL_DIVERGED;
}

int il_sample_inside(il_run *run, il_stepper *stepper, const il_span *span)
{
    if (run->sample_step == 0.0) {
        return IL_OK;
    }
    /* those up to the end of the step, less the one at the end */
    int64_t after = sample_after(run, span->t_new);
    const double last = run->t0 + (double)(after - 1) * run->sample_step;
    after -= fabs(span->t_new - last) <= NEAR * fabs(run->sample_step);
    if (after <= run->next_sample) {
        return IL_OK;
    }
    if (run->samples + (after - run->next_sample) >= run->capacity) {
        return IL_SAMPLES_FULL;
    }
    const int status = interpolate(stepper, span);
    while (status == IL_OK && run->next_sample < after) {
        const double t = run->t0 + (double)run->next_sample++ * run->sample_step;
        il_dense_at(stepper, (t - span->t) / span->h, new_row(run, t));
    }
    return status;
}

void il_finish_step(il_run *run, il_stepper *stepper, const il_span *span)
{
    int due;

    il_accept(stepper, run->x);
    run->t = span->t_new;
    run->step++;
    run->steps_done++;
    if (run->sample_step != 0.0) {
        /* what is not after the end and was not inside is at the end */
        const int64_t after = sample_after(run, run->t);
        due = run->next_sample < after;
        run->next_sample = due ? after : run->next_sample;
    } else {
        due = run->step % run->stride == 0;
    }
    run->sampled = 0;
    if (due) {
        sample_state(run);
    }
}

int il_end(il_run *run, il_stepper *stepper, int status)
{
    if (run->samples == 0) {
        return status;
    }
    /* the last good state is always the last sample; of a run that goes on, the next first one */
    if (!run->sampled && status != IL_SAMPLES_FULL) {
        sample_state(run);
    }
    run->slope_known = stepper->slope_known;
    memcpy(run->slope, stepper->slope, (size_t)stepper->size * sizeof *run->slope);
    run->evaluations += stepper->evaluations;
    run->jacobians += stepper->jacobians;
    return status;
}
