/* One step of an integrator, the same in batch simulation and in real time.
 *
 * Nothing here allocates, locks, prints or keeps state outside il_stepper: the caller owns all
 * memory. A step either succeeds or leaves x, and the context of the system, as they were.
 */
#ifndef IL_STEPPER_H
#define IL_STEPPER_H

#include "il_system.h"

enum il_method_id {
    IL_EULER = 0, /* symplectic (semi-implicit) Euler, order 1; z by explicit Euler */
    IL_RK4 = 1,   /* classical Runge-Kutta, order 4 */
    IL_DOPRI = 2, /* Dormand-Prince 5(4), order 5, error estimate, dense output of order 4 */
    IL_RODAS = 3, /* Rosenbrock, order 4(3), L-stable, error estimate, dense output of order 3 */
    IL_IMPLICIT = 4, /* Rosenbrock, order 2 with any Jacobian, L-stable; cheap, for real time */
    IL_MOREAU = 5,   /* time-stepping for hard contacts; order 2, and 1 where friction changes */
    IL_ALPHA = 6,    /* generalized alpha of bodies with six coordinates each, order 2 */
    IL_EVENT_DRIVEN = 7 /* hard contacts from event to event, IL_DOPRI between them */
};

struct il_method;

/* A method at work on a system. */
typedef struct il_stepper {
    il_system system;
    const struct il_method *method;
    int64_t size;         /* of x */
    double *x_new;        /* state at the end of the step that is being tried */
    double *error;        /* estimate of its error, by methods that have one */
    double *slope;        /* f at the start of the step, when slope_known */
    double *slope_new;    /* f at its end, when slope_new_known */
    double *dense;        /* five rows: the polynomial over the step, see il_dense.h */
    double *stages;       /* what only the method knows */
    int64_t *pivots;      /* of the implicit methods */
    const double *atol;   /* what is small in each component, for differences; may be NULL */
    int slope_known;
    int slope_new_known;
    int jacobian_known;   /* at the start of the step */
    int64_t evaluations;  /* calls of rates so far */
    int64_t jacobians;    /* Jacobians so far, by whatever way */
} il_stepper;

/* Length of the work array [doubles]; -1 for an unknown method or senseless sizes. */
IL_EXPORT int64_t il_work_size(int64_t method, int64_t n, int64_t m);

/* Set up a stepper in memory of the caller.
 *
 * work: il_work_size numbers; pivots: n + m integers, needed by IL_RODAS, and by IL_IMPLICIT for
 * systems without `predict`; else NULL.
 * Returns IL_BAD_ARGUMENT for an unknown method, senseless sizes or missing memory.
 */
IL_EXPORT int il_stepper_init(il_stepper *stepper, const il_system *system, int64_t method,
                              double *work, int64_t *pivots);

/* One step from t to t + h, in place. Inputs and parameters may have changed since the last one. */
IL_EXPORT int il_step(il_stepper *stepper, double t, double h, double *x);

#endif
