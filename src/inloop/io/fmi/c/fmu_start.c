/* Start of an instance: coordinates and velocities set by an importer, with loops closed. */
#include "fmu.h"
#include "il_finite.h"
#include "il_start.h"

/* Of the first mode: q, with its quaternions, and qd. */
int64_t fmu_start_count(const il_plant *table)
{
    return il_positions(&table->modes[0]) + table->modes[0].n;
}

/* A closed start, and the memory of il_begin_from (il_start_room). */
int64_t fmu_start_room(const il_plant *table)
{
    const il_mode_row *row = &table->modes[0];
    return 2 * fmu_start_count(table) + table->parameter_count + table->input_count +
           il_positions(row) + row->states + 2 * row->rows;
}

void fmu_share_start(fmu *instance, double *room)
{
    instance->q = room;
    instance->qd = room + il_positions(&instance->table->modes[0]);
}

void fmu_forget_start(fmu *instance)
{
    const il_mode_row *row = &instance->table->modes[0];
    il_copy(instance->q, row->q, il_positions(row));
    il_copy(instance->qd, row->qd, row->n);
}

int fmu_set_start(fmu *instance, int64_t output, double value)
{
    const il_place place = instance->table->modes[0].output_places[output];
    double *const to = (place.kind == IL_OF_Q ? instance->q : instance->qd) + place.index;
    if (instance->phase > FMU_INITIALIZING) {
        return fmu_refuse(instance, "output '%s' can only be set until the end of initialization",
                          instance->table->outputs[output].name);
    }
    instance->changed = instance->changed || *to != value;
    *to = value;
    return FMU_OK;
}

int fmu_put_start(fmu *instance)
{
    const il_mode_row *row = &instance->table->modes[0];
    il_begin_with(instance->plant, instance->parameters);
    int status = il_reset(instance->plant);
    if (status != IL_OK || (il_all_equal(instance->q, row->q, il_positions(row)) &&
                            il_all_equal(instance->qd, row->qd, row->n))) {
        return status;
    }
    /* closed position with these parameters, from which the requested start is approached */
    il_part *part = il_present(instance->plant);
    double *const q = instance->work, *const qd = q + il_positions(row);
    il_copy(q, part->q, il_positions(row));
    il_copy(qd, part->qd, row->n);
    const il_start known = {.q = q, .qd = qd, .z = row->z};
    const il_start wanted = {.q = instance->q, .qd = instance->qd};
    return il_begin_from(instance->plant, 0, IL_START_LED, &known, &wanted, qd + row->n);
}
