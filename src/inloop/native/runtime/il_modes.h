/* Sequence of legs and modes of a machine. Internal.
 *
 * A leg is a trial step up to its first event. Changes between il_open and il_close are made
 * completely or not at all.
 */
#ifndef IL_MODES_H
#define IL_MODES_H

#include <math.h>

#include "il_events.h"

/* Called with each leg before it is accepted; a status other than IL_OK fails the step. */
typedef int (*il_inside)(void *host, il_leg *leg);

/* Set the stepper up for a mode; its counters continue. */
void il_switch_to(il_machine *machine, int64_t mode);

/* Enter the initial mode of the machine, and go through transitions that have already fired. */
int il_enter_first(il_machine *machine);

/* Go to the event that ends a leg, and through it to the next mode. */
int il_take_event(il_machine *machine, const il_leg *leg);

/* Go through a transition that has fired at the current time and state. */
int il_take_here(il_machine *machine, int64_t transition);

/* Restore the state at il_open. */
void il_undo(il_machine *machine);

/* inline, so that a step in a mode without transitions costs no more than that of a stepper */

static inline void il_open(il_machine *machine)
{
    machine->kept = 0;
    machine->slope_known_kept = machine->stepper.slope_known;
    machine->visited[0] = machine->mode;
    machine->visited_count = 1;
    il_put_aside(&machine->stepper);
}

/* Undo everything unless the status is IL_OK; returns it. */
static inline int il_close(il_machine *machine, int status)
{
    if (status == IL_OK) {
        machine->fault_mode = -1;
    } else {
        il_undo(machine);
    }
    return status;
}

/* Go to the end of the leg and, at an event, to the next mode. */
static inline int il_take_leg(il_machine *machine, const il_leg *leg)
{
    const int64_t count = machine->modes[machine->mode].transition_count;
    if (leg->transition >= 0) {
        return il_take_event(machine, leg);
    }
    for (int64_t k = 0; k < count; k++) {
        machine->armed[k] = machine->armed_new[k];
    }
    il_accept(&machine->stepper, machine->x);
    machine->t = leg->t_end;
    return IL_OK;
}

/* All legs of a step from machine->t to t_new, the first one with h. */
static inline int il_take_step(il_machine *machine, double h, double t_new, il_inside inside,
                               void *host)
{
    int status = machine->entered ? IL_OK : il_enter_first(machine);

    while (status == IL_OK) {
        il_leg leg;
        leg.span = (il_span){machine->t, h, t_new, machine->x};
        status = il_try(&machine->stepper, &leg.span);
        if (status == IL_OK) {
            status = il_find_event(machine, &leg);
        }
        if (status == IL_OK && inside) {
            status = inside(host, &leg);
        }
        if (status == IL_OK) {
            status = il_take_leg(machine, &leg);
        }
        /* the rest of the step, unless it is too short */
        h = t_new - machine->t;
        if (h == 0.0 || fabs(h) <= il_time_tolerance(machine, t_new)) {
            break;
        }
    }
    if (status == IL_OK) {
        machine->t = t_new;
    }
    return status;
}

#endif
