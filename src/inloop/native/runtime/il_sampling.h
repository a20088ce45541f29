/* The beginning, the samples and the end of a run. Not for users. */
#ifndef IL_SAMPLING_H
#define IL_SAMPLING_H

#include "il_method.h"
#include "il_run.h"

/* Check what both kinds of run share, set up the stepper, take the first sample. */
int il_begin(il_run *run, il_stepper *stepper);

/* Why a run ends before its next step: stop flag or no room for a sample; IL_OK if it goes on. */
int il_may_go_on(const il_run *run);

/* Samples at uniform times within a step that is good but not yet accepted.
   A status other than IL_OK: no sample was taken, and the step must not be accepted. */
int il_sample_inside(il_run *run, il_stepper *stepper, const il_span *span);

/* Take over the state at the end of the step, and sample it if it is due. */
void il_finish_step(il_run *run, il_stepper *stepper, const il_span *span);

/* Sample the last good state, hand out what the next call needs; returns status. */
int il_end(il_run *run, il_stepper *stepper, int status);

#endif
