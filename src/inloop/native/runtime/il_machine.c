/* Memory of a machine and a single step; see il_machine.h. */
#include "il_modes.h"

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int goes_somewhere(const il_mode *modes, int64_t mode_count, const il_mode *mode,
                          int64_t target, il_jump jump)
{
    if (target < 0 || target >= mode_count) {
        return 0;
    }
    return jump || il_state_size(&modes[target].system) == il_state_size(&mode->system);
}

static int is_sensible(const il_mode *modes, int64_t mode_count, const il_mode *mode)
{
    if (mode->transition_count < 0 || mode->indicator_count < 0) {
        return 0;
    }
    if (mode->transition_count > 0 && (!mode->indicators || !mode->tolerances)) {
        return 0;
    }
    for (int64_t k = 0; k < mode->transition_count; k++) {
        const il_transition *t = &mode->transitions[k];
        if (t->indicator < 0 || t->indicator >= mode->indicator_count || t->direction < -1 ||
            t->direction > 1 || !(mode->tolerances[t->indicator] > 0.0) ||
            !goes_somewhere(modes, mode_count, mode, t->target, t->jump) ||
            (t->settles_in >= 0 &&
             !goes_somewhere(modes, mode_count, mode, t->settles_in, t->settle))) {
            return 0;
        }
    }
    return 1;
}

int il_extend(il_extent *extent, int64_t method, int64_t n, int64_t m, int64_t indicators,
              int64_t transitions)
{
    const int64_t work = il_work_size(method, n, m);
    if (work < 0) {
        return IL_BAD_ARGUMENT;
    }
    extent->work = larger(extent->work, work);
    extent->integers = larger(extent->integers, n + m);
    extent->largest = larger(extent->largest, 2 * n + m);
    extent->armed = larger(extent->armed, transitions);
    extent->transitions += transitions;
    extent->indicators = larger(extent->indicators, indicators);
    return IL_OK;
}

il_machine_sizes il_machine_room(const il_extent *extent, int64_t mode_count)
{
    const il_machine_sizes sizes = {
        /* x_event, x_jump, x_kept, slope_kept; g and g_trial */
        .work = extent->work + 4 * extent->largest + 2 * extent->indicators,
        /* armed_new, armed_kept; visited */
        .integers = extent->integers + 2 * extent->armed + mode_count,
        .largest = extent->largest,
        .armed = extent->armed,
        .transitions = extent->transitions,
    };
    return sizes;
}

static int find_extent(const il_mode *modes, int64_t mode_count, int64_t method, il_extent *e)
{
    *e = (il_extent){0};
    if (modes == NULL || mode_count < 1) {
        return IL_BAD_ARGUMENT;
    }
    for (const il_mode *mode = modes; mode < modes + mode_count; mode++) {
        const il_system *system = &mode->system;
        if (!system->rates || !is_sensible(modes, mode_count, mode) ||
            il_extend(e, method, system->n, system->m, mode->indicator_count,
                      mode->transition_count) != IL_OK) {
            return IL_BAD_ARGUMENT;
        }
    }
    return IL_OK;
}

int il_machine_measure(const il_mode *modes, int64_t mode_count, int64_t method,
                       il_machine_sizes *sizes)
{
    il_extent e;
    const int status = find_extent(modes, mode_count, method, &e);
    *sizes = il_machine_room(&e, mode_count);
    return status;
}

int il_machine_init(il_machine *machine)
{
    il_extent e;

    if (find_extent(machine->modes, machine->mode_count, machine->method, &e) != IL_OK ||
        machine->mode < 0 || machine->mode >= machine->mode_count || !machine->work ||
        !machine->integers || !machine->x || (e.armed > 0 && !machine->armed) ||
        (e.transitions > 0 && !machine->history) || machine->most_events < 1) {
        return IL_BAD_ARGUMENT;
    }
    machine->largest = e.largest;
    machine->transitions = e.transitions;
    machine->x_event = machine->work + e.work;
    machine->x_jump = machine->x_event + e.largest;
    machine->x_kept = machine->x_jump + e.largest;
    machine->slope_kept = machine->x_kept + e.largest;
    machine->g = machine->slope_kept + e.largest;
    machine->g_trial = machine->g + e.indicators;
    machine->pivots = machine->integers;
    machine->armed_new = machine->pivots + e.integers;
    machine->armed_kept = machine->armed_new + e.armed;
    machine->visited = machine->armed_kept + e.armed;
    machine->fault_mode = -1;
    /* nothing to arm */
    machine->entered |= machine->modes[machine->mode].transition_count == 0;
    machine->stepper.evaluations = machine->stepper.jacobians = 0;
    il_switch_to(machine, machine->mode);
    return IL_OK;
}

int il_machine_step(il_machine *machine, double t, double h, double t_new)
{
    /* nothing is reused from the last step: the host may have changed inputs since */
    machine->stepper.slope_known = 0;
    machine->stepper.jacobian_known = 0;
    machine->events_in_step = 0;
    machine->t = t;
    il_open(machine);
    return il_close(machine, il_take_step(machine, h, t_new, NULL, NULL));
}
