/* What a stepper integrates: n second-order coordinates and m first-order states.
 *
 * x = (q[n], qd[n], z[m]) and xd = (qd, qdd, zd); xd[0 .. n) is qd itself. z are the internal
 * states of force laws, and at their end the unit quaternions of ball joints (il_attitude.h), which
 * every step brings back to unit length. All functions must leave x as it is.
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
   rows are known, (0, I, 0), and never read: they need not be written. */
typedef int (*il_jacobian)(void *context, double t, double h, const double *x, const double *xd,
                           double *J, double *dfdt);

/* The two halves of an implicit step, for systems that solve their own linear equations: those with
   the matrix I - g W, where W holds of df/dx at least what is stiff. The corrector uses the matrix
   that the predictor has left in the context.

   k = (I - g W)^-1 (f(t, x) + g df/dt), W at x; of df/dt, too, what is stiff */
typedef int (*il_predictor)(void *context, double t, const double *x, double g, double *k);
/* y = (I - g W)^-1 (w f(t, x) - k + (w - 1) g df/dt), W and df/dt those of the predictor */
typedef int (*il_corrector)(void *context, double t, const double *x, double g, double w,
                            const double *k, double *y);

/* What an impulse [N s or N m s, by coordinate] changes that acts during a step of IL_MOREAU: the
   velocities, then the states of force laws; with the matrix of the predictor, g being the step. */
typedef void (*il_responder)(void *context, double g, const double *push, double *change);

/* Remember, or bring back, what the context keeps from call to call, such as warm starts. */
typedef void (*il_memory)(void *context);

/* A step of the system's own, from t to t_new = t + h, for IL_ALPHA. whole: it fails where it would have
   to be divided, because whoever asks will take a shorter one. */
typedef int (*il_advancer)(void *context, double t, double h, double t_new, const double *x,
                           double *x_new, int whole);

/* Bring a state that a step led to onto the constraints. */
typedef int (*il_fitter)(void *context, double t, double *x);

struct il_contacts;

/* What makes sense for each entry of x. */
typedef struct il_bounds {
    const double *most; /* largest absolute values, finite */
    int64_t beyond;     /* out: entry that a step with IL_OUT_OF_BOUNDS would have left them with */
} il_bounds;

typedef struct il_system {
    il_rates rates;
    il_jacobian jacobian; /* may be NULL: implicit methods then take differences of rates */
    il_memory save;       /* may be NULL; called before a step */
    il_memory restore;    /* may be NULL; called after a step that failed or was rejected */
    il_predictor predict; /* may be NULL: IL_IMPLICIT then takes all of df/dx for W, and IL_MOREAU
                             is explicit */
    il_corrector correct; /* NULL if predict is */
    il_responder respond; /* of IL_MOREAU; NULL: masses alone answer impulses */
    const struct il_contacts *contacts; /* may be NULL; of IL_MOREAU, see il_contacts.h */
    il_advancer advance;  /* may be NULL: there is no IL_ALPHA */
    il_fitter fit;        /* may be NULL; of IL_MOREAU: states have constraints */
    void *context;        /* handed to all of them */
    int64_t n;            /* coordinates */
    int64_t m;            /* first-order states */
    int64_t attitudes;    /* unit quaternions at the end of x */
    int64_t autonomous;   /* not 0: f does not depend on t, which saves one difference per step */
    il_bounds *bounds;    /* may be NULL: all that is finite makes sense */
    const double *sizes;  /* one unit of each entry of x, > 0, for differences; NULL: all are 1 */
} il_system;

/* Length of x. */
static inline int64_t il_state_size(const il_system *system)
{
    return 2 * system->n + system->m;
}

/* Bring the attitudes in a state back to unit length. */
static inline void il_normalize(const il_system *system, double *x)
{
    const int64_t numbers = IL_QUATERNION * system->attitudes;
    il_attitude_normalize(system->attitudes, x + il_state_size(system) - numbers);
}

#endif
