/* Many runs of one plant on an instance of the caller, one after the other.
 *
 * The runs differ by their rows: parameters, inputs, start values. A host with several threads gives
 * each one a worker, and hands out ranges of runs; whatever order they are done in, the numbers are
 * the same. A run that fails leaves its status and the time that it reached; the next one begins
 * afresh. Nothing here allocates or knows of threads.
 */
#ifndef IL_MANY_H
#define IL_MANY_H

#include "il_run.h"
#include "il_start.h"

typedef struct il_many {
    /* the schedule: equal steps, or steps chosen by their error */
    double step;              /* [s]; 0: chosen by the error */
    int64_t steps;            /* equal ones, in all */
    int64_t stride;           /* equal ones between two samples */
    double t_end;             /* [s] */
    double spacing;           /* between two samples [s] */
    int64_t samples;          /* of each run: at multiples of the spacing, and at the end */
    int64_t most_events;      /* in one step */
    const double *rtol;       /* as in il_run, for steps chosen by their error */
    const double *atol;       /* one row per mode and choice, as long as the largest x */
    int64_t most_choices;     /* of a mode: rows of atol per mode */
    double longest;           /* step chosen by the error [s] */
    int64_t max_steps;        /* of a run, rejected ones included */

    /* where runs start */
    int64_t mode;
    int64_t kind;             /* see il_start_kind */
    il_start known;           /* from where others are led; its arrays are complete */
    il_start first;           /* rows of the first run; NULL: as the instance has it */
    il_start_strides strides; /* from row to row; 0: all runs share it */

    /* what comes out: by run, sample, and entry of q or qd; NaN where there is nothing */
    double *q, *qd;
    int64_t coordinates;
    int64_t positions;        /* length of q: coordinates, then components of quaternions, */
    int64_t turning;          /* the first of which is this output of the plant */
    int64_t *status;          /* by run */
    double *reached;          /* by run: time of the last good state [s]; NaN: it did not begin */
    int64_t *beyond;          /* by run: output that left its bounds, or row that opened; -1 */
    const volatile int *stop; /* not 0: end soon */
} il_many;

/* One thread at work. */
typedef struct il_worker {
    il_instance *instance;
    double *t_samples, *x_samples; /* samples + 3 rows */
    int64_t *mode_samples;
    double *slope;            /* as long as the largest x */
    double *atol;             /* one row per mode */
    double *scratch;          /* il_start_room doubles */
    volatile int64_t runs;    /* done so far */
    volatile int64_t steps;   /* of these runs */
} il_worker;

/* Runs begin to end - 1, or until the stop flag; the number of the first one that was not done. */
IL_EXPORT int64_t il_run_many(const il_many *many, il_worker *worker, int64_t begin, int64_t end);

#endif
