/* Many steps of a machine in one call, with fixed or adaptive steps. A plain system is a machine
 * with one mode and no transitions.
 *
 * Results are kept however a run ends, and the last valid state is always the last sample. A run
 * can be called again: it continues where it ended, bit-identical to an uninterrupted one, and its
 * first sample is the state from which it continues. (After IL_SAMPLES_FULL that state may be
 * missing at the end of the previous rows.)
 */
#ifndef IL_RUN_H
#define IL_RUN_H

#include "il_machine.h"

typedef struct il_run {
    il_machine *machine;      /* not initialized: the run does that */

    /* the clock */
    double t0;                /* time of step 0, and origin of uniform sample times [s] */
    int64_t last_step;        /* fixed: index of the last step */
    double t_end;             /* adaptive: end time [s], t_end >= t */

    /* error control, for adaptive runs */
    const double *rtol;       /* relative tolerances, laid out like the absolute ones: atol of the
                                 machine, one row of the length of the largest x per mode */
    double h_min;             /* smallest step [s]; 0: limited by rounding only */
    double h_max;             /* largest step [s] */
    int64_t max_steps;        /* maximum number of steps, including rejected ones */
    double window;            /* most_events applies within this time from an event [s] */

    /* samples: every stride-th step, or uniform times if sample_step is not 0 */
    int64_t stride;
    double sample_step;       /* between t0 + k sample_step [s]; of the sign of h */
    int64_t capacity;         /* rows of t_samples and x_samples, at least 2 */
    double *t_samples;
    double *x_samples;        /* rows (q, qd, z), padded with NaN to the largest x */
    int64_t *mode_samples;    /* may be NULL */

    /* shared with other threads */
    const volatile int *stop; /* ends the run when not 0; may be NULL */
    volatile double fraction; /* out: completed fraction of the run from t0, 0 to 1 */

    /* the state, in and out: with the machine, all that influences the future */
    double *slope;            /* f(t, x), as long as the largest x */
    int64_t slope_known;
    int64_t step;             /* successful steps since t0; determines the time of fixed ones */
    double h;                 /* step [s]; adaptive: the next one, or 0 to choose the first one */
    double error_before;      /* of the last successful step, for the controller; 0: none */
    double window_end;        /* adaptive: end of the current event window [s] */

    /* counters; the caller sets them to 0 */
    int64_t steps_done;       /* adaptive: an event also ends a step */
    int64_t rejected;
    int64_t evaluations;      /* of rates */
    int64_t jacobians;
    int64_t samples;          /* out: valid rows of this call; the first one is the initial state */

    /* private: index of the next uniform sample; is the current state already a sample? */
    int64_t next_sample;
    int64_t sampled;
} il_run;

/* Step until the end, a bad status, a state that is not finite, or the stop flag. */
IL_EXPORT int il_run_fixed(il_run *run);

/* The same with adaptive steps of IL_DOPRI or IL_RODAS. A step that ends with IL_DIVERGED,
   IL_LOOP_OPEN, IL_INDICATOR_LOST or IL_OUT_OF_BOUNDS is retried with smaller h before that becomes
   the status of the run; any other status of the system ends it at once. An event ends a step, and
   the next one begins with a quarter of its length. */
IL_EXPORT int il_run_adaptive(il_run *run);

#endif
