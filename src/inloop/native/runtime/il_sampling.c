/* Start, samples and end of a run; see il_sampling.h. */
#include "il_sampling.h"

/* a sample this close to the end of a leg is the state there [fraction of sample_step] */
static const double NEAR = 1e-7;

/* Append a row, for a state of the current mode at time t. */
static double *new_row(il_run *run, double t)
{
    const il_machine *machine = run->machine;
    double *row = run->x_samples + run->samples * machine->largest;

    run->t_samples[run->samples] = t;
    if (run->mode_samples) {
        run->mode_samples[run->samples] = machine->mode;
    }
    for (int64_t i = machine->stepper.size; i < machine->largest; i++) {
        row[i] = NAN;
    }
    run->samples++;
    return row;
}

static void sample_state(il_run *run)
{
    const il_machine *machine = run->machine;
    double *row = new_row(run, machine->t);
    memcpy(row, machine->x, (size_t)machine->stepper.size * sizeof *row);
    run->sampled = 1;
}

/* Index of the first uniform sample after t. */
static int64_t sample_after(const il_run *run, double t)
{
    return (int64_t)floor((t - run->t0) / run->sample_step + NEAR) + 1;
}

/* Go through transitions that have already fired, in a machine that has not entered its mode yet.
   */
static int enter(il_run *run)
{
    il_machine *machine = run->machine;
    const int64_t events = machine->event_count;

    if (machine->entered) {
        return IL_OK;
    }
    il_open(machine);
    const int status = il_close(machine, il_enter_first(machine));
    run->sampled = machine->event_count == events;
    return status;
}

int il_begin(il_run *run)
{
    il_machine *machine = run->machine;

    run->samples = 0;
    if (run->stride < 1 || run->capacity < 2 || !machine || il_machine_init(machine) != IL_OK) {
        return IL_BAD_ARGUMENT;
    }
    il_stepper *stepper = &machine->stepper;
    if (!il_all_finite(machine->x, stepper->size) || !il_all_finite(&machine->t, 1)) {
        return IL_DIVERGED;
    }
    memcpy(stepper->slope, run->slope, (size_t)stepper->size * sizeof *run->slope);
    stepper->slope_known = run->slope_known != 0;
    if (run->sample_step != 0.0) {
        run->next_sample = sample_after(run, machine->t);
    }
    sample_state(run);
    return enter(run);
}

int il_may_go_on(const il_run *run)
{
    if (run->stop != NULL && *run->stop) {
        return IL_STOPPED;
    }
    return run->samples < run->capacity ? IL_OK : IL_SAMPLES_FULL;
}

int il_sample_leg(il_run *run, il_leg *leg)
{
    il_stepper *stepper = &run->machine->stepper;

    /* those up to the end of the leg, except one at the end */
    int64_t after = sample_after(run, leg->t_end);
    const double last = run->t0 + (double)(after - 1) * run->sample_step;
    after -= fabs(leg->t_end - last) <= NEAR * fabs(run->sample_step);
    if (after <= run->next_sample) {
        return IL_OK;
    }
    if (run->samples + (after - run->next_sample) >= run->capacity) {
        return IL_SAMPLES_FULL;
    }
    int status = il_interpolate(stepper, leg);
    while (status == IL_OK && run->next_sample < after) {
        const double t = run->t0 + (double)run->next_sample++ * run->sample_step;
        status = il_state_at(stepper, leg, (t - leg->span.t) / leg->span.h, new_row(run, t));
    }
    return status;
}

void il_finish_step(il_run *run)
{
    int due;

    run->step++;
    run->steps_done++;
    if (run->sample_step != 0.0) {
        /* a sample that is neither after the end nor inside is at the end */
        const int64_t after = sample_after(run, run->machine->t);
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

int il_end(il_run *run, int status)
{
    if (run->samples == 0) {
        return status;
    }
    const il_stepper *stepper = &run->machine->stepper;
    /* the last valid state is always the last sample; if the run continues, the next first one */
    if (!run->sampled && status != IL_SAMPLES_FULL) {
        sample_state(run);
    }
    run->slope_known = stepper->slope_known;
    memcpy(run->slope, stepper->slope, (size_t)stepper->size * sizeof *run->slope);
    run->evaluations += stepper->evaluations;
    run->jacobians += stepper->jacobians;
    return status;
}
