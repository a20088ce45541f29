/* Moreau and Jean's time-stepping with theta = 1/2, for hard contacts (il_contacts.h):

     x* = x + h/2 f(t, x)                                   half-way, without contacts
     v_new = v + h f_v(t + h/2, x*) + what contacts that are closed at q* add
     q_new = q + h/2 (v + v_new) + what impacts move,  z_new = z + h f_z(t + h/2, x*)

   Where nothing touches it is of order 2, and exact under constant forces; through impacts and
   changes between sticking and slipping of order 1.

   Systems with a predictor, whose force laws may be stiff, are taken linearly implicit:

     (I - h W) k = f(t, x) + h df/dt,  (I - h W) y = f(t + h/2, x + h/2 k) - k

   with h (k + y) in place of h f. Its order is 2 for any W, too (see il_implicit.c; here b2 = 1,
   alpha_21 = 1/2). Why gamma = 1: what is stiff decays by 1/2 in each step, laws are evaluated on
   the side on which they are, and the answer of an oscillator to impulses, (1 + 2 y^2) /
   (1 + y^2)^2 for y = omega h, is positive for all of them, so that contacts can always be solved;
   that asks for gamma >= 1/3. What rests against a stop stays at rest and is carried by just the
   force of the laws, because impulses count in both stages as forces do. */
#include "il_contacts.h"
#include "il_dense.h"

static int64_t stage_size(int64_t n, int64_t m)
{
    return 3 * (2 * n + m);
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

/* x* and the mean slope of the step without contacts, explicit. */
static int push(il_stepper *stepper, const il_span *span, double *x_middle, double *slope)
{
    const int status = il_first_slope(stepper, span);
    if (status != IL_OK) {
        return status;
    }
    il_move_by(stepper->size, x_middle, span->x, 0.5 * span->h, stepper->slope);
    il_normalize(&stepper->system, x_middle);
    return il_evaluate(stepper, span->t + 0.5 * span->h, x_middle, slope);
}

/* The same, linearly implicit. */
static int push_implicitly(il_stepper *stepper, const il_span *span, double *x_middle, double *slope)
{
    const il_system *system = &stepper->system;
    const int64_t n = system->n, size = stepper->size;
    const double h = span->h;
    double *const k = x_middle + 2 * size;

    stepper->evaluations += 2;
    int status = system->predict(system->context, span->t, span->x, h, k);
    if (status != IL_OK) {
        return status;
    }
    il_move_by(size, x_middle, span->x, 0.5 * h, k);
    il_normalize(system, x_middle);
    status = system->correct(system->context, span->t + 0.5 * h, x_middle, h, 1.0, k, slope);
    il_move_by(size, slope, slope, 1.0, k);
    /* contacts are looked at where velocities lead */
    il_move_by(n, x_middle, span->x, 0.5 * h, span->x + n);
    return status;
}

static int attempt(il_stepper *stepper, const il_span *span)
{
    const il_system *system = &stepper->system;
    const int64_t n = system->n, size = stepper->size;
    const double h = span->h;
    double *const x_middle = stepper->stages, *const slope = x_middle + size;
    double *const x_new = stepper->x_new;

    int status = system->predict ? push_implicitly(stepper, span, x_middle, slope)
                                 : push(stepper, span, x_middle, slope);
    if (status != IL_OK) {
        return status;
    }
    il_move_by(size - n, x_new + n, span->x + n, h, slope + n);
    memset(x_new, 0, (size_t)n * sizeof *x_new);
    if (system->contacts && system->contacts->table) {
        const il_strike strike = {
            system->context, span->t + 0.5 * h, h, x_middle, span->x, n, system->respond,
        };
        status = il_contacts_strike(system->contacts, &strike, x_new);
    }
    for (int64_t k = 0; k < n; k++) {
        x_new[k] += span->x[k] + 0.5 * h * (span->x[n + k] + x_new[n + k]);
    }
    if (status == IL_OK && system->attitudes > 0) {
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
