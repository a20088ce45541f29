/* Memory of a stepper and a single step; see il_stepper.h. */
#include "il_method.h"

/* x_new, error, slope, slope_new and the five rows of dense */
enum { SHARED_ROWS = 9 };

/* Exported code includes selected methods, one bit each: others would be dead code. */
#ifdef IL_OFFERED
#define OFFERED(id) (IL_OFFERED >> (id) & 1)
#else
#define OFFERED(id) 1
#endif

static const il_method *method_of(int64_t id)
{
    switch (id) {
    case IL_EULER:
        return OFFERED(IL_EULER) ? &il_method_euler : NULL;
    case IL_RK4:
        return OFFERED(IL_RK4) ? &il_method_rk4 : NULL;
    case IL_DOPRI:
        return OFFERED(IL_DOPRI) ? &il_method_dopri : NULL;
    case IL_RODAS:
        return OFFERED(IL_RODAS) ? &il_method_rodas : NULL;
    case IL_IMPLICIT:
        return OFFERED(IL_IMPLICIT) ? &il_method_implicit : NULL;
    case IL_MOREAU:
        return OFFERED(IL_MOREAU) ? &il_method_moreau : NULL;
    case IL_ALPHA:
        return OFFERED(IL_ALPHA) ? &il_method_alpha : NULL;
    case IL_EVENT_DRIVEN:
        return OFFERED(IL_EVENT_DRIVEN) ? &il_method_event_driven : NULL;
    default:
        return NULL;
    }
}

/* Does the method factorize a matrix of its own? */
static int needs_pivots(int64_t method, const il_system *system)
{
    return method == IL_RODAS || (method == IL_IMPLICIT && system->predict == NULL);
}

int64_t il_work_size(int64_t method, int64_t n, int64_t m)
{
    const il_method *chosen = method_of(method);
    if (chosen == NULL || n < 0 || m < 0) {
        return -1;
    }
    return SHARED_ROWS * (2 * n + m) + chosen->stage_size(n, m);
}

int il_stepper_init(il_stepper *stepper, const il_system *system, int64_t method, double *work,
                    int64_t *pivots)
{
    const il_method *chosen = method_of(method);
    if (chosen == NULL || system->rates == NULL || system->n < 0 || system->m < 0 ||
        work == NULL || (needs_pivots(method, system) && pivots == NULL) ||
        (system->predict == NULL) != (system->correct == NULL)) {
        return IL_BAD_ARGUMENT;
    }
    const int64_t size = il_state_size(system);
    *stepper = (il_stepper){
        .system = *system,
        .method = chosen,
        .size = size,
        .x_new = work,
        .error = work + size,
        .slope = work + 2 * size,
        .slope_new = work + 3 * size,
        .dense = work + 4 * size,
        .stages = work + SHARED_ROWS * size,
        .pivots = pivots,
    };
    return IL_OK;
}

int il_step(il_stepper *stepper, double t, double h, double *x)
{
    const il_span span = {t, h, t + h, x};

    /* nothing is reused from the last step: the host may have changed inputs since */
    stepper->slope_known = 0;
    stepper->jacobian_known = 0;
    il_put_aside(stepper);
    const int status = il_try(stepper, &span);
    if (status == IL_OK) {
        il_accept(stepper, x);
    } else {
        il_take_back(stepper);
    }
    return status;
}
