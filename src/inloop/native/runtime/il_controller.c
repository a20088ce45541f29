/* The plant's controller at run time: sampled between steps, held in between; see il_plant.h. */
#include <math.h>

#include "il_finite.h"
#include "il_host.h"
#include "il_precision.h"

#define WHOLE IL_BY_PRECISION(1e-9, 1e-6) /* fraction of a sample by which steps may miss it */

/* Number of steps per sample; 0: not an integer. */
static int64_t steps_per_sample(double period, double step)
{
    const double count = step > 0.0 ? floor(period / step + 0.5) : 0.0;
    return count >= 1.0 && fabs(count * step - period) <= WHOLE * period ? (int64_t)count : 0;
}

void il_begin_controlled(il_instance *instance)
{
    const il_plant *plant = instance->plant;
    const il_controller *row = plant->controller;
    il_controlled *by = &instance->controlled;
    if (row == NULL) {
        return;
    }
    by->per_sample = steps_per_sample(row->period, instance->step);
    by->let_go = 0;
    il_copy(by->states, row->first, row->state_count);
    for (int64_t k = 0; k < row->lead_count; k++) {
        by->led[row->leads[k]] = 1;
        il_write_input(instance, row->leads[k], plant->inputs[row->leads[k]].start);
    }
    il_tell_controlled(instance, by->before);
}

/* Its measurements: current outputs, and inputs of the current mode. */
static int read(il_instance *instance)
{
    const il_plant *plant = instance->plant;
    const il_controller *row = plant->controller;
    il_controlled *by = &instance->controlled;
    const il_part *part = il_present(instance);
    const int status = il_outputs(instance, by->outputs);
    for (int64_t k = 0; status == IL_OK && k < row->read_count; k++) {
        const int64_t input = row->reads[k] - plant->output_count;
        by->y[k] = input < 0 ? by->outputs[row->reads[k]]
                             : *il_source(part, part->row->input_places[input]);
    }
    return status;
}

static int is_due(const il_instance *instance, int64_t steps)
{
    const il_controlled *by = &instance->controlled;
    return instance->plant->controller && !by->let_go &&
           (by->per_sample == 0 || steps % by->per_sample == 0);
}

int il_sample_now(il_instance *instance)
{
    const il_controller *row = instance->plant->controller;
    il_controlled *by = &instance->controlled;
    const int status = read(instance);
    if (status != IL_OK) {
        return status;
    }
    il_tell_controlled(instance, by->before);
    il_copy(by->values, by->before + row->state_count, row->lead_count);
    const int refused = row->sampled(by->gains, il_time(instance), by->y, by->states, by->values);
    if (refused || !il_all_finite(by->states, row->state_count) ||
        !il_all_finite(by->values, row->lead_count)) {
        il_copy(by->states, by->before, row->state_count);
        return IL_CONTROLLER_FAILED;
    }
    for (int64_t k = 0; k < row->lead_count; k++) {
        il_write_input(instance, row->leads[k], by->values[k]);
    }
    return IL_OK;
}

int il_sample(il_instance *instance, int64_t steps)
{
    if (!is_due(instance, steps)) {
        return IL_OK;
    }
    return instance->controlled.per_sample == 0 ? IL_BAD_ARGUMENT : il_sample_now(instance);
}

void il_take_back_sample(il_instance *instance, int64_t steps)
{
    if (is_due(instance, steps)) {
        il_take_controlled(instance, instance->controlled.before);
    }
}

void il_let_go(il_instance *instance, int64_t let_go)
{
    instance->controlled.let_go = let_go;
}

int64_t il_leads(const il_instance *instance, int64_t input)
{
    const il_controlled *by = &instance->controlled;
    return by->led != NULL && by->led[input];
}

int64_t il_not_finite(const il_instance *instance)
{
    const il_controller *row = instance->plant->controller;
    for (int64_t k = 0; row && k < row->lead_count; k++) {
        if (!il_all_finite(&instance->controlled.values[k], 1)) {
            return row->leads[k];
        }
    }
    return -1;
}

/* ---- as an array of numbers ---- */

int64_t il_controlled_size(const il_instance *instance)
{
    const il_controller *row = instance->plant->controller;
    return row ? row->state_count + row->lead_count : 0;
}

void il_tell_controlled(const il_instance *instance, double *to)
{
    const il_controller *row = instance->plant->controller;
    if (row) {
        il_copy(to, instance->controlled.states, row->state_count);
        for (int64_t k = 0; k < row->lead_count; k++) {
            to[row->state_count + k] = instance->inputs[row->leads[k]];
        }
    }
}

void il_take_controlled(il_instance *instance, const double *from)
{
    const il_controller *row = instance->plant->controller;
    if (row) {
        il_copy(instance->controlled.states, from, row->state_count);
        for (int64_t k = 0; k < row->lead_count; k++) {
            il_write_input(instance, row->leads[k], from[row->state_count + k]);
        }
    }
}
