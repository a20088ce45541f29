/* Fixed-step integrators for x = (q, qd), the same in batch simulation and in real time.
 *
 * Nothing here allocates, locks, prints or keeps state: the caller owns all memory. A step either
 * succeeds or leaves q and qd as they were.
 */
#ifndef IL_STEPPERS_H
#define IL_STEPPERS_H

#include <stdint.h>

#include "il_export.h"
#include "il_status.h"

/* qdd = f(t, q, qd); returns IL_OK or the status that ends the run. Must not change q and qd. */
typedef int (*il_accelerations)(void *context, double t, const double *q, const double *qd,
                                double *qdd);

enum il_method {
    IL_EULER = 0, /* symplectic (semi-implicit) Euler, order 1 */
    IL_RK4 = 1    /* classical Runge-Kutta, order 4 */
};

typedef struct il_system {
    il_accelerations accelerations;
    void *context; /* handed to accelerations */
    int64_t n;     /* number of coordinates */
} il_system;

/* A run of many steps; samples are rows of n numbers. */
typedef struct il_fixed_run {
    il_system system;
    int64_t method;           /* one of il_method */
    double t0;                /* time of the first state [s] */
    double h;                 /* step [s] */
    int64_t steps;            /* steps to do */
    int64_t stride;           /* steps between two samples, at least 1 */
    const volatile int *stop; /* ends the run when it is not 0; may be NULL */
    double *q;                /* in: first state; out: last good state */
    double *qd;
    double *work;             /* il_work_size numbers */
    double *t_samples;        /* il_sample_count numbers */
    double *q_samples;        /* il_sample_count rows */
    double *qd_samples;       /* il_sample_count rows */
    int64_t steps_done;       /* out: good steps */
    int64_t samples;          /* out: good samples, the last good state being the last one */
} il_fixed_run;

/* Length of the work array [doubles]; -1 for an unknown method. */
IL_EXPORT int64_t il_work_size(int64_t method, int64_t n);

/* Rows to provide for samples: the first state, every stride-th one and the last. */
IL_EXPORT int64_t il_sample_count(int64_t steps, int64_t stride);

/* One step from t to t + h, in place. */
IL_EXPORT int il_step_euler(const il_system *system, double t, double h, double *q, double *qd,
                            double *work);
IL_EXPORT int il_step_rk4(const il_system *system, double t, double h, double *q, double *qd,
                          double *work);

/* Steps until the end, a bad status, a state that is not finite, or the stop flag. */
IL_EXPORT int il_run_fixed(il_fixed_run *run);

#endif
