/* Moreau and Jean's time-stepping with theta = 1/2, for hard contacts (il_contacts.h):

     x* = x + h/2 f(t, x)                                   half-way, without contacts
     v_new = v + h f_v(t + h/2, x*) + what contacts that are closed at q* add
     q_new = q + h/2 (v + v_new) + what impacts move,  z_new = z + h f_z(t + h/2, x*)

   Forces are explicit. Where nothing touches it is of order 2, and exact under constant forces;
   through impacts and changes between sticking and slipping of order 1. */
#include "il_contacts.h"
#include "il_dense.h"

static int64_t stage_size(int64_t n, int64_t m)
{
    return 2 * (2 * n + m);
}

/* Attitudes turn with the mean velocity of the step. */
static int turn(il_stepper *stepper, const il_span *span, double *x_middle, double *slope)
{
    const int64_t n = stepper->system.n;
    const int64_t parts = IL_QUATERNION * stepper->system.attitudes, at = stepper->size - parts;

    /* coordinates count turns: what they did tells the mean */
    for (int64_t k = 0; k < n; k++) {
        x_middle[n + k] = (stepper->x_new[k] - span->x[k]) / span->h;
    }
    const int status = il_evaluate(stepper, span->t + 0.5 * span->h, x_middle, slope);
    il_move_by(parts, stepper->x_new + at, span->x + at, span->h, slope + at);
    return status;
}

static int attempt(il_stepper *stepper, const il_span *span)
{
    const int64_t n = stepper->system.n, size = stepper->size;
    const double h = span->h, middle = span->t + 0.5 * h;
    const il_contacts *contacts = stepper->system.contacts;
    double *const x_middle = stepper->stages, *const slope = x_middle + size;
    double *const x_new = stepper->x_new;

    int status = il_first_slope(stepper, span);
    if (status != IL_OK) {
        return status;
    }
    il_move_by(size, x_middle, span->x, 0.5 * h, stepper->slope);
    il_normalize(&stepper->system, x_middle);
    status = il_evaluate(stepper, middle, x_middle, slope);
    if (status != IL_OK) {
        return status;
    }
    il_move_by(size - n, x_new + n, span->x + n, h, slope + n);
    memset(x_new, 0, (size_t)n * sizeof *x_new);
    if (contacts && contacts->table) {
        const il_strike strike = {stepper->system.context, middle, h, x_middle, span->x, n};
        status = il_contacts_strike(contacts, &strike, x_new);
    }
    for (int64_t k = 0; k < n; k++) {
        x_new[k] += span->x[k] + 0.5 * h * (span->x[n + k] + x_new[n + k]);
    }
    if (status == IL_OK && stepper->system.attitudes > 0) {
        status = turn(stepper, span, x_middle, slope);
    }
    return status;
}

/* velocities jump: a line is all that can be told of what is between */
static int interpolate(il_stepper *stepper, const il_span *span)
{
    il_dense_line(stepper, span);
    return IL_OK;
}

const il_method il_method_moreau = {0, stage_size, attempt, interpolate};
