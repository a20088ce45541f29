/* Sequence of legs and modes of a machine; see il_modes.h. */
#include "il_modes.h"

#include "il_accumulation.h"
#include "il_vectors.h"

/* loops, because memcpy does not accept NULL even for size 0 */
static void copy_flags(int64_t *to, const int64_t *from, int64_t size)
{
    for (int64_t i = 0; i < size; i++) {
        to[i] = from[i];
    }
}

static void copy_history(il_history *to, const il_history *from, int64_t size)
{
    for (int64_t i = 0; i < size; i++) {
        to[i] = from[i];
    }
}

void il_switch_to(il_machine *machine, int64_t mode)
{
    il_stepper *stepper = &machine->stepper;
    const int64_t evaluations = stepper->evaluations;
    const int64_t jacobians = stepper->jacobians;

    machine->mode = mode;
    (void)il_stepper_init(stepper, &machine->modes[mode].system, machine->method, machine->work,
                          machine->pivots); /* il_machine_init has checked it */
    stepper->atol = machine->atol ? machine->atol + mode * machine->largest : NULL;
    stepper->evaluations = evaluations;
    stepper->jacobians = jacobians;
}

/* Save the context of a mode, once per step. */
static void visit(il_machine *machine, int64_t mode)
{
    const il_system *system = &machine->modes[mode].system;
    for (int64_t i = 0; i < machine->visited_count; i++) {
        if (machine->visited[i] == mode) {
            return;
        }
    }
    machine->visited[machine->visited_count++] = mode;
    if (system->save) {
        system->save(system->context);
    }
}

/* Before the first event of a step: until then only the stepper has changed. */
static void keep(il_machine *machine)
{
    const il_mode *mode = &machine->modes[machine->mode];
    if (machine->kept) {
        return;
    }
    machine->kept = 1;
    machine->t_kept = machine->t;
    machine->mode_kept = machine->mode;
    machine->entered_kept = machine->entered;
    machine->event_count_kept = machine->event_count;
    machine->events_lost_kept = machine->events_lost;
    machine->events_in_step_kept = machine->events_in_step;
    il_copy(machine->x_kept, machine->x, machine->stepper.size);
    il_copy(machine->slope_kept, machine->stepper.slope, machine->stepper.size);
    copy_flags(machine->armed_kept, machine->armed, mode->transition_count);
    copy_history(machine->history + machine->transitions, machine->history, machine->transitions);
}

static void bring_back(il_machine *machine)
{
    il_switch_to(machine, machine->mode_kept);
    machine->t = machine->t_kept;
    machine->entered = machine->entered_kept;
    machine->event_count = machine->event_count_kept;
    machine->events_lost = machine->events_lost_kept;
    machine->events_in_step = machine->events_in_step_kept;
    il_copy(machine->x, machine->x_kept, machine->stepper.size);
    il_copy(machine->stepper.slope, machine->slope_kept, machine->stepper.size);
    copy_flags(machine->armed, machine->armed_kept,
               machine->modes[machine->mode].transition_count);
    copy_history(machine->history, machine->history + machine->transitions, machine->transitions);
}

void il_undo(il_machine *machine)
{
    for (int64_t i = 0; i < machine->visited_count; i++) {
        const il_system *system = &machine->modes[machine->visited[i]].system;
        if (system->restore) {
            system->restore(system->context);
        }
    }
    if (machine->kept) {
        bring_back(machine);
    }
    machine->stepper.slope_known = machine->slope_known_kept != 0;
    machine->stepper.jacobian_known = 0;
}

static il_history *history_of(il_machine *machine, int64_t transition)
{
    il_history *history = machine->history + transition;
    for (int64_t mode = 0; mode < machine->mode; mode++) {
        history += machine->modes[mode].transition_count;
    }
    return history;
}

/* A row of states: x, padded with NaN. */
static void write_state(const il_machine *machine, double *row, const double *x, int64_t size)
{
    il_copy(row, x, size);
    for (int64_t i = size; i < machine->largest; i++) {
        row[i] = NAN;
    }
}

static int log_event(il_machine *machine, const il_event *event)
{
    if (machine->event_count >= machine->event_capacity) {
        machine->events_lost++;
        return machine->complete ? IL_SAMPLES_FULL : IL_OK;
    }
    double *rows = machine->event_states + 2 * machine->largest * machine->event_count;
    machine->events[machine->event_count++] = *event;
    write_state(machine, rows, machine->x_event, machine->stepper.size);
    write_state(machine, rows + machine->largest, machine->x_jump,
                il_state_size(&machine->modes[event->next_mode].system));
    return IL_OK;
}

/* Transitions that have been armed in the leg up to its event. */
static void note_excursions(il_machine *machine)
{
    const int64_t count = machine->modes[machine->mode].transition_count;
    il_history *history = history_of(machine, 0);
    for (int64_t k = 0; k < count; k++) {
        history[k].excursion |= machine->armed_new[k] != 0;
    }
}

/* Whether this firing ends in settles_in; IL_CHATTERING if it should and cannot. */
static int judge_firing(il_machine *machine, int64_t transition, double t, int at_once,
                        int64_t *settled)
{
    il_history *history = history_of(machine, transition);
    const int within = !history->excursion;
    const int64_t settles_in = machine->modes[machine->mode].transitions[transition].settles_in;

    il_note_firing(history, t, il_time_tolerance(machine, t));
    machine->events_in_step++;
    const int last = machine->events_in_step >= machine->most_events;
    const int too_many = machine->events_in_step > machine->most_events;
    *settled = !at_once && il_shrinks(history) &&
               (last || within || il_ends_within(history, machine->settle_time));
    history->excursion = 0;
    if (*settled && settles_in >= 0) {
        *history = (il_history){0};
        return IL_OK;
    }
    return *settled || too_many ? IL_CHATTERING : IL_OK;
}

/* From x_event through the jump of a transition to the next mode. */
static int change_mode(il_machine *machine, int64_t transition, double t, int at_once)
{
    const il_mode *mode = &machine->modes[machine->mode];
    const il_transition *chosen = &mode->transitions[transition];
    il_event event = {.t = t, .mode = machine->mode, .transition = transition};

    int status = judge_firing(machine, transition, t, at_once, &event.settled);
    if (status != IL_OK) {
        return status;
    }
    const il_jump jump = event.settled ? chosen->settle : chosen->jump;
    void *context = event.settled ? chosen->settle_context : chosen->context;
    event.next_mode = event.settled ? chosen->settles_in : chosen->target;
    const int64_t size = il_state_size(&machine->modes[event.next_mode].system);
    visit(machine, event.next_mode);
    if (jump) {
        status = jump(context, t, machine->x_event, machine->x_jump, &event.record);
    } else {
        il_copy(machine->x_jump, machine->x_event, size);
    }
    if (status == IL_OK && !il_all_finite(machine->x_jump, size)) {
        status = IL_DIVERGED;
    }
    if (status == IL_OK) {
        status = log_event(machine, &event);
    }
    if (status != IL_OK) {
        return status;
    }
    il_switch_to(machine, event.next_mode);
    machine->t = t;
    il_copy(machine->x, machine->x_jump, size);
    return IL_OK;
}

static int fire(il_machine *machine, int64_t transition, double t, int at_once)
{
    const int status = change_mode(machine, transition, t, at_once);
    if (status != IL_OK) {
        il_blame(machine, t, transition);
    }
    return status;
}

/* Arm the transitions of the mode; returns the first one that has already fired, or -1. */
static int arm_anew(il_machine *machine, int64_t *fired)
{
    const il_mode *mode = &machine->modes[machine->mode];

    *fired = -1;
    if (mode->transition_count == 0) {
        return IL_OK;
    }
    const int status = il_indicate(machine, machine->t, machine->x, machine->g);
    if (status != IL_OK) {
        return status;
    }
    for (int64_t k = 0; k < mode->transition_count; k++) {
        const il_transition *transition = &mode->transitions[k];
        const double tolerance = mode->tolerances[transition->indicator];
        const double g = machine->g[transition->indicator];
        machine->armed[k] = il_arm(transition, 0, g, tolerance);
        /* clearly, and not where another one has just fired beyond its tolerance */
        if (*fired < 0 && (double)transition->direction * g > 2.0 * tolerance) {
            *fired = k;
        }
    }
    return IL_OK;
}

static int enter(il_machine *machine)
{
    int64_t fired;

    machine->entered = 1;
    int status = arm_anew(machine, &fired);
    while (status == IL_OK && fired >= 0) {
        il_copy(machine->x_event, machine->x, machine->stepper.size);
        status = fire(machine, fired, machine->t, 1);
        if (status == IL_OK) {
            status = arm_anew(machine, &fired);
        }
    }
    return status;
}

int il_enter_first(il_machine *machine)
{
    keep(machine);
    return enter(machine);
}

int il_take_event(il_machine *machine, const il_leg *leg)
{
    keep(machine);
    int status = il_state_at(&machine->stepper, leg, leg->s, machine->x_event);
    if (status != IL_OK) {
        return status;
    }
    note_excursions(machine);
    status = fire(machine, leg->transition, leg->t_end, 0);
    return status == IL_OK ? enter(machine) : status;
}

int il_take_here(il_machine *machine, int64_t transition)
{
    keep(machine);
    il_copy(machine->x_event, machine->x, machine->stepper.size);
    copy_flags(machine->armed_new, machine->armed,
               machine->modes[machine->mode].transition_count);
    note_excursions(machine);
    const int status = fire(machine, transition, machine->t, 0);
    return status == IL_OK ? enter(machine) : status;
}
