/* The state of the plant: stored as numbers in a row, brought back, looked at.
 *
 * A stored state holds, beside the number of the aspect, all that influences the future:
 *   x, zeros behind it up to the longest x of all modes;
 *   of a plant with events: whether its mode is entered, events since the start, which transitions
 *   are armed, and when each has fired;
 *   of one that chooses its independent coordinates: steps left without a guard, and the guard.
 */
#include "il_loop.h"

#include <math.h>

enum { HISTORY = 6 }; /* numbers of an il_history */

static int64_t most_transitions(const il_loop *loop)
{
    int64_t most = 0;
    for (int64_t k = 0; k < loop->machine->mode_count; k++) {
        const int64_t count = loop->modes[k].transition_count;
        most = count > most ? count : most;
    }
    return most;
}

int64_t il_stored_size(const il_loop *loop)
{
    const il_machine *machine = loop->machine;
    int64_t size = machine->largest;
    if (machine->transitions > 0) {
        size += 2 + most_transitions(loop) + HISTORY * machine->transitions;
    }
    if (il_chooses(loop)) {
        size += 1 + loop->aspects[0].dependent_count;
    }
    return size;
}

static double *store_events(const il_loop *loop, double *to)
{
    const il_machine *machine = loop->machine;
    const int64_t most = most_transitions(loop);
    const int64_t count = loop->modes[machine->mode].transition_count;

    *to++ = (double)machine->entered;
    *to++ = (double)machine->events_lost;
    for (int64_t k = 0; k < most; k++) {
        *to++ = k < count ? (double)machine->armed[k] : 0.0;
    }
    for (int64_t k = 0; k < machine->transitions; k++) {
        const il_history *history = &machine->history[k];
        *to++ = history->t;
        *to++ = history->interval;
        *to++ = history->ratio;
        *to++ = history->ratio_before;
        *to++ = (double)history->firings;
        *to++ = (double)history->excursion;
    }
    return to;
}

void il_store(const il_loop *loop, double *to)
{
    const il_machine *machine = loop->machine;
    const il_aspect *aspect = &loop->aspects[loop->aspect];
    const int64_t x = machine->stepper.size;

    memcpy(to, machine->x, (size_t)x * sizeof *to);
    memset(to + x, 0, (size_t)(machine->largest - x) * sizeof *to);
    to += machine->largest;
    if (machine->transitions > 0) {
        to = store_events(loop, to);
    }
    if (aspect->guard != NULL) {
        *to++ = (double)loop->unguarded;
        memcpy(to, aspect->guard, (size_t)aspect->dependent_count * sizeof *to);
    }
}

int il_makes_sense(const il_loop *loop, const double *stored)
{
    /* what becomes an integer must fit into one */
    const double most = 9007199254740992.0; /* 2^53 */
    for (int64_t k = loop->machine->largest; k < il_stored_size(loop); k++) {
        if (!(fabs(stored[k]) <= most)) {
            return 0;
        }
    }
    return 1;
}

static const double *load_events(il_loop *loop, const double *from)
{
    il_machine *machine = loop->machine;
    const int64_t most = most_transitions(loop);

    machine->entered = *from++ != 0.0;
    machine->events_lost = (int64_t)*from++;
    for (int64_t k = 0; k < most; k++, from++) {
        machine->armed[k] = (*from > 0.0) - (*from < 0.0);
    }
    for (int64_t k = 0; k < machine->transitions; k++, from += HISTORY) {
        machine->history[k] =
            (il_history){from[0], from[1], from[2], from[3], (int64_t)from[4], (int64_t)from[5]};
    }
    return from;
}

void il_load(il_loop *loop, int64_t number, const double *from)
{
    il_machine *machine = loop->machine;
    const il_aspect *aspect = &loop->aspects[number];

    loop->aspect = number;
    machine->mode = machine->mode_count > 1 ? number : 0;
    loop->modes[machine->mode].system = aspect->system;
    memcpy(machine->x, from, (size_t)machine->largest * sizeof *from);
    from += machine->largest;
    if (machine->transitions > 0) {
        from = load_events(loop, from);
    }
    if (aspect->guard != NULL) {
        loop->unguarded = (int64_t)*from++;
        memcpy(aspect->guard, from, (size_t)aspect->dependent_count * sizeof *from);
        *aspect->tolerance = loop->tolerances[loop->unguarded > 0];
    }
    (void)il_machine_init(machine); /* il_loop_start has checked it */
}

int il_look(il_loop *loop, int64_t substep)
{
    const il_machine *machine = loop->machine;
    const double t = il_time_of(loop, substep);

    loop->aspect = machine->mode_count > 1 ? machine->mode : loop->aspect;
    il_aspect *aspect = &loop->aspects[loop->aspect];
    loop->told[0] = (double)machine->mode;
    loop->told[1] = (double)machine->events_lost;
    if (aspect->expand != NULL) {
        double *const *to = aspect->expanded;
        if (aspect->expand(aspect->context, 1, &t, machine->x, to[0], to[1], to[2], to[3],
                           to[4]) != 1) {
            return IL_LOOP_OPEN;
        }
    }
    if (aspect->observe != NULL) {
        aspect->view.t = t;
        aspect->observe(&aspect->view, aspect->observed);
    }
    return IL_OK;
}
