/* Start, samples and end of a run. Internal. */
#ifndef IL_SAMPLING_H
#define IL_SAMPLING_H

#include "il_modes.h"
#include "il_run.h"

/* Common checks of both kinds of run, set-up of the machine, first sample, entry of the mode. */
int il_begin(il_run *run);

/* Why a run ends before its next step: stop flag or no room for a sample; IL_OK if it continues. */
int il_may_go_on(const il_run *run);

/* Samples at uniform times within a leg that is not accepted yet. A status other than IL_OK: no
   sample was taken, and the leg must not be accepted. */
int il_sample_leg(il_run *run, il_leg *leg);

/* The same, if there are such samples; an il_inside. */
static inline int il_sample_inside(void *host, il_leg *leg)
{
    il_run *run = host;
    return run->sample_step == 0.0 ? IL_OK : il_sample_leg(run, leg);
}

/* Count the step that the machine has done, and sample its end if due. */
void il_finish_step(il_run *run);

/* Sample the last valid state, store what the next call needs; returns status. */
int il_end(il_run *run, int status);

#endif
