/* The system that a stepper integrates: n second-order coordinates and m first-order states.
 *
 * x = (q[n], qd[n], z[m]) and xd = (qd, qdd, zd); xd[0 .. n) is qd itself. z are the internal
 * states of force laws, followed by the unit quaternions of ball joints (il_attitude.h), which are
 * normalized after every step. No function may change x.
 */
#ifndef IL_SYSTEM_H
#define IL_SYSTEM_H

#include <stdint.h>

#include "il_attitude.h"
#include "il_export.h"
#include "il_status.h"

/* xd = f(t, x); returns IL_OK or the status that ends the run. */
typedef int (*il_rates)(void *context, double t, const double *x, double *xd);

/* J = df/dx, row-major (2n+m)², and dfdt; xd = f(t, x); h is the step that needs them. The first n
   rows are known, (0, I, 0), and need not be written. */
typedef int (*il_jacobian)(void *context, double t, double h, const double *x, const double *xd,
                           double *J, double *dfdt);

/* The two halves of an implicit step, for systems that solve their own linear equations: those with
 * the matrix I - g W, where W contains at least the stiff part of df/dx. The corrector uses the
 * matrix that the predictor has left in the context.
 *
 * k = (I - g W)^-1 (f(t, x) + g df/dt), W at x; likewise the stiff part of df/dt */
typedef int (*il_predictor)(void *context, double t, const double *x, double g, double *k);
/* y = (I - g W)^-1 (w f(t, x) - k + (w - 1) g df/dt), W and df/dt those of the predictor */
typedef int (*il_corrector)(void *context, double t, const double *x, double g, double w,
                            const double *k, double *y);

/* Effect of an impulse [N s or N m s, by coordinate] during a step of IL_MOREAU: changes of the
   velocities, then of the states of force laws; with the matrix of the predictor, where g is the
   step. */
typedef void (*il_responder)(void *context, double g, const double *push, double *change);

/* Save, or restore, what the context keeps between calls, such as warm starts. */
typedef void (*il_memory)(void *context);

/* A step by the system itself, from t to t_new = t + h, for IL_ALPHA. whole: fail instead of
   dividing the step, because the caller will retry with a shorter one. */
typedef int (*il_advancer)(void *context, double t, double h, double t_new, const double *x,
                           double *x_new, int whole);

/* Project a state at the end of a step onto the constraints. */
typedef int (*il_fitter)(void *context, double t, double *x);

struct il_contacts;

/* Plausible range of each entry of x. */
typedef struct il_bounds {
    const double *most; /* largest absolute values, finite */
    int64_t beyond;     /* out: entry that left its bounds in a step with IL_OUT_OF_BOUNDS */
} il_bounds;

typedef struct il_system {
    il_rates rates;
    il_jacobian jacobian; /* may be NULL: implicit methods then use finite differences */
    il_memory save;       /* may be NULL; called before a step */
    il_memory restore;    /* may be NULL; called after a failed or rejected step */
    il_predictor predict; /* may be NULL: IL_IMPLICIT then uses all of df/dx as W, and IL_MOREAU
                             is explicit */
    il_corrector correct; /* NULL if predict is */
    il_responder respond; /* for IL_MOREAU; NULL: impulses change velocities by the masses only */
    const struct il_contacts *contacts; /* may be NULL; for IL_MOREAU, see il_contacts.h */
    il_advancer advance;  /* may be NULL: IL_ALPHA is not available */
    il_fitter fit;        /* may be NULL; for IL_MOREAU: states have constraints */
    void *context;        /* passed to all of them */
    int64_t n;            /* coordinates */
    int64_t m;            /* first-order states */
    int64_t attitudes;    /* unit quaternions at the end of x */
    int64_t autonomous;   /* not 0: f does not depend on t, which saves one difference per step */
    il_bounds *bounds;    /* may be NULL: every finite value is plausible */
    const double *sizes;  /* scale of each entry of x, > 0, for differences; NULL: all are 1 */
} il_system;

/* Length of x. */
static inline int64_t il_state_size(const il_system *system)
{
    return 2 * system->n + system->m;
}

/* Normalize the attitudes in a state. */
static inline void il_normalize(const il_system *system, double *x)
{
    const int64_t numbers = IL_QUATERNION * system->attitudes;
    il_attitude_normalize(system->attitudes, x + il_state_size(system) - numbers);
}

#endif
