/* The generalized-alpha method of il_alpha.c as a method of steppers, with an estimate of its error.
 *
 * What a step leaves out of the exact series follows from its rule: with u̇ the rates and
 * a = u̇(t + Δα h) + c h² u⃛, positions lack p h³ ü and velocities v h³ u⃛,
 *
 *     p = 1/6 - β - Δα/2
 *     v = 1/6 - Δα²/2 - γ (1/2 + Δα) - c,   2c = (1-αf) - (1-αm) (1+Δα)² - αm Δα²
 *
 * ü and u⃛ are divided differences of the rates over this step and the one before. These rates are
 * accelerations at the states (il_redundant.c), not those of the method: velocities of the method fit
 * the constraints to the second order of the steps before, and when steps change their length, its
 * own rates make up for that at once. A step that begins anew takes a = u̇ and lacks
 * (1/2 - γ (1-αf)/(1-αm)) h² ü.
 */
#include <math.h>

#include "il_alpha.h"
#include "il_dense.h"

/* ü over a step that ended at some time; two of them, the second that of the last attempt */
typedef struct kept {
    double *t_end, *h, *jerk;
} kept;

static kept kept_of(const il_stepper *stepper, int which)
{
    double *at = stepper->stages + which * (2 + stepper->size);
    return (kept){at, at + 1, at + 2};
}

static int64_t stage_size(int64_t n, int64_t m)
{
    return 2 * (2 + 2 * n + m);
}

static double lacking_of_velocities(const il_alpha_rule *s)
{
    const double d = s->ahead;
    const double c = 0.5 * ((1.0 - s->alpha_f) - (1.0 - s->alpha_m) * (1.0 + d) * (1.0 + d) -
                            s->alpha_m * d * d);
    return 1.0 / 6.0 - 0.5 * d * d - s->gamma * (0.5 + d) - c;
}

/* Quaternions err by half of what the turns of their joints do. */
static void err_attitudes(const il_redundant *table, double *error)
{
    double *quaternion = error + 2 * table->free_count + table->states;
    for (int64_t k = 0; k < table->attitudes; k++, quaternion += IL_QUATERNION) {
        const double *turn = error + table->turned[k];
        const double half = 0.5 * (fabs(turn[0]) + fabs(turn[1]) + fabs(turn[2]));
        for (int i = 0; i < IL_QUATERNION; i++) {
            quaternion[i] = half;
        }
    }
}

/* The error of x_new, from the rates at both ends. */
static void estimate(const il_stepper *stepper, const il_span *span)
{
    const il_context *c = stepper->system.context;
    const il_redundant *table = c->redundant->table;
    const double h = span->h;
    const il_alpha_rule s = il_alpha_rule_of(table->radius, h);
    const kept now = kept_of(stepper, 0), next = kept_of(stepper, 1);
    const int64_t nu = table->free_count, changing = nu + table->states;
    const double *rates = stepper->slope + nu, *rates_new = stepper->slope_new + nu;
    double *const error = stepper->error;

    if (*next.h > 0.0 && *next.t_end == span->t) {
        memcpy(now.t_end, next.t_end, (size_t)(2 + stepper->size) * sizeof *now.t_end);
    }
    const int anew = !(*now.h > 0.0 && *now.t_end == span->t);
    *next.t_end = span->t_new;
    *next.h = h;
    for (int64_t k = 0; k < changing; k++) {
        next.jerk[k] = (rates_new[k] - rates[k]) / h;
    }
    const double p = (1.0 / 6.0 - s.beta - 0.5 * s.ahead) * h * h * h;
    for (int64_t k = 0; k < nu; k++) {
        error[k] = p * next.jerk[k];
    }
    if (anew) {
        const double begun = (0.5 - s.gamma * s.from_new) * h * h;
        for (int64_t k = 0; k < changing; k++) {
            error[nu + k] = begun * next.jerk[k];
        }
    } else {
        /* jerks belong to the middles of their steps */
        const double v = lacking_of_velocities(&s) * h * h * h / (0.5 * (*now.h + h));
        for (int64_t k = 0; k < changing; k++) {
            error[nu + k] = v * (next.jerk[k] - now.jerk[k]);
        }
    }
    err_attitudes(table, error);
}

static int attempt(il_stepper *stepper, const il_span *span)
{
    const il_system *system = &stepper->system;
    const int adaptive = stepper->atol != NULL;
    if (system->advance == NULL) {
        return IL_BAD_ARGUMENT;
    }
    int status = adaptive ? il_first_slope(stepper, span) : IL_OK;
    if (status == IL_OK) {
        stepper->evaluations++;
        status = system->advance(system->context, span->t, span->h, span->t_new, span->x,
                                 stepper->x_new, adaptive);
    }
    if (status == IL_OK && adaptive) {
        status = il_evaluate(stepper, span->t_new, stepper->x_new, stepper->slope_new);
    }
    if (status == IL_OK && adaptive) {
        stepper->slope_new_known = 1;
        estimate(stepper, span);
    }
    return status;
}

static int interpolate(il_stepper *stepper, const il_span *span)
{
    if (stepper->slope_new_known) {
        il_dense_hermite(stepper, span);
        return IL_OK;
    }
    const int status = il_first_slope(stepper, span);
    return status == IL_OK ? il_dense_cubic(stepper, span) : status;
}

const il_method il_method_alpha = {3, stage_size, attempt, interpolate, NULL};
