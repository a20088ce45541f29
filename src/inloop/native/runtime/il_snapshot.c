/* All that influences the future of an instance, as an array of numbers.
 *
 *   steps since the start, mode, whether it is entered, events since the start;
 *   x, zeros behind it up to the longest x of all modes;
 *   which transitions are armed, and when each has fired;
 *   for each mode with loops: its choice of coordinates, steps left without a guard, the guard, and
 *   the roles of its free choice (il_free.h);
 *   for each mode of bodies with six coordinates each: both histories of il_alpha.c;
 *   states of the controller, and inputs as it holds them.
 */
#include <math.h>
#include <string.h>

#include "il_instance.h"
#include "il_precision.h"

enum { HEAD = 4, OF_HISTORY = 6 };
/* 2^53, or 2^24: limit for exact integers */
static const double MOST = IL_BY_PRECISION(9007199254740992.0, 16777216.0);

static int64_t most_transitions(const il_instance *instance)
{
    int64_t most = 0;
    for (int64_t k = 0; k < instance->plant->mode_count; k++) {
        const int64_t count = instance->plant->modes[k].event_count;
        most = count > most ? count : most;
    }
    return most;
}

/* Length of the histories of a mode. */
static int64_t of_histories(const il_mode_row *row)
{
    const il_redundant *table = row->choices[0].redundant;
    return table ? 2 * il_alpha_numbers(table) : 0;
}

int64_t il_snapshot_size(const il_instance *instance)
{
    const il_machine *machine = &instance->machine;
    int64_t size = HEAD + machine->largest + most_transitions(instance) +
                   OF_HISTORY * machine->transitions;
    for (int64_t k = 0; k < instance->plant->mode_count; k++) {
        const int64_t rows = instance->plant->modes[k].choices[0].dependent_count;
        size += rows > 0 ? 2 + rows + il_free_size(&instance->plant->modes[k]) : 0;
        size += of_histories(&instance->plant->modes[k]);
    }
    return size + il_controlled_size(instance);
}

static double *tell_histories(const il_redundant_memory *m, double *to)
{
    for (int k = 0; m && k < 2; k++) {
        il_copy(to, m->history[k], il_alpha_numbers(m->table));
        to += il_alpha_numbers(m->table);
    }
    return to;
}

static const double *take_histories(const il_redundant_memory *m, const double *from)
{
    for (int k = 0; m && k < 2; k++) {
        il_copy(m->history[k], from, il_alpha_numbers(m->table));
        from += il_alpha_numbers(m->table);
    }
    return from;
}

void il_take_snapshot(const il_instance *instance, double *to)
{
    const il_machine *machine = &instance->machine;
    const int64_t size = machine->stepper.size, armed = most_transitions(instance);
    const int64_t count = instance->modes[machine->mode].transition_count;

    *to++ = (double)instance->count;
    *to++ = (double)machine->mode;
    *to++ = (double)machine->entered;
    *to++ = (double)machine->events_lost;
    memcpy(to, machine->x, (size_t)size * sizeof *to);
    memset(to + size, 0, (size_t)(machine->largest - size) * sizeof *to);
    to += machine->largest;
    for (int64_t k = 0; k < armed; k++) {
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
    for (int64_t k = 0; k < instance->plant->mode_count; k++) {
        const il_part *part = &instance->parts[k];
        const il_active *active = il_in_use(part);
        const int64_t rows = active->choice->dependent_count;
        if (rows > 0) {
            *to++ = (double)part->choice;
            *to++ = (double)part->unguarded;
            memcpy(to, active->guard, (size_t)rows * sizeof *to);
            to += rows;
        }
        if (part->free) {
            il_tell_roles(&part->free->choice, to);
            to += il_free_size(part->row);
        }
        to = tell_histories(active->context.redundant, to);
    }
    il_tell_controlled(instance, to);
}

static int is_number(double value, double end)
{
    return value >= 0.0 && value < end && value == floor(value);
}

static int makes_sense(const il_instance *instance, const double *from)
{
    const il_machine *machine = &instance->machine;
    const double *end = from + il_snapshot_size(instance);
    if (!is_number(from[0], MOST) || !is_number(from[1], (double)machine->mode_count)) {
        return 0;
    }
    for (const double *value = from + HEAD + machine->largest; value < end; value++) {
        if (!(fabs(*value) <= MOST)) {
            return 0;
        }
    }
    from += HEAD + machine->largest + most_transitions(instance) +
            OF_HISTORY * machine->transitions;
    for (int64_t k = 0; k < instance->plant->mode_count; k++) {
        const il_mode_row *row = &instance->plant->modes[k];
        const int64_t rows = row->choices[0].dependent_count;
        if (rows > 0 && !is_number(from[0], (double)instance->parts[k].choice_count)) {
            return 0;
        }
        from += rows > 0 ? 2 + rows : 0;
        if (row->terms && !il_free_makes_sense(row, from)) {
            return 0;
        }
        from += il_free_size(row) + of_histories(row);
    }
    return 1;
}

int il_restore(il_instance *instance, const double *from)
{
    il_machine *machine = &instance->machine;
    const int64_t armed = most_transitions(instance);
    if (!makes_sense(instance, from)) {
        return IL_BAD_ARGUMENT;
    }
    instance->count = (int64_t)*from++;
    machine->t = (double)instance->count * instance->step;
    machine->mode = (int64_t)*from++;
    machine->entered = *from++ != 0.0;
    machine->events_lost = (int64_t)*from++;
    memcpy(machine->x, from, (size_t)machine->largest * sizeof *from);
    from += machine->largest;
    for (int64_t k = 0; k < armed; k++, from++) {
        machine->armed[k] = (*from > 0.0) - (*from < 0.0);
    }
    for (int64_t k = 0; k < machine->transitions; k++, from += OF_HISTORY) {
        machine->history[k] =
            (il_history){from[0], from[1], from[2], from[3], (int64_t)from[4], (int64_t)from[5]};
    }
    for (int64_t k = 0; k < instance->plant->mode_count; k++) {
        il_part *part = &instance->parts[k];
        const int64_t rows = part->row->choices[0].dependent_count;
        if (rows > 0) {
            const int64_t choice = (int64_t)*from++;
            if (part->free) {
                il_use_roles(part, choice, from + 1 + rows);
            } else {
                il_use(part, choice);
            }
            part->unguarded = (int64_t)*from++;
            il_active *active = il_in_use(part);
            memcpy(active->guard, from, (size_t)rows * sizeof *from);
            active->context.tolerance = part->unguarded != 0 ? IL_CLOSED : IL_NEARLY_CLOSED;
            from += rows + il_free_size(part->row);
        }
        from = take_histories(il_in_use(part)->context.redundant, from);
    }
    il_take_controlled(instance, from);
    return il_machine_init(machine);
}
