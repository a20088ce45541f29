/* A plant integrated by an external solver; see il_outside.h. */
#include "il_outside.h"

#include <math.h>

#include "il_finite.h"
#include "il_modes.h"

#define WHOLE 1e-9     /* fraction of a period by which a sample may be early */
#define FARTHER 1e-3   /* fraction of an indicator that was found beyond zero */
#define UNIT_LOST 1e-8 /* of the squared length of a quaternion */

int64_t il_largest_state(const il_plant *plant)
{
    int64_t most = 0;
    for (int64_t k = 0; k < plant->mode_count; k++) {
        const int64_t count = il_length_of_x(&plant->modes[k]);
        most = count > most ? count : most;
    }
    return most;
}

int64_t il_most_transitions(const il_plant *plant)
{
    int64_t most = 0;
    for (int64_t k = 0; k < plant->mode_count; k++) {
        most = plant->modes[k].event_count > most ? plant->modes[k].event_count : most;
    }
    return most;
}

int64_t il_most_rows(const il_plant *plant)
{
    int64_t most = 0;
    for (int64_t k = 0; k < plant->mode_count; k++) {
        most = plant->modes[k].rows > most ? plant->modes[k].rows : most;
    }
    return most;
}

int64_t il_length_outside(const il_outside *outside)
{
    return outside->instance->machine.stepper.size;
}

/* Step sizes are unknown: estimates follow velocities only. */
static void let_estimates_be(il_instance *instance)
{
    for (int64_t m = 0; m < instance->plant->mode_count; m++) {
        il_part *part = &instance->parts[m];
        for (int64_t k = 0; k < part->choice_count; k++) {
            part->choices[k].context.pull = part->choices[k].look.pull = 0.0;
        }
    }
}

/* Store the quality of the choice of coordinates here, and use it without a guard. */
static int judge_choice(il_outside *outside)
{
    il_part *part = il_present(outside->instance);
    const double t = il_time(outside->instance);
    outside->wanted = 0;
    if (!il_chooses(part)) {
        return IL_OK;
    }
    if (il_look_at(part, t, outside->instance->machine.x) != IL_OK) {
        return IL_LOOP_OPEN;
    }
    (void)il_find_pivots(part, t, outside->pivots);
    il_step_over(part);
    return IL_OK;
}

void il_put_outside(il_outside *outside, double t, const double *x)
{
    il_machine *machine = &outside->instance->machine;
    if (t != machine->t) {
        machine->events_in_step = 0; /* so many may happen at one time */
    }
    machine->t = t;
    if (x != machine->x) {
        il_copy(machine->x, x, machine->stepper.size);
    }
}

int il_rates_outside(il_outside *outside)
{
    il_instance *instance = outside->instance;
    const il_machine *machine = &instance->machine;
    const int status =
        il_rates_of(instance, machine->mode, 1, machine->t, machine->x, outside->xd);
    if (status != IL_OK) {
        return status;
    }
    for (int64_t k = machine->stepper.size; k < machine->largest; k++) {
        outside->xd[k] = 0.0;
    }
    return il_all_finite(outside->xd, machine->stepper.size) ? IL_OK : IL_DIVERGED;
}

/* ---- events ---- */

static double own_tolerance(const il_part *part, int64_t k)
{
    const double tolerance = part->row->events[k].tolerance;
    return tolerance > 0.0 ? tolerance : IL_ZERO;
}

static double level_of(const il_machine *machine, int64_t k)
{
    const il_mode *mode = &machine->modes[machine->mode];
    const il_transition *transition = &mode->transitions[k];
    const double tolerance = mode->tolerances[transition->indicator];
    return il_level(transition, machine->armed[k], machine->g[transition->indicator], tolerance);
}

/* A transition that leaves zero and returns between two calls of the host has been armed. */
static void see(il_outside *outside, int64_t k)
{
    const il_machine *machine = &outside->instance->machine;
    const il_part *part = il_present(outside->instance);
    const il_transition *transition = &machine->modes[machine->mode].transitions[k];
    outside->seen[k] =
        il_arm(transition, outside->seen[k], machine->g[k], own_tolerance(part, k));
}

int il_levels_outside(il_outside *outside)
{
    il_machine *machine = &outside->instance->machine;
    const int64_t count = machine->modes[machine->mode].transition_count;
    const int64_t most = il_most_transitions(outside->instance->plant);
    const int status = count > 0 ? il_indicate(machine, machine->t, machine->x, machine->g) : IL_OK;
    for (int64_t k = 0; status == IL_OK && k < most; k++) {
        outside->levels[k] = k < count ? level_of(machine, k) : 1.0;
        if (k < count) {
            see(outside, k);
        }
    }
    return status;
}

/* The host has accepted this state: what was armed on the way is armed. */
static void arm_seen(il_outside *outside)
{
    il_machine *machine = &outside->instance->machine;
    il_part *part = il_present(outside->instance);
    for (int64_t k = 0; k < machine->modes[machine->mode].transition_count; k++) {
        machine->armed[k] = machine->armed[k] ? machine->armed[k] : outside->seen[k];
        outside->seen[k] = 0;
        if (machine->armed[k]) {
            part->tolerances[k] = own_tolerance(part, k);
        }
    }
}

/* The first transition that has fired here; -1: none. */
static int find_fired(il_outside *outside, int64_t *fired)
{
    const il_machine *machine = &outside->instance->machine;
    const int64_t count = machine->modes[machine->mode].transition_count;
    const int status = il_levels_outside(outside);
    *fired = -1;
    for (int64_t k = 0; status == IL_OK && *fired < 0 && k < count; k++) {
        *fired = outside->levels[k] <= 0.0 ? k : -1;
    }
    return status;
}

/* ---- zero level of indicators ----
 *
 * A host locates an event as well as it can, possibly beyond the tolerance of the indicator. The
 * value of an unarmed indicator then counts as zero until it is armed, or moves a little farther.
 * */

/* Set the zero level of a transition to its current indicator. */
static void forgive(il_part *part, int64_t k, double g)
{
    const double own = own_tolerance(part, k);
    part->tolerances[k] = fabs(g) + fmax(own, FARTHER * fabs(g));
}

/* The same for all that are not armed. */
static int forgive_all(il_outside *outside)
{
    il_machine *machine = &outside->instance->machine;
    const int64_t count = machine->modes[machine->mode].transition_count;
    const int status = count > 0 && machine->entered
                           ? il_indicate(machine, machine->t, machine->x, machine->g)
                           : IL_OK;
    for (int64_t k = 0; status == IL_OK && machine->entered && k < count; k++) {
        forgive(il_present(outside->instance), k, machine->armed[k] ? 0.0 : machine->g[k]);
    }
    return status;
}

static void forget_seen(il_outside *outside)
{
    const int64_t count = il_most_transitions(outside->instance->plant);
    for (int64_t k = 0; k < count; k++) {
        outside->seen[k] = 0;
    }
}

int il_begin_outside(il_outside *outside)
{
    outside->samples = 0;
    return il_resume_outside(outside);
}

int il_resume_outside(il_outside *outside)
{
    let_estimates_be(outside->instance);
    forget_seen(outside);
    const int status = judge_choice(outside);
    return status == IL_OK ? forgive_all(outside) : status;
}

/* Enter the first mode, or go through the transition that has fired. */
static int change_mode(il_outside *outside, il_happened *happened)
{
    il_machine *machine = &outside->instance->machine;
    const int64_t events = machine->events_lost;
    int64_t fired = -1;
    int status = IL_OK;
    if (machine->entered) {
        arm_seen(outside);
        status = find_fired(outside, &fired);
    }
    if (status != IL_OK || (machine->entered && fired < 0)) {
        return status;
    }
    if (fired >= 0) {
        forgive(il_present(outside->instance), fired, machine->g[fired]);
    }
    outside->instance->renews = 1;
    il_open(machine);
    status = il_close(machine, fired < 0 ? il_enter_first(machine) : il_take_here(machine, fired));
    outside->instance->renews = 0;
    forget_seen(outside);
    if (status == IL_OK && machine->events_lost != events) {
        happened->again = happened->jumped = 1;
        status = judge_choice(outside);
    }
    return status == IL_OK ? forgive_all(outside) : status;
}

/* ---- monitoring between events ---- */

/* Has a pivot of the choice in use shrunk too far, or changed its sign? */
static int pivots_lost(il_outside *outside)
{
    il_instance *instance = outside->instance;
    il_part *part = il_present(instance);
    if (!il_chooses(part) || il_look_at(part, il_time(instance), instance->machine.x) != IL_OK) {
        return 0;
    }
    const int64_t count = il_find_pivots(part, il_time(instance), part->pivots);
    int lost = !il_same_side(outside->pivots, part->pivots, count);
    for (int64_t k = 0; k < count; k++) {
        lost = lost || fabs(part->pivots[k]) > IL_WORST_PIVOT * fabs(outside->pivots[k]);
    }
    return lost;
}

int il_singular_outside(il_outside *outside)
{
    il_instance *instance = outside->instance;
    il_part *part = il_present(instance);
    return il_chooses(part) &&
           (il_look_at(part, il_time(instance), instance->machine.x) != IL_OK ||
            il_near_singular(part, il_time(instance)));
}

/* Has a quaternion lost its unit length? */
static int lengths_lost(const il_outside *outside)
{
    const il_machine *machine = &outside->instance->machine;
    const int64_t count = machine->stepper.system.attitudes;
    const double *q = machine->x + machine->stepper.size - IL_QUATERNION * count;
    int lost = 0;
    for (int64_t k = 0; k < count; k++, q += IL_QUATERNION) {
        const double squared = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
        lost = lost || !(fabs(squared - 1.0) <= UNIT_LOST);
    }
    return lost;
}

int il_done_outside(il_outside *outside)
{
    il_machine *machine = &outside->instance->machine;
    const il_mode *mode = &machine->modes[machine->mode];
    outside->wanted = pivots_lost(outside) || lengths_lost(outside);
    if (mode->transition_count == 0 || !machine->entered) {
        return IL_OK;
    }
    int64_t fired;
    const int status = find_fired(outside, &fired);
    if (status == IL_OK) {
        outside->wanted = outside->wanted || fired >= 0;
        arm_seen(outside);
    }
    return status;
}

/* Change to better independent coordinates, and normalize quaternions. */
static int renew(il_outside *outside, il_happened *happened)
{
    il_instance *instance = outside->instance;
    il_machine *machine = &instance->machine;
    il_part *part = il_present(instance);
    if (lengths_lost(outside)) {
        il_normalize(&machine->stepper.system, machine->x);
        happened->jumped = 1;
    }
    if (il_chooses(part) && il_look_at(part, machine->t, machine->x) == IL_OK &&
        il_choose_better(part, machine->t)) {
        let_estimates_be(instance);
        il_pack(part, machine->x);
        happened->jumped = 1;
    }
    return judge_choice(outside);
}

/* ---- samples of the controller ---- */

static double next_sample(const il_outside *outside)
{
    const il_controller *row = outside->instance->plant->controller;
    return row ? (double)outside->samples * row->period : HUGE_VAL;
}

static int sample(il_outside *outside)
{
    const il_controller *row = outside->instance->plant->controller;
    if (row == NULL || il_time(outside->instance) < next_sample(outside) - WHOLE * row->period) {
        return IL_OK;
    }
    const int status = il_sample_now(outside->instance);
    outside->samples += status == IL_OK;
    return status;
}

int il_happen_outside(il_outside *outside, il_happened *happened)
{
    *happened = (il_happened){0};
    int status = sample(outside);
    if (status == IL_OK) {
        status = change_mode(outside, happened);
    }
    if (status == IL_OK && outside->wanted) {
        status = renew(outside, happened);
    }
    happened->next = next_sample(outside);
    return status;
}
