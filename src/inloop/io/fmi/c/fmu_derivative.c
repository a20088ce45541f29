/* Directional derivatives of rates and outputs with respect to states and inputs.
 *
 * They are computed by the generated tangent of the plant (fmu_tangent.c). Without a tangent, and for
 * outputs that it lacks, they are central differences along the direction, with steps relative to the
 * nominal values of states.
 */
#include <math.h>
#include <string.h>

#include "fmu.h"

#define PART 6e-6 /* step relative to a nominal value: about the cube root of the rounding error */

/* Memory of one call, in the work of the instance. */
typedef struct direction {
    int64_t states, inputs, outputs;
    double *x, *dx;         /* the current state, and its direction */
    double *rates;          /* derivatives of rates */
    double *u, *du;         /* inputs, and their direction */
    double *ahead, *behind; /* rates, then outputs, at both ends of the difference */
    double *exact;          /* outputs, followed by memory of the tangent */
} direction;

static direction laid_out(fmu *instance)
{
    const int64_t n = il_length_outside(&instance->outside);
    double *room = instance->work;
    direction d = {.states = n,
                   .inputs = instance->table->input_count,
                   .outputs = instance->table->output_count};
    d.x = room;
    d.dx = d.x + n;
    d.rates = d.dx + n;
    d.u = d.rates + n;
    d.du = d.u + d.inputs;
    d.ahead = d.du + d.inputs;
    d.behind = d.ahead + n + d.outputs;
    d.exact = d.behind + n + d.outputs;
    return d;
}

/* The seed as directions of states and inputs. */
static int read_seed(fmu *instance, direction *d, const uint32_t *knowns, size_t count,
                     const double *seed)
{
    const fmu_places at = fmu_places_of(instance->table);
    memset(d->dx, 0, (size_t)d->states * sizeof *d->dx);
    memset(d->du, 0, (size_t)d->inputs * sizeof *d->du);
    for (size_t k = 0; k < count; k++) {
        const int64_t number = (int64_t)knowns[k];
        if (!isfinite(seed[k])) {
            return fmu_refuse(instance, "a seed is not finite");
        }
        if (number >= at.states && number < at.rates) {
            if (number - at.states < d->states) {
                d->dx[number - at.states] += seed[k];
            }
        } else if (number >= at.inputs && number < at.outputs) {
            d->du[number - at.inputs] += seed[k];
        } else {
            return fmu_refuse(instance, "derivatives with respect to variable %lld are not available",
                              (long long)number);
        }
    }
    return FMU_OK;
}

/* Rates and outputs at distance s along the direction. */
static int look_at(fmu *instance, const direction *d, double s, int inputs, double *to)
{
    il_instance *plant = instance->plant;
    for (int64_t k = 0; k < d->states; k++) {
        plant->machine.x[k] = inputs ? d->x[k] : d->x[k] + s * d->dx[k];
    }
    for (int64_t k = 0; k < d->inputs; k++) {
        il_write_input(plant, k, inputs ? d->u[k] + s * d->du[k] : d->u[k]);
    }
    int status = il_rates_outside(&instance->outside);
    il_copy(to, instance->outside.xd, d->states);
    if (status == IL_OK) {
        status = il_outputs(plant, to + d->states);
    }
    return status;
}

/* The longest step along the direction that moves no quantity by more than PART of its size. */
static double step_along(const fmu *instance, const direction *d, int inputs)
{
    const double *sizes = il_present(instance->plant)->sizes;
    double most = 0.0;
    for (int64_t k = 0; !inputs && k < d->states; k++) {
        most = fmax(most, fabs(d->dx[k]) / sizes[k]);
    }
    for (int64_t k = 0; inputs && k < d->inputs; k++) {
        most = fmax(most, fabs(d->du[k]) / fmax(1.0, fabs(d->u[k])));
    }
    return most > 0.0 ? PART / most : 0.0;
}

/* Add the differences along the states or the inputs. */
static int add_differences(fmu *instance, const direction *d, int inputs, double *rates,
                           double *outputs)
{
    const double s = step_along(instance, d, inputs);
    if (s == 0.0) {
        return FMU_OK;
    }
    int status = look_at(instance, d, s, inputs, d->ahead);
    if (status == IL_OK) {
        status = look_at(instance, d, -s, inputs, d->behind);
    }
    for (int64_t k = 0; rates && k < d->states; k++) {
        rates[k] += (d->ahead[k] - d->behind[k]) / (2.0 * s);
    }
    for (int64_t k = 0; k < d->outputs; k++) {
        outputs[k] += (d->ahead[d->states + k] - d->behind[d->states + k]) / (2.0 * s);
    }
    return fmu_judge(instance, "a directional derivative", status);
}

/* Whether the tangent has all of these variables. */
static int all_exact(const fmu *instance, const uint32_t *unknowns, size_t count)
{
    const fmu_places at = fmu_places_of(instance->table);
    for (size_t k = 0; k < count; k++) {
        const int64_t number = (int64_t)unknowns[k];
        if (number >= at.outputs && number < at.states &&
            fmu_exported.tangent->outputs_at[number - at.outputs] < 0) {
            return 0;
        }
    }
    return 1;
}

static int report(fmu *instance, const direction *d, const uint32_t *unknowns, size_t count,
                double *sensitivity)
{
    const fmu_places at = fmu_places_of(instance->table);
    for (size_t k = 0; k < count; k++) {
        const int64_t number = (int64_t)unknowns[k];
        if (number >= at.rates && number < at.levels) {
            sensitivity[k] = number - at.rates < d->states ? d->rates[number - at.rates] : 0.0;
        } else if (number >= at.outputs && number < at.states) {
            sensitivity[k] = instance->outputs[number - at.outputs];
        } else {
            return fmu_refuse(instance, "derivatives of variable %lld are not available",
                              (long long)number);
        }
    }
    return FMU_OK;
}

int fmu_derivative(fmu *instance, const uint32_t *unknowns, size_t unknown_count,
                   const uint32_t *knowns, size_t known_count, const double *seed,
                   double *sensitivity)
{
    if (!instance->exchange) {
        return fmu_refuse(instance, "directional derivatives belong to model exchange");
    }
    if (fmu_settle(instance) != FMU_OK) {
        return FMU_ERROR;
    }
    direction d = laid_out(instance);
    il_instance *plant = instance->plant;
    il_copy(d.x, plant->machine.x, d.states);
    il_copy(d.u, plant->inputs, d.inputs);
    if (read_seed(instance, &d, knowns, known_count, seed) != FMU_OK) {
        return FMU_ERROR;
    }
    /* derivatives of outputs temporarily replace the outputs */
    memset(d.rates, 0, (size_t)d.states * sizeof *d.rates);
    memset(instance->outputs, 0, (size_t)d.outputs * sizeof *instance->outputs);
    int status = FMU_OK;
    const int exact = fmu_along_tangent(instance, d.dx, d.du, d.ahead, d.exact, d.exact + d.outputs);
    if (exact) {
        il_copy(d.rates, d.ahead, d.states);
    }
    if (!exact || !all_exact(instance, unknowns, unknown_count)) {
        double *rates = exact ? NULL : d.rates;
        status = add_differences(instance, &d, 0, rates, instance->outputs);
        if (status == FMU_OK) {
            status = add_differences(instance, &d, 1, rates, instance->outputs);
        }
    }
    for (int64_t k = 0; exact && k < d.outputs; k++) {
        if (fmu_exported.tangent->outputs_at[k] >= 0) {
            instance->outputs[k] = d.exact[k];
        }
    }
    if (status == FMU_OK) {
        status = report(instance, &d, unknowns, unknown_count, sensitivity);
    }
    il_copy(plant->machine.x, d.x, d.states);
    for (int64_t k = 0; k < d.inputs; k++) {
        il_write_input(plant, k, d.u[k]);
    }
    fmu_forget(instance);
    return status;
}
