/* A mode seen from outside: all its coordinates, independent of the integrated ones. */
#include <math.h>

#include "il_instance.h"

static int see(il_part *part, il_context *context, double t, const double *x)
{
    const il_choice *choice = il_in_use(part)->choice;
    const int64_t n = part->row->n, nu = choice->independent_count;
    il_copy(part->z, x + 2 * nu, part->row->states);
    if (choice->expand == NULL) {
        const int64_t behind = il_length_of_x(part->row) - IL_QUATERNION * part->row->attitudes;
        il_copy(part->q, x, n);
        il_copy(part->q + n, x + behind, IL_QUATERNION * part->row->attitudes);
        il_copy(part->qd, x + n, n);
        return IL_OK;
    }
    if (il_expand_states(part, context, 1, &t, x, part->q, part->qd, part->qdd, part->lam,
                         part->effort) != 1) {
        return IL_LOOP_OPEN;
    }
    for (int64_t k = 0; k < part->row->rows; k++) {
        part->all_lam[k] = 0.0;
    }
    for (int64_t k = 0; k < choice->row_count; k++) {
        part->all_lam[choice->rows[k]] = part->lam[k];
    }
    return IL_OK;
}

int il_see(il_part *part, double t, const double *x)
{
    return see(part, &il_in_use(part)->context, t, x);
}

int il_look_at(il_part *part, double t, const double *x)
{
    return see(part, &il_in_use(part)->look, t, x);
}

void il_pack(const il_part *part, double *x)
{
    const il_choice *choice = il_in_use(part)->choice;
    const int64_t nu = choice->independent_count, states = part->row->states;
    for (int64_t k = 0; k < nu; k++) {
        x[k] = part->q[choice->independent[k]];
        x[nu + k] = part->qd[choice->independent[k]];
    }
    il_copy(x + 2 * nu, part->z, states);
    for (int64_t k = 0; k < choice->dependent_count; k++) {
        x[2 * nu + states + k] = part->q[choice->dependent[k]];
    }
    il_copy(x + 2 * nu + states + choice->dependent_count, part->q + part->row->n,
            IL_QUATERNION * part->row->attitudes);
}

/* ---- outputs ---- */

/* Sensor readings. With loops the accelerations are already known; for a tree they are the rates of
   its state. */
static int sense(il_part *part, double t, const double *x)
{
    il_active *const active = il_in_use(part);
    const il_mode_row *row = part->row;
    if (row->senses_motion && active->choice->expand == NULL) {
        const int status = active->choice->rates(&active->look, t, x, part->rates);
        if (status != IL_OK) {
            return status;
        }
        il_copy(part->qdd, part->rates + row->n, row->n);
    }
    const il_view view = il_view_of(part, part->pre_sense, t);
    row->sense(&view, part->sensed);
    return IL_OK;
}

int il_observe(il_part *part, double t, const double *x)
{
    const int status = il_look_at(part, t, x);
    if (status != IL_OK) {
        return status;
    }
    if (part->row->observe) {
        const il_view view = il_view_of(part, part->pre_observe, t);
        part->row->observe(&view, part->observed);
    }
    return part->row->sense ? sense(part, t, x) : IL_OK;
}

const double *il_source(const il_part *part, il_place place)
{
    static const double nothing = (double)NAN;
    const il_told *told = &part->instance->told;
    switch (place.kind) {
    case IL_OF_Q: return &part->q[place.index];
    case IL_OF_QD: return &part->qd[place.index];
    case IL_OF_QDD: return &part->qdd[place.index];
    case IL_OF_Z: return &part->z[place.index];
    case IL_OF_LAM: return &part->all_lam[place.index];
    case IL_OF_EFFORT: return &part->effort[place.index];
    case IL_OF_LAWS: return &part->observed[place.index];
    case IL_OF_SENSORS: return &part->sensed[place.index];
    case IL_OF_TAU: return &part->tau[place.index];
    case IL_OF_U: return &part->u[place.index];
    case IL_OF_MODE: return &told->mode;
    case IL_OF_EVENTS: return &told->events;
    default: return &nothing;
    }
}

int il_outputs(il_instance *instance, double *values)
{
    il_part *part = il_present(instance);
    const int status = il_observe(part, il_time(instance), instance->machine.x);
    instance->told = (il_told){(double)instance->machine.mode, (double)instance->machine.events_lost};
    for (int64_t k = 0; status == IL_OK && k < instance->plant->output_count; k++) {
        values[k] = *part->sources[k];
    }
    return status;
}
