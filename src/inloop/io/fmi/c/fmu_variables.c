/* Variables by their numbers: time, then parameters, inputs, outputs, states, rates, levels. */
#include <math.h>

#include "fmu.h"

fmu_places fmu_places_of(const il_plant *table)
{
    const int64_t exchanged = fmu_exported.no_exchange == NULL;
    const int64_t states = exchanged * il_largest_state(table);
    fmu_places at = {.parameters = 1};
    at.inputs = at.parameters + table->parameter_count;
    at.outputs = at.inputs + table->input_count;
    at.states = at.outputs + table->output_count;
    at.rates = at.states + states;
    at.levels = at.rates + states;
    at.end = at.levels + exchanged * il_most_transitions(table);
    return at;
}

int64_t fmu_state_count(const fmu *instance)
{
    const fmu_places at = fmu_places_of(instance->table);
    return at.rates - at.states;
}

int64_t fmu_level_count(const fmu *instance)
{
    const fmu_places at = fmu_places_of(instance->table);
    return at.end - at.levels;
}

int fmu_settle(fmu *instance)
{
    if (!instance->changed) {
        return FMU_OK;
    }
    if (!il_within_bounds(instance->table, instance->parameters)) {
        return fmu_refuse(instance, "parameters at t = %.9g s: a value computed from them is out "
                          "of bounds, for example a negative mass", fmu_time(instance));
    }
    int status;
    if (instance->phase <= FMU_INITIALIZING) {
        status = fmu_put_start(instance);
    } else {
        status = il_set_parameters(instance->plant, instance->parameters);
    }
    if (status == IL_OK && instance->exchange) {
        status = il_resume_outside(&instance->outside);
    }
    instance->changed = status != IL_OK;
    fmu_forget(instance);
    return fmu_judge(instance, "parameters or start values", status);
}

/* ---- computed values ---- */

static int find_outputs(fmu *instance)
{
    if (fmu_settle(instance) != FMU_OK) {
        return FMU_ERROR;
    }
    if (instance->outputs_known) {
        return FMU_OK;
    }
    const int status = il_outputs(instance->plant, instance->outputs);
    instance->outputs_known = status == IL_OK;
    return fmu_judge(instance, "outputs", status);
}

int fmu_find_rates(fmu *instance)
{
    if (fmu_settle(instance) != FMU_OK) {
        return FMU_ERROR;
    }
    if (instance->rates_known) {
        return FMU_OK;
    }
    const int status = il_rates_outside(&instance->outside);
    instance->rates_known = status == IL_OK;
    fmu_watch(instance);
    return fmu_judge(instance, "derivatives", status);
}

int fmu_find_levels(fmu *instance)
{
    if (fmu_settle(instance) != FMU_OK) {
        return FMU_ERROR;
    }
    if (instance->levels_known) {
        return FMU_OK;
    }
    const int status = il_levels_outside(&instance->outside);
    instance->levels_known = status == IL_OK;
    return fmu_judge(instance, "event indicators", status);
}

/* ---- get ---- */

/* A number of model exchange; importers of co-simulation may read it too. */
static int get_exchanged(fmu *instance, const fmu_places *at, int64_t k, double *value)
{
    if (k < at->rates) {
        const int64_t place = k - at->states;
        const int there = place < il_length_outside(&instance->outside);
        *value = there ? instance->plant->machine.x[place] : 0.0;
        return FMU_OK;
    }
    if (k < at->levels) {
        const int status = fmu_find_rates(instance);
        *value = instance->outside.xd[k - at->rates];
        return status;
    }
    const int status = fmu_find_levels(instance);
    *value = instance->outside.levels[k - at->levels];
    return status;
}

static int get_one(fmu *instance, const fmu_places *at, int64_t k, double *value)
{
    if (k >= at->end) {
        return fmu_refuse(instance, "there is no variable %lld", (long long)k);
    }
    if (k >= at->states) {
        return get_exchanged(instance, at, k, value);
    }
    if (k >= at->outputs) {
        const int status = find_outputs(instance);
        *value = instance->outputs[k - at->outputs];
        return status;
    }
    if (k >= at->inputs) {
        *value = instance->plant->inputs[k - at->inputs];
    } else if (k >= at->parameters) {
        *value = instance->parameters[k - at->parameters];
    } else {
        *value = fmu_time(instance);
    }
    return FMU_OK;
}

int fmu_get(fmu *instance, const uint32_t *variables, size_t count, double *values)
{
    const fmu_places at = fmu_places_of(instance->table);
    int status = FMU_OK;
    if (count > 0 && (variables == NULL || values == NULL)) {
        return fmu_refuse(instance, "there is no place for the values");
    }
    for (size_t k = 0; status == FMU_OK && k < count; k++) {
        status = get_one(instance, &at, (int64_t)variables[k], &values[k]);
    }
    return status;
}

int fmu_get_whole(fmu *instance, const uint32_t *variables, size_t count, int64_t *values)
{
    const fmu_places at = fmu_places_of(instance->table);
    int status = FMU_OK;
    if (count > 0 && (variables == NULL || values == NULL)) {
        return fmu_refuse(instance, "there is no place for the values");
    }
    for (size_t k = 0; status == FMU_OK && k < count; k++) {
        const int64_t number = (int64_t)variables[k];
        double value = 0.0;
        const int output = number >= at.outputs && number < at.states;
        if (!output || !fmu_exported.whole[number - at.outputs]) {
            return fmu_refuse(instance, "variable %lld is not an integer", (long long)number);
        }
        status = get_one(instance, &at, number, &value);
        values[k] = (int64_t)value;
    }
    return status;
}

/* ---- set ---- */

static int set_parameter(fmu *instance, int64_t k, double value)
{
    const il_quantity *about = &instance->table->parameters[k];
    if (!(value >= about->least && value <= about->most)) {
        return fmu_refuse(instance, "parameter '%s' is %.9g, outside of %.9g to %.9g", about->name,
                          value, about->least, about->most);
    }
    instance->changed = instance->changed || instance->parameters[k] != value;
    instance->parameters[k] = value;
    return FMU_OK;
}

static int set_one(fmu *instance, const fmu_places *at, int64_t k, double value)
{
    if (!isfinite(value)) {
        return fmu_refuse(instance, "variable %lld would not be finite", (long long)k);
    }
    if (k >= at->parameters && k < at->inputs) {
        return set_parameter(instance, k - at->parameters, value);
    }
    if (k >= at->inputs && k < at->outputs && !il_leads(instance->plant, k - at->inputs)) {
        il_set_input(instance->plant, k - at->inputs, value);
        return FMU_OK;
    }
    if (k >= at->outputs && k < at->states && fmu_exported.starts[k - at->outputs]) {
        return fmu_set_start(instance, k - at->outputs, value);
    }
    if (instance->exchange && k >= at->states && k < at->rates && instance->phase >= FMU_EVENTS) {
        instance->plant->machine.x[k - at->states] = value;
        return FMU_OK;
    }
    return fmu_refuse(instance, "variable %lld cannot be set", (long long)k);
}

int fmu_set(fmu *instance, const uint32_t *variables, size_t count, const double *values)
{
    const fmu_places at = fmu_places_of(instance->table);
    int status = FMU_OK;
    if (count > 0 && (variables == NULL || values == NULL)) {
        return fmu_refuse(instance, "there are no values");
    }
    for (size_t k = 0; status == FMU_OK && k < count; k++) {
        status = set_one(instance, &at, (int64_t)variables[k], values[k]);
    }
    fmu_forget(instance);
    return status;
}
