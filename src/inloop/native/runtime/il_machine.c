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

/* The largest of everything; `work` and `integers` as far as steppers need them. */
typedef struct extent {
    il_machine_sizes sizes;
    int64_t indicators;
} extent;

static int find_extent(const il_mode *modes, int64_t mode_count, int64_t method, extent *e)
{
    *e = (extent){{0}, 0};
    if (modes == NULL || mode_count < 1) {
        return IL_BAD_ARGUMENT;
    }
    for (const il_mode *mode = modes; mode < modes + mode_count; mode++) {
        const il_system *system = &mode->system;
        const int64_t work = il_work_size(method, system->n, system->m);
        if (work < 0 || !system->rates || !is_sensible(modes, mode_count, mode)) {
            return IL_BAD_ARGUMENT;
        }
        e->sizes.work = larger(e->sizes.work, work);
        e->sizes.integers = larger(e->sizes.integers, system->n + system->m);
        e->sizes.largest = larger(e->sizes.largest, il_state_size(system));
        e->sizes.armed = larger(e->sizes.armed, mode->transition_count);
        e->sizes.transitions += mode->transition_count;
        e->indicators = larger(e->indicators, mode->indicator_count);
    }
    return IL_OK;
}

int il_machine_measure(const il_mode *modes, int64_t mode_count, int64_t method,
                       il_machine_sizes *sizes)
{
    extent e;
    const int status = find_extent(modes, mode_count, method, &e);

    *sizes = e.sizes;
    /* x_event, x_jump, x_kept, slope_kept; g and g_trial */
    sizes->work += 4 * e.sizes.largest + 2 * e.indicators;
    /* armed_new, armed_kept; visited */
    sizes->integers += 2 * e.sizes.armed + mode_count;
    return status;
}

int il_machine_init(il_machine *machine)
{
    extent e;

    if (find_extent(machine->modes, machine->mode_count, machine->method, &e) != IL_OK ||
        machine->mode < 0 || machine->mode >= machine->mode_count || !machine->work ||
        !machine->integers || !machine->x || (e.sizes.armed > 0 && !machine->armed) ||
        (e.sizes.transitions > 0 && !machine->history) || machine->most_events < 1) {
        return IL_BAD_ARGUMENT;
    }
    machine->largest = e.sizes.largest;
    machine->transitions = e.sizes.transitions;
    machine->x_event = machine->work + e.sizes.work;
    machine->x_jump = machine->x_event + e.sizes.largest;
    machine->x_kept = machine->x_jump + e.sizes.largest;
    machine->slope_kept = machine->x_kept + e.sizes.largest;
    machine->g = machine->slope_kept + e.sizes.largest;
    machine->g_trial = machine->g + e.indicators;
    machine->pivots = machine->integers;
    machine->armed_new = machine->pivots + e.sizes.integers;
    machine->armed_kept = machine->armed_new + e.sizes.armed;
    machine->visited = machine->armed_kept + e.sizes.armed;
    machine->fault_mode = -1;
    /* nothing to arm */
    machine->entered |= machine->modes[machine->mode].transition_count == 0;
    machine->stepper.evaluations = machine->stepper.jacobians = 0;
    il_switch_to(machine, machine->mode);
    return IL_OK;
}

int il_machine_step(il_machine *machine, double t, double h)
{
    /* nothing is taken over from the last step: the host may have changed inputs since */
    machine->stepper.slope_known = 0;
    machine->stepper.jacobian_known = 0;
    machine->events_in_step = 0;
    machine->t = t;
    il_open(machine);
    return il_close(machine, il_take_step(machine, h, t + h, NULL, NULL));
}
