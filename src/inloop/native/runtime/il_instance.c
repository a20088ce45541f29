/* Assembly of the parts of an instance; see il_plant.h. */
#include "il_instance.h"

#include <math.h>
#include <string.h>

static void connect_choice(il_part *part, il_active *active, int64_t method, double step)
{
    const il_choice *choice = active->choice;
    const il_mode_row *row = part->row;
    const int64_t n = row->n, positions = il_positions(row);
    const int implicit =
        choice->predict && (method == IL_IMPLICIT || (method == IL_MOREAU && choice->respond));
    il_context *c = &active->context;
    c->pre = active->pre;
    c->tau = part->tau;
    c->u = part->u;
    c->implicit_pre = active->pre_steps;
    c->jacobian_pre = active->pre_jacobian;
    c->contacts_pre = active->pre_contacts;
    c->drives = row->drives;
    c->drives_self = part->pre_drives;
    c->q = part->given;
    c->qd = part->given + n;
    c->qdd = part->given + 2 * n;
    c->bad_drive = -1;
    c->guard = active->guard;
    c->per_unit = active->per_unit;
    c->tolerance = IL_NEARLY_CLOSED;
    c->farthest = IL_FARTHEST;
    c->pull = step > 0.0 && (!implicit || method == IL_MOREAU) ? 1.0 / step : 0.0;
    c->most_iterations = IL_MOST_ITERATIONS;
    c->settle = choice->redundant ? il_redundant_settle : choice->settle;
    c->rates = choice->rates;
    if (part->free && choice == &part->free->choice) {
        c->reduction = part->free->reduction;
    }
    c->at_q = part->settled;
    c->at_qd = part->settled + positions;
    c->at_qdd = part->settled + positions + n;
    active->look = *c;
    active->look.guard = part->zeros;
    active->look.tolerance = IL_CLOSED;
    active->contacts.inexact = &part->instance->counts.inexact;
    active->contacts.patience = &part->patience;
    il_fit(active, row);
    active->system = (il_system){
        .rates = choice->rates,
        .jacobian = method == IL_RODAS ? choice->jacobian : NULL,
        .predict = implicit ? choice->predict : NULL,
        .correct = implicit ? choice->correct : NULL,
        .respond = choice->redundant ? il_redundant_respond : implicit ? choice->respond : NULL,
        .contacts = &active->contacts,
        .advance = choice->redundant ? choice->redundant->advance : NULL,
        .fit = choice->redundant && choice->redundant->rows > 0 ? il_redundant_fit : NULL,
        .context = c,
        .n = choice->independent_count,
        .m = row->states + choice->dependent_count + IL_QUATERNION * row->attitudes,
        .attitudes = row->attitudes,
        .autonomous = choice->autonomous,
        .bounds = &active->bounds,
        .sizes = part->sizes,
    };
}

static void connect_events(il_instance *instance, il_part *part)
{
    const il_mode_row *row = part->row;
    for (int64_t k = 0; k < row->event_count; k++) {
        const il_event_row *event = &row->events[k];
        il_part *const parts = instance->parts;
        il_part *const impact = event->impact < 0 ? NULL : &parts[event->impact];
        il_handover *const way = &part->ways[2 * k];
        way[0] = (il_handover){part, &parts[event->target], impact, k, 0};
        way[1] = (il_handover){part, part, impact, k, 1};
        if (event->settles_in >= 0) {
            way[1].to = &parts[event->settles_in];
        }
        part->tolerances[k] = event->tolerance > 0.0 ? event->tolerance : IL_ZERO;
        part->transitions[k] = (il_transition){
            .indicator = k,
            .direction = event->direction,
            .target = event->target,
            .jump = il_hand_over,
            .context = &way[0],
            .settles_in = event->settles_in,
            .settle = event->settles_in < 0 ? NULL : il_hand_over,
            .settle_context = &way[1],
        };
    }
}

/* Default scale of each entry of x, while the rates of the motion are unknown. */
static void measure(il_part *part)
{
    const il_mode_row *row = part->row;
    const il_choice *c = &row->choices[0];
    const int64_t nu = c->independent_count;
    if (row->sizes) {
        memcpy(part->sizes, row->sizes, (size_t)il_length_of_x(row) * sizeof *part->sizes);
        return;
    }
    for (int64_t k = 0; k < nu; k++) {
        part->sizes[k] = part->sizes[nu + k] = row->units[c->independent[k]];
    }
    for (int64_t k = 0; k < row->states; k++) {
        part->sizes[2 * nu + k] = 1.0;
    }
    for (int64_t k = 0; k < c->dependent_count; k++) {
        part->sizes[2 * nu + row->states + k] = row->units[c->dependent[k]];
    }
    for (int64_t k = 2 * nu + row->states + c->dependent_count; k < il_length_of_x(row); k++) {
        part->sizes[k] = 1.0;
    }
}

static void connect(il_instance *instance, int64_t number, int64_t method, double step)
{
    il_part *part = &instance->parts[number];
    const il_mode_row *row = part->row;
    part->instance = instance;
    part->inputs.u = part->u;
    part->inputs.count = row->inputs;
    part->inputs.bad = -1;
    measure(part);
    for (int64_t k = 0; k < part->choice_count; k++) {
        connect_choice(part, &part->choices[k], method, step);
    }
    connect_events(instance, part);
    for (int64_t k = 0; k < instance->plant->output_count; k++) {
        part->sources[k] = il_source(part, row->output_places[k]);
    }
    instance->modes[number] = (il_mode){
        .system = part->choices[0].system,
        .indicators = row->event_count > 0 ? il_part_indicators : NULL,
        .context = part,
        .indicator_count = row->event_count,
        .tolerances = part->tolerances,
        .transitions = part->transitions,
        .transition_count = row->event_count,
    };
}

il_instance *il_initialize(void *memory, const il_plant *plant, int64_t method, double step)
{
    const size_t size = il_instance_size(plant, method);
    if (size == 0 || memory == NULL || (size_t)memory % IL_ALIGNMENT != 0) {
        return NULL;
    }
    memset(memory, 0, size);
    il_instance *const instance = memory;
    *instance = il_lay_out(memory, plant, method);
    instance->size = size;
    instance->step = step;
    for (int64_t k = 0; k < plant->mode_count; k++) {
        connect(instance, k, method, step);
    }
    il_machine *machine = &instance->machine;
    machine->modes = instance->modes;
    machine->mode_count = plant->mode_count;
    machine->method = method;
    machine->most_events = IL_MOST_EVENTS;
    machine->settle_time = IL_SETTLED * step;
    machine->time_tolerance = IL_SAME_TIME * step;
    for (int64_t k = 0; k < plant->parameter_count; k++) {
        instance->parameters[k] = plant->parameters[k].start;
    }
    il_prepare(instance);
    for (int64_t k = 0; k < plant->input_count; k++) {
        il_write_input(instance, k, plant->inputs[k].start);
    }
    return il_reset(instance) == IL_BAD_ARGUMENT ? NULL : instance;
}

/* ---- parameters and inputs ---- */

static void prepare(const il_preparation *how, const double *parameters, double *values)
{
    if (how->function) {
        how->function(parameters, values);
    }
}

void il_prepare(il_instance *instance)
{
    const double *parameters = instance->parameters;
    if (instance->plant->controller) {
        prepare(&instance->plant->controller->prepare, parameters, instance->controlled.gains);
    }
    for (int64_t m = 0; m < instance->plant->mode_count; m++) {
        const il_part *part = &instance->parts[m];
        prepare(&part->row->prepare_drives, parameters, part->pre_drives);
        prepare(&part->row->prepare_observe, parameters, part->pre_observe);
        prepare(&part->row->prepare_events, parameters, part->pre_events);
        prepare(&part->row->prepare_sense, parameters, part->pre_sense);
        for (int64_t k = 0; k < part->choice_count; k++) {
            const il_active *active = &part->choices[k];
            prepare(&active->choice->prepare, parameters, active->pre);
            prepare(&active->choice->prepare_steps, parameters, active->pre_steps);
            prepare(&active->choice->prepare_jacobian, parameters, active->pre_jacobian);
            prepare(&active->choice->prepare_project, parameters, active->pre_project);
            prepare(&active->choice->prepare_contacts, parameters, active->pre_contacts);
            if (active->context.redundant) {
                il_alpha_forget(active->context.redundant);
            }
        }
    }
}

void il_write_input(il_instance *instance, int64_t input, double value)
{
    instance->inputs[input] = value;
    for (int64_t m = 0; m < instance->plant->mode_count; m++) {
        const il_part *part = &instance->parts[m];
        const il_place place = part->row->input_places[input];
        if (place.kind == IL_OF_TAU) {
            part->tau[place.index] = value;
        } else if (place.kind == IL_OF_U) {
            part->u[place.index] = value;
        }
    }
}

void il_set_input(il_instance *instance, int64_t input, double value)
{
    const il_controlled *by = &instance->controlled;
    if (by->led == NULL || by->let_go || !by->led[input]) {
        il_write_input(instance, input, value);
    }
}

void il_set_inputs(il_instance *instance, const double *values)
{
    for (int64_t k = 0; k < instance->plant->input_count; k++) {
        il_set_input(instance, k, values[k]);
    }
}
