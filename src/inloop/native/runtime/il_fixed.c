/* A run with fixed steps; see il_run.h. */
#include "il_sampling.h"

/* From the step count, not by adding h: no drift, and bit-identical after interruptions. */
static double time_of(const il_run *run, int64_t step)
{
    return run->t0 + (double)step * run->h;
}

static int one_step(il_run *run)
{
    il_machine *machine = run->machine;
    const int64_t samples = run->samples;
    const int64_t next_sample = run->next_sample;
    const double t_new = time_of(run, run->step + 1);

    machine->events_in_step = 0;
    il_open(machine);
    const int status =
        il_close(machine, il_take_step(machine, run->h, t_new, il_sample_inside, run));
    if (status != IL_OK) {
        run->samples = samples;
        run->next_sample = next_sample;
        return status;
    }
    il_finish_step(run);
    run->fraction = (double)run->step / (double)run->last_step;
    return IL_OK;
}

int il_run_fixed(il_run *run)
{
    run->samples = 0;
    if (run->h * run->sample_step < 0.0 || !run->machine) {
        return IL_BAD_ARGUMENT;
    }
    run->machine->t = time_of(run, run->step);
    int status = il_begin(run);
    while (status == IL_OK && run->step < run->last_step) {
        status = il_may_go_on(run);
        if (status == IL_OK) {
            status = one_step(run);
        }
    }
    return il_end(run, status);
}
