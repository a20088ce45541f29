/* A run of equal steps; see il_run.h. */
#include "il_sampling.h"

/* From the count, not by adding h: no drift, and the same bits wherever a run was interrupted. */
static double time_of(const il_run *run, int64_t step)
{
    return run->t0 + (double)step * run->h;
}

static int one_step(il_run *run, il_stepper *stepper)
{
    const il_span span = {run->t, run->h, time_of(run, run->step + 1), run->x};

    il_save(stepper);
    int status = il_try(stepper, &span);
    if (status == IL_OK) {
        status = il_sample_inside(run, stepper, &span);
    }
    if (status != IL_OK) {
        il_restore(stepper);
        return status;
    }
    il_finish_step(run, stepper, &span);
    run->fraction = (double)run->step / (double)run->last_step;
    return IL_OK;
}

int il_run_fixed(il_run *run)
{
    il_stepper stepper;

    run->samples = 0;
    run->t = time_of(run, run->step);
    int status = run->h * run->sample_step < 0.0 ? IL_BAD_ARGUMENT : il_begin(run, &stepper);
    if (status != IL_OK) {
        return status;
    }
    while (status == IL_OK && run->step < run->last_step) {
        status = il_may_go_on(run);
        if (status == IL_OK) {
            status = one_step(run, &stepper);
        }
    }
    return il_end(run, &stepper, status);
}

int64_t il_run_size(void)
{
    return (int64_t)sizeof(il_run);
}
