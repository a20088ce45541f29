/* Many steps of a machine in one call: fixed steps, or steps that keep the error below a tolerance.
 * A plain system is a machine with one mode and no transitions.
 *
 * What was computed is kept however a run ends, and the last good state is always the last sample.
 * A run can be called again: it goes on where it ended, to the last bit as if never interrupted,
 * and its first sample is the state from which it goes on. (After IL_SAMPLES_FULL that state may
 * be missing at the end of the rows before.)
 */
#ifndef IL_RUN_H
#define IL_RUN_H

#include "il_machine.h"

typedef struct il_run {
    il_machine *machine;      /* not initialized: the run does that */

    /* the clock */
    double t0;                /* time of step 0, and origin of uniform sample times [s] */
    int64_t last_step;        /* fixed: number of the step after which to end */
    double t_end;             /* adaptive: when to end [s], t_end >= t */

    /* error control, for adaptive runs */
    const double *rtol;       /* relative tolerances, laid out like the absolute ones: atol of the
                                 machine, one row of the length of the largest x per mode */
    double h_min;             /* smallest step [s]; 0: only what rounding needs */
    double h_max;             /* largest step [s] */
    int64_t max_steps;        /* steps, rejected ones included */
    double window;            /* most_events counts within this time from an event [s] */

    /* samples: every stride-th step, or uniform times if sample_step is not 0 */
    int64_t stride;
    double sample_step;       /* between t0 + k sample_step [s]; of the sign of h */
    int64_t capacity;         /* rows of t_samples and x_samples, at least 2 */
    double *t_samples;
    double *x_samples;        /* rows (q, qd, z), padded with NaN to the largest x */
    int64_t *mode_samples;    /* may be NULL */

    /* seen from and set by other threads */
    const volatile int *stop; /* ends the run when it is not 0; may be NULL */
    volatile double fraction; /* out: part of the run from t0 that is done, 0 to 1 */

    /* the state, in and out: with the machine, all that influences the future */
    double *slope;            /* f(t, x), as long as the largest x */
    int64_t slope_known;
    int64_t step;             /* good steps since t0; the time of fixed ones follows from it */
    double h;                 /* step [s]; adaptive: the next one, or 0 to choose the first one */
    double error_before;      /* of the last good step, for the controller; 0: none */
    double window_end;        /* adaptive: when to count events anew [s] */

    /* counters; the caller sets them to 0 */
    int64_t steps_done;       /* adaptive: an event ends a step too */
    int64_t rejected;
    int64_t evaluations;      /* of rates */
    int64_t jacobians;
    int64_t samples;          /* out: good rows of this call; the first one is the first state */

    /* private: number of the next uniform sample; is the present state a sample already? */
    int64_t next_sample;
    int64_t sampled;
} il_run;

/* Steps until the end, a bad status, a state that is not finite, or the stop flag. */
IL_EXPORT int il_run_fixed(il_run *run);

/* The same with the steps of IL_DOPRI or IL_RODAS chosen by their error estimate. A step that ends
   with IL_DIVERGED, IL_LOOP_OPEN, IL_INDICATOR_LOST or IL_OUT_OF_BOUNDS is tried again with smaller h before that
   becomes the status of the run; any other status of the system ends it at once. An event ends a
   step, and the next one begins with a quarter of its length. */
IL_EXPORT int il_run_adaptive(il_run *run);

#endif
