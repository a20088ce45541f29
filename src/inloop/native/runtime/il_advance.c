/* Start and steps of an instance; see il_plant.h. */
#include <math.h>
#include <string.h>

#include "il_host.h"

double il_time(const il_instance *instance)
{
    return instance->machine.t;
}

void il_put(il_part *part, double t, const double *q, const double *qd, const double *z, double *x)
{
    const il_mode_row *row = part->row;
    const size_t bytes = (size_t)row->n * sizeof *q;
    il_copy(part->q, q, il_positions(row));
    il_attitude_normalize(row->attitudes, part->q + row->n);
    il_copy(part->qd, qd, row->n);
    il_copy(part->z, z, row->states);
    /* driven joints without a function stay in place */
    il_copy(part->given, q, row->n);
    il_copy(part->given + row->n, qd, row->n);
    memset(part->given + 2 * row->n, 0, bytes);
    il_set_guard(part, t, q);
    il_pack(part, x);
}

int il_begin_at(il_instance *instance, int64_t mode, const double *x)
{
    il_machine *machine = &instance->machine;
    instance->count = 0;
    il_begin_controlled(instance);
    machine->t = 0.0;
    machine->mode = mode;
    machine->entered = 0;
    machine->events_lost = machine->event_count = machine->events_in_step = 0;
    const int status = il_machine_init(machine);
    if (status == IL_OK) {
        const size_t size = (size_t)machine->stepper.size * sizeof *x;
        memmove(machine->x, x, size);
        memset(machine->history, 0, 2 * (size_t)machine->transitions * sizeof *machine->history);
    }
    return status;
}

int il_restart(il_instance *instance, int64_t mode, const double *q, const double *qd,
               const double *z)
{
    il_machine *machine = &instance->machine;
    for (int64_t k = 0; k < instance->plant->mode_count; k++) {
        il_part *part = &instance->parts[k];
        il_use(part, 0);
        if (k != mode) {
            il_put(part, 0.0, part->row->q, part->row->qd, part->row->z, machine->x);
        }
    }
    il_put(&instance->parts[mode], 0.0, q, qd, z, machine->x);
    return il_begin_at(instance, mode, machine->x);
}

/* Are the parameters those of the initial position in the table? */
static int as_in_the_table(const il_instance *instance)
{
    const il_plant *plant = instance->plant;
    int64_t k = 0;
    while (k < plant->parameter_count && instance->parameters[k] == plant->parameters[k].start) {
        k++;
    }
    return k == plant->parameter_count;
}

int il_reset(il_instance *instance)
{
    il_part *first = &instance->parts[0];
    double *const x = instance->machine.x;
    const int status = il_restart(instance, 0, first->row->q, first->row->qd, first->row->z);
    if (status != IL_OK) {
        return status;
    }
    if (il_look_at(first, 0.0, x) != IL_OK) {
        return IL_LOOP_OPEN;
    }
    /* exactly as in the table, unless the loops close elsewhere now */
    if (!as_in_the_table(instance)) {
        il_pack(first, x);
    }
    return IL_OK;
}

/* Time of a step: by multiplication, not summation, bit-identical to the times of runs. */
static double time_of(const il_instance *instance, int64_t count)
{
    return (double)count * instance->step;
}

static int step_once(il_instance *instance)
{
    const double t = time_of(instance, instance->count);
    const double t_new = time_of(instance, instance->count + 1);
    return il_machine_step(&instance->machine, t, instance->step, t_new);
}

/* The same; modes that events lead to may choose their coordinates again. */
static int step_renewing(il_instance *instance)
{
    instance->renews = 1;
    const int status = step_once(instance);
    instance->renews = 0;
    return status;
}

/* Retry with other independent coordinates, here or in the modes that events lead to; if none are
   better, step over a singular position. */
static int step_otherwise(il_instance *instance)
{
    il_part *part = il_present(instance);
    const double t = time_of(instance, instance->count);
    if (il_look_at(part, t, instance->machine.x) != IL_OK) {
        return IL_LOOP_OPEN;
    }
    int status = IL_LOOP_OPEN, misses = 0;
    if (il_choose_better(part, t)) {
        misses = il_misses_turn(part, t, instance->step);
        il_pack(part, instance->machine.x);
        status = step_once(instance);
    }
    if (status == IL_LOOP_OPEN && part->row->event_count > 0) {
        status = step_renewing(instance);
    }
    if (status != IL_LOOP_OPEN) {
        instance->counts.choices += status == IL_OK;
        instance->counts.nearby += status == IL_OK && misses;
        return status;
    }
    if (part->free == NULL) {
        return IL_LOOP_OPEN; /* a free choice may work: is it singular? */
    }
    il_step_over(part);
    status = step_renewing(instance);
    instance->counts.singular += status == IL_OK;
    return status;
}

int il_advance(il_instance *instance)
{
    int status = il_sample(instance, instance->count);
    if (status != IL_OK) {
        return status;
    }
    status = step_once(instance);
    if (status == IL_LOOP_OPEN) {
        status = step_otherwise(instance);
    }
    if (status != IL_OK) {
        il_take_back_sample(instance, instance->count);
        return status;
    }
    instance->count++;
    instance->machine.t = time_of(instance, instance->count);
    il_part *part = il_present(instance);
    if (part->unguarded > 0 && --part->unguarded == 0 &&
        il_look_at(part, instance->machine.t, instance->machine.x) == IL_OK) {
        il_set_guard(part, instance->machine.t, part->q);
    }
    return IL_OK;
}
