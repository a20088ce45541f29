/* One step of an integrator, the same in batch simulation and in real time.
 *
 * Nothing here allocates, locks, prints or keeps state outside il_stepper: the caller owns all
 * memory. A step either succeeds or leaves x, and the context of the system, unchanged.
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
    IL_MOREAU = 5,   /* time-stepping for hard contacts; order 2, or 1 where friction changes */
    IL_ALPHA = 6,    /* generalized alpha in redundant coordinates, order 2 */
    IL_EVENT_DRIVEN = 7 /* event-driven hard contacts, IL_DOPRI between events */
};

struct il_method;

/* An integrator applied to a system. */
typedef struct il_stepper {
    il_system system;
    const struct il_method *method;
    int64_t size;         /* of x */
    double *x_new;        /* state at the end of the trial step */
    double *error;        /* its error estimate, for methods that have one */
    double *slope;        /* f at the start of the step, when slope_known */
    double *slope_new;    /* f at its end, when slope_new_known */
    double *dense;        /* five rows: the polynomial over the step, see il_dense.h */
    double *stages;       /* private to the method */
    int64_t *pivots;      /* of the implicit methods */
    const double *atol;   /* scale of small values by component, for differences; may be NULL */
    int slope_known;
    int slope_new_known;
    int jacobian_known;   /* at the start of the step */
    int64_t evaluations;  /* calls of rates so far */
    int64_t jacobians;    /* Jacobians so far, analytic or by differences */
} il_stepper;

/* Length of the work array [doubles]; -1 for an unknown method or invalid sizes. */
IL_EXPORT int64_t il_work_size(int64_t method, int64_t n, int64_t m);

/* Initialize a stepper in caller-provided memory.
 *
 * work: il_work_size numbers; pivots: n + m integers, needed by IL_RODAS, and by IL_IMPLICIT for
 * systems without `predict`; else NULL. Returns IL_BAD_ARGUMENT for an unknown method, invalid
 * sizes or missing memory.
 */
IL_EXPORT int il_stepper_init(il_stepper *stepper, const il_system *system, int64_t method,
                              double *work, int64_t *pivots);

/* One step from t to t + h, in place. Inputs and parameters may have changed since the last one. */
IL_EXPORT int il_step(il_stepper *stepper, double t, double h, double *x);

#endif
