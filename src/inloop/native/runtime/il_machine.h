/* A hybrid system: modes, and transitions between them at events.
 *
 * One step is the same in batch simulation and in real time. Nothing here allocates, locks, prints
 * or keeps state outside il_machine: the caller owns all memory. A step either succeeds or leaves
 * the machine (mode, x, armed flags, history, log), and the contexts of its modes, unchanged.
 *
 * Rules
 *
 * Detection. After a trial step from t to t + h the indicators are evaluated on the dense output of
 * the method at h/4, h/2 and 3h/4, and at the end: a dip shorter than a quarter of a step may be
 * missed. Steps with hard contacts have no dense output: only their ends are checked, and a state
 * inside is that of a shorter step. The earliest crossing counts; of crossings at the same time,
 * within the time tolerance, the transition that was declared first.
 *
 * Location. The root is bracketed on the dense output until its time is known to the time
 * tolerance, max(4 eps |t|, time_tolerance), and the indicator is within its tolerance of zero, by
 * the Illinois method and bisection, in at most 100 trials (il_root.h). State and time of the event
 * are those of the end of the bracket that is closer to zero. The jump follows, then the rest of
 * the step in the next mode, with its own events; a rest below the time tolerance is skipped.
 *
 * Arming. A transition fires at zero only after its indicator has been on the armed side (positive
 * for a falling one, negative for a rising one, either for direction 0) by more than its tolerance
 * since the mode was entered. One that starts within its tolerance does not fire at once; if it
 * leaves through the firing side it fires when it passes its tolerance there. One that starts
 * beyond twice its tolerance on the firing side fires at once, before any step. Re-entering a mode
 * re-arms it: a transition into its own mode must reverse its indicator, or have direction 0, which
 * arms on either side. The tolerance defines zero: choose it above the rounding error of the
 * indicator and below the smallest relevant excursion.
 *
 * Settling. Firings of one transition accumulate when two consecutive intervals were each shorter
 * than the one before and one of these holds for the last one, T:
 *  - it is below settle_time, or the remaining time, T r / (1 - r), is, where r is the larger of
 *    the last two ratios of intervals;
 *  - the transition was never armed in it: the excursion was within the tolerance;
 *  - it ends with the last event allowed in this step.
 * Then the machine enters settles_in by the jump `settle`. If there is no such mode, or the allowed
 * events are used up otherwise, the step fails with IL_CHATTERING. Transitions that fire at once do
 * not settle.
 */
#ifndef IL_MACHINE_H
#define IL_MACHINE_H

#include "il_stepper.h"

/* Report of a jump; presented to users by native/running/machine_run.py. */
typedef struct il_record {
    double energy_before; /* kinetic and potential [J] */
    double energy_after;  /* [J] */
    double restitution;   /* of an impact, 0 to 1 */
} il_record;

/* g[k](t, x); returns IL_OK or the status that ends the run. */
typedef int (*il_indicators)(void *context, double t, const double *x, double *g);

/* State of the next mode from the state of this one; the record is zero on entry.
   Returns IL_OK or the status that ends the run. */
typedef int (*il_jump)(void *context, double t, const double *x, double *x_new, il_record *record);

typedef struct il_transition {
    int64_t indicator;    /* index into g */
    int64_t direction;    /* -1: falling through zero, +1: rising, 0: either */
    int64_t target;       /* next mode */
    il_jump jump;         /* NULL: the state is kept (sizes must agree) */
    void *context;        /* passed to jump */
    int64_t settles_in;   /* next mode at an accumulation point, -1: none */
    il_jump settle;       /* jump to that mode; NULL: the state is kept */
    void *settle_context; /* passed to settle */
} il_transition;

typedef struct il_mode {
    il_system system;
    il_indicators indicators;         /* may be NULL if there are no transitions */
    void *context;                    /* passed to indicators */
    int64_t indicator_count;
    const double *tolerances;         /* one per indicator, > 0: smaller values count as zero */
    const il_transition *transitions;
    int64_t transition_count;
} il_mode;

/* A row of the log. */
typedef struct il_event {
    double t;           /* [s] */
    int64_t mode;       /* before */
    int64_t transition; /* of that mode */
    int64_t next_mode;
    int64_t settled;    /* not 0: at an accumulation point */
    il_record record;
} il_event;

/* Firing history of a transition; all 0: never fired. */
typedef struct il_history {
    double t;            /* last time [s] */
    double interval;     /* since the time before [s] */
    double ratio;        /* of the last two intervals */
    double ratio_before; /* of the two before */
    int64_t firings;     /* consecutive firings with decreasing intervals */
    int64_t excursion;   /* not 0: armed since the last firing */
} il_history;

typedef struct il_machine {
    /* set by the caller */
    const il_mode *modes;
    int64_t mode_count;
    int64_t method;        /* one of il_method_id */
    int64_t most_events;   /* in one step */
    double settle_time;    /* [s] */
    double time_tolerance; /* smaller time differences are ignored [s] */
    const double *atol;    /* row per mode: scale of small values, see il_stepper; may be NULL */

    /* memory of the caller, sizes from il_machine_measure */
    double *work;
    int64_t *integers;

    /* the log; overflow is counted or, if `complete`, fails with IL_SAMPLES_FULL */
    il_event *events;
    double *event_states;  /* rows (x before, x after), each padded with NaN to `largest` */
    int64_t event_capacity;
    int64_t event_count;
    int64_t events_lost;
    int64_t complete;

    /* the state, in and out: with the contexts, all that influences the future */
    double t;              /* [s] */
    int64_t mode;
    int64_t entered;       /* 0: arm, and fire pending transitions, before the first step */
    double *x;             /* `largest` numbers */
    int64_t *armed;        /* per transition of the mode: armed side +1 or -1, 0: not armed */
    il_history *history;   /* per transition of all modes; a private copy follows */
    int64_t events_in_step;

    /* location of a failure caused by an event */
    double fault_t;           /* [s] */
    int64_t fault_mode;       /* -1: no such failure */
    int64_t fault_transition; /* -1: the indicators returned a bad status */

    /* private */
    il_stepper stepper;    /* of the current mode; counts evaluations and Jacobians */
    int64_t largest;       /* length of the longest x */
    int64_t transitions;   /* of all modes */
    int64_t *pivots;
    int64_t *armed_new;    /* at the end of the trial step */
    int64_t *visited;      /* modes whose contexts were saved in this step */
    int64_t visited_count;
    double *x_event;
    double *x_jump;
    double *g;             /* at a point of the trial step */
    double *g_trial;       /* at a trial of the root */
    /* restored when a step fails */
    int64_t kept;
    double t_kept;
    int64_t mode_kept;
    int64_t entered_kept;
    int64_t event_count_kept;
    int64_t events_lost_kept;
    int64_t events_in_step_kept;
    int64_t slope_known_kept;
    double *x_kept;
    double *slope_kept;
    int64_t *armed_kept;
} il_machine;

typedef struct il_machine_sizes {
    int64_t work;        /* doubles */
    int64_t integers;
    int64_t largest;     /* length of x, and of a row of samples or states */
    int64_t armed;
    int64_t transitions; /* history: twice as many */
} il_machine_sizes;

/* Maximum sizes over a set of modes. */
typedef struct il_extent {
    int64_t work, integers; /* for the steppers */
    int64_t largest, armed, indicators;
    int64_t transitions;    /* of all modes together */
} il_extent;

/* Include a mode with n coordinates and m first-order states; IL_BAD_ARGUMENT if the method or a
   number is invalid. */
int il_extend(il_extent *extent, int64_t method, int64_t n, int64_t m, int64_t indicators,
              int64_t transitions);

/* Memory sizes of a machine of this extent. */
il_machine_sizes il_machine_room(const il_extent *extent, int64_t mode_count);

/* The same for given modes; IL_BAD_ARGUMENT if modes or method are invalid. */
IL_EXPORT int il_machine_measure(const il_mode *modes, int64_t mode_count, int64_t method,
                                 il_machine_sizes *sizes);

/* Initialize the private part. Call it before the first step and whenever the caller has changed
   the mode; for a new mode set `entered` to 0. */
IL_EXPORT int il_machine_init(il_machine *machine);

/* One step from t to t_new, which is t + h up to rounding: the clock of the host decides. Inputs and
   parameters may have changed since the last one. */
IL_EXPORT int il_machine_step(il_machine *machine, double t, double h, double t_new);

#endif
