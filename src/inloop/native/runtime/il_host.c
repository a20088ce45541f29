/* Access of hosts to an instance; see il_host.h. */
#include "il_host.h"

#include <string.h>

const il_mode *il_modes_of(const il_instance *instance)
{
    return instance->modes;
}

double *il_array_of(il_instance *instance, int64_t mode, int64_t array, int64_t *count)
{
    il_part *part = &instance->parts[mode];
    const il_mode_row *row = part->row;
    il_active *active = il_in_use(part);
    const int64_t size = il_state_size(&active->system);
    struct {
        double *first;
        int64_t count;
    } const known[] = {
        [IL_PARAMETERS] = {instance->parameters, instance->plant->parameter_count},
        [IL_TAU] = {part->tau, row->n},
        [IL_U] = {part->u, row->inputs},
        [IL_GIVEN] = {part->given, 3 * row->n},
        [IL_GUARD] = {active->guard, active->choice->dependent_count},
        [IL_TOLERANCE] = {&active->context.tolerance, 1},
        [IL_PULL] = {&active->context.pull, 1},
        [IL_SIZES] = {part->sizes, size},
        [IL_TOLERANCES] = {part->tolerances, row->event_count},
        [IL_MOST] = {active->most, size},
        [IL_STATE] = {instance->machine.x, size},
        [IL_PER_UNIT] = {active->per_unit, active->choice->dependent_count},
        [IL_PATIENCE] = {&part->patience, 1},
    };
    if (array < 0 || array >= (int64_t)(sizeof known / sizeof known[0])) {
        return NULL;
    }
    *count = known[array].count;
    return known[array].first;
}

void il_prepare_again(il_instance *instance)
{
    il_prepare(instance);
}

/* The systems in use may have changed. */
static void renew(il_part *part)
{
    const int64_t mode = part - part->instance->parts;
    part->instance->modes[mode].system = il_in_use(part)->system;
}

void il_follow_inputs(il_instance *instance, int64_t mode, il_input_function function,
                      const void *self)
{
    il_part *part = &instance->parts[mode];
    part->inputs.function = function;
    part->inputs.self = self;
    for (int64_t k = 0; k < part->choice_count; k++) {
        il_active *active = &part->choices[k];
        active->context.inputs = active->look.inputs = &part->inputs;
        active->system.autonomous = 0;
        if (active->choice->expand == NULL) {
            /* the generated Jacobian does not include time-dependent inputs */
            active->system.jacobian = NULL;
        }
    }
    renew(part);
}

il_motions il_motions_of(const il_instance *instance, int64_t mode, const void **self)
{
    const il_context *context = &il_in_use(&instance->parts[mode])->context;
    *self = context->drives_self;
    return context->drives;
}

void il_follow_motions(il_instance *instance, int64_t mode, il_motions function, const void *self)
{
    il_part *part = &instance->parts[mode];
    for (int64_t k = 0; k < part->choice_count; k++) {
        il_active *active = &part->choices[k];
        active->context.drives = active->look.drives = function;
        active->context.drives_self = active->look.drives_self = self;
    }
}

void il_select(il_instance *instance, int64_t mode, int64_t choice)
{
    il_use(&instance->parts[mode], choice);
}

int il_select_roles(il_instance *instance, int64_t mode, const double *roles)
{
    il_part *part = &instance->parts[mode];
    if (part->free == NULL || !il_free_makes_sense(part->row, roles)) {
        return IL_BAD_ARGUMENT;
    }
    il_use_roles(part, part->row->choice_count, roles);
    return IL_OK;
}

int il_choose_at(il_instance *instance, int64_t mode, double t, const double *q)
{
    return il_choose_freely(&instance->parts[mode], t, q);
}

void il_roles_of(const il_instance *instance, int64_t mode, double *roles)
{
    il_tell_roles(il_in_use(&instance->parts[mode])->choice, roles);
}

void il_place_at(il_instance *instance, int64_t mode, int64_t guarded, double t, const double *q,
                 const double *qd, const double *z, double *x)
{
    il_part *part = &instance->parts[mode];
    il_put(part, t, q, qd, z, x);
    if (!guarded) {
        il_step_over(part);
    }
}

int64_t il_expand_rows(il_instance *instance, int64_t mode, int64_t count, const double *t,
                       const double *x, double *q, double *qd, double *qdd, double *lam,
                       double *effort)
{
    il_part *part = &instance->parts[mode];
    il_active *active = il_in_use(part);
    const int64_t n = part->row->n, size = il_state_size(&active->system);
    const int64_t positions = il_positions(part->row), turned = positions - n;
    if (active->choice->expand != NULL) {
        return il_expand_states(part, &active->look, count, t, x, q, qd, qdd, lam, effort);
    }
    for (int64_t k = 0; k < count; k++) {
        il_copy(q + k * positions, x + k * size, n);
        il_copy(q + k * positions + n, x + (k + 1) * size - turned, turned);
        il_copy(qd + k * n, x + k * size + n, n);
    }
    return count;
}

int il_rates_of(il_instance *instance, int64_t mode, int64_t exact, double t, const double *x,
                double *xd)
{
    il_active *active = il_in_use(&instance->parts[mode]);
    return active->choice->rates(exact ? &active->look : &active->context, t, x, xd);
}

int il_indicators_of(il_instance *instance, int64_t mode, double t, const double *x, double *g)
{
    return il_part_indicators(&instance->parts[mode], t, x, g);
}

int64_t il_blame_of(const il_instance *instance, int64_t mode, int64_t about, double *t)
{
    const il_part *part = &instance->parts[mode];
    const il_context *context = &il_in_use(part)->context;
    switch (about) {
    case IL_BAD_INPUT:
        *t = part->inputs.bad_t;
        return part->inputs.bad;
    case IL_BAD_DRIVE:
        *t = context->bad_t;
        return context->bad_drive;
    case IL_BAD_ROW: return context->bad_row;
    case IL_BEYOND: return il_in_use(part)->bounds.beyond;
    default: return -1;
    }
}

int64_t il_missed_turns(const il_instance *instance)
{
    return instance->counts.nearby;
}

int64_t il_newton_of(const il_instance *instance, int64_t mode, double *told)
{
    const il_redundant_memory *m = il_in_use(&instance->parts[mode])->context.redundant;
    if (m == NULL) {
        return 0;
    }
    told[0] = (double)m->iterations;
    told[1] = m->correction;
    told[2] = (double)m->divided;
    return 1;
}

int64_t il_mode_of(const il_instance *instance)
{
    return instance->machine.mode;
}

void il_allow_events(il_instance *instance, int64_t most)
{
    instance->machine.most_events = most;
}

int il_advance_logged(il_instance *instance, il_event *events, double *states, int64_t capacity,
                      int64_t *count)
{
    il_machine *machine = &instance->machine;
    machine->events = events;
    machine->event_states = states;
    machine->event_capacity = capacity;
    machine->event_count = 0;
    const int status = il_advance(instance);
    *count = machine->event_count;
    /* all events since the start are counted, as without a log */
    machine->events_lost += machine->event_count;
    machine->event_capacity = machine->event_count = 0;
    return status;
}

void il_set_count(il_instance *instance, int64_t count)
{
    instance->count = count;
    instance->machine.t = (double)count * instance->step;
}

int64_t il_aspect_of(const il_instance *instance)
{
    return instance->plant->mode_count > 1 ? instance->machine.mode : il_present(instance)->choice;
}

int64_t il_output_beyond(const il_instance *instance)
{
    const il_part *part = il_present(instance);
    const il_active *active = il_in_use(part);
    const il_choice *choice = active->choice;
    const int64_t nu = choice->independent_count, k = active->bounds.beyond;
    il_place wanted = {IL_NOT_THERE, 0};
    const int64_t guess = 2 * nu + part->row->states;
    /* x = (q, qd of independent coordinates, z, q of dependent ones, quaternions) */
    if (k < 2 * nu) {
        wanted.kind = k < nu ? IL_OF_Q : IL_OF_QD;
        wanted.index = (int32_t)choice->independent[k % nu];
    } else if (k >= guess && k < guess + choice->dependent_count) {
        wanted.kind = IL_OF_Q;
        wanted.index = (int32_t)choice->dependent[k - guess];
    }
    for (int64_t out = 0; wanted.kind != IL_NOT_THERE && out < instance->plant->output_count; out++) {
        const il_place place = part->row->output_places[out];
        if (place.kind == wanted.kind && place.index == wanted.index) {
            return out;
        }
    }
    return -1;
}
