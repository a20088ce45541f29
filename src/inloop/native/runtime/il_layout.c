/* Memory layout of an instance; see il_instance.h. */
#include "il_instance.h"

/* limits for the contacts of a step */
#define CONTACT_TOLERANCE 1e-10
enum { CONTACT_SWEEPS = 500, CONTACT_NEWTONS = 100 };

static void *take(il_arena *from, int64_t count, size_t size)
{
    enum { PIECE = 16 }; /* bytes */
    return il_take(from, count, size, PIECE);
}

static double *numbers(il_arena *from, int64_t count)
{
    return take(from, count, sizeof(double));
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Align to a cache line. */
static void align(il_arena *from)
{
    from->used = (from->used + IL_ALIGNMENT - 1) / IL_ALIGNMENT * IL_ALIGNMENT;
}

/* Data of a choice used in each step, in order of use. */
static il_active lay_out_choice(il_arena *from, const il_mode_row *row, const il_choice *choice)
{
    il_active a = {.choice = choice};
    align(from);
    a.pre = numbers(from, choice->prepare.count);
    a.guard = numbers(from, choice->dependent_count);
    a.per_unit = numbers(from, choice->dependent_count);
    a.pre_steps = numbers(from, choice->prepare_steps.count);
    a.context.kept = numbers(from, choice->kept);
    a.most = numbers(from, il_length_of_x(row));
    if (choice->redundant) {
        a.context.redundant = il_redundant_lay_out(from, choice->redundant);
    }
    if (choice->contacts) {
        const il_contact_effort effort = {CONTACT_TOLERANCE, CONTACT_SWEEPS, CONTACT_NEWTONS, 0.0};
        a.pre_contacts = numbers(from, choice->prepare_contacts.count);
        a.contacts.table = choice->contacts;
        a.contacts.work = numbers(from, il_contacts_work(choice->contacts, choice->independent_count));
        a.contacts.chosen = take(from, il_contacts_integers(choice->contacts), sizeof(int64_t));
        a.contacts.effort = effort;
    }
    return a;
}

/* Data of a mode used in each step, in order of use: the rates, then the outputs. */
static il_part lay_out_mode(il_arena *from, const il_mode_row *row, int64_t outputs)
{
    il_part p = {.row = row};
    int64_t rows = 0, driven = 0;
    int touched = 0;
    align(from);
    p.tau = numbers(from, row->n);
    p.u = numbers(from, row->inputs);
    p.pre_drives = numbers(from, row->prepare_drives.count);
    p.given = numbers(from, 3 * row->n);
    p.choice_count = row->choice_count + (row->terms != NULL);
    p.choices = take(from, p.choice_count, sizeof *p.choices);
    for (int64_t k = 0; k < row->choice_count; k++) {
        const il_choice *choice = &row->choices[k];
        const il_active active = lay_out_choice(from, row, choice);
        rows = larger(rows, choice->row_count);
        driven = larger(driven, choice->driven_count);
        touched |= choice->contacts != NULL && choice->driven_count > 0;
        if (p.choices) {
            p.choices[k] = active;
        }
    }
    align(from);
    p.settled = numbers(from, il_positions(row) + 2 * row->n);
    p.zeros = numbers(from, rows);
    p.q = numbers(from, il_positions(row));
    p.qd = numbers(from, row->n);
    p.qdd = numbers(from, row->n);
    p.lam = numbers(from, rows);
    p.effort = numbers(from, driven);
    p.z = numbers(from, row->states);
    p.pre_observe = numbers(from, row->prepare_observe.count);
    p.all_lam = numbers(from, row->rows);
    p.observed = numbers(from, row->observed);
    p.pre_sense = numbers(from, row->prepare_sense.count);
    p.sensed = numbers(from, row->sensed);
    p.rates = numbers(from, row->senses_motion ? il_length_of_x(row) : 0);
    p.loaded = numbers(from, touched ? il_drive_efforts_size(row, rows, driven) : 0);
    p.sources = take(from, outputs, sizeof *p.sources);
    return p;
}

/* Data used only for events, other choices of coordinates and differences. */
static void lay_out_rest(il_arena *from, il_part *p, const il_mode_row *row)
{
    for (int64_t k = 0; k < row->choice_count; k++) {
        const il_choice *choice = &row->choices[k];
        double *const pre_jacobian = numbers(from, choice->prepare_jacobian.count);
        double *const pre_project = numbers(from, choice->prepare_project.count);
        if (p->choices) {
            p->choices[k].pre_jacobian = pre_jacobian;
            p->choices[k].pre_project = pre_project;
        }
    }
    p->tolerances = numbers(from, row->event_count);
    p->transitions = take(from, row->event_count, sizeof *p->transitions);
    p->ways = take(from, 2 * row->event_count, sizeof *p->ways);
    p->pre_events = numbers(from, row->prepare_events.count);
    p->e = numbers(from, row->rows);
    p->out = numbers(from, row->widest + 3 * row->n);
    p->pivots = numbers(from, 2 * row->rows);
    p->sizes = numbers(from, il_length_of_x(row));
    p->lengths = numbers(from, 2 * row->n);
    /* last: rarely used, and large */
    if (row->terms) {
        const il_choice choice = il_free_choice(row);
        il_active active = lay_out_choice(from, row, &choice);
        il_free *const made = il_lay_out_free(from, row, active.pre);
        if (p->choices) {
            p->free = made;
            active.choice = &made->choice;
            p->choices[row->choice_count] = active;
        }
    }
}

static void lay_out_machine(il_arena *from, const il_plant *plant, int64_t method, il_machine *machine)
{
    il_extent extent = {0};
    for (int64_t k = 0; k < plant->mode_count; k++) {
        const il_mode_row *row = &plant->modes[k];
        const int64_t n = row->choices[0].independent_count;
        il_extend(&extent, method, n, il_length_of_x(row) - 2 * n, row->event_count, row->event_count);
    }
    const il_machine_sizes sizes = il_machine_room(&extent, plant->mode_count);
    align(from);
    machine->x = numbers(from, sizes.largest);
    machine->work = numbers(from, sizes.work);
    machine->integers = take(from, sizes.integers, sizeof(int64_t));
    machine->armed = take(from, sizes.armed, sizeof(int64_t));
    machine->history = take(from, 2 * sizes.transitions, sizeof *machine->history);
}

static il_controlled lay_out_controller(il_arena *from, const il_plant *plant)
{
    const il_controller *row = plant->controller;
    il_controlled c = {0};
    if (row) {
        align(from);
        c.gains = numbers(from, row->prepare.count);
        c.outputs = numbers(from, plant->output_count);
        c.y = numbers(from, row->read_count);
        c.states = numbers(from, row->state_count);
        c.values = numbers(from, row->lead_count);
        c.before = numbers(from, row->state_count + row->lead_count);
        c.led = take(from, plant->input_count, sizeof *c.led);
    }
    return c;
}

static il_instance lay_out(il_arena *from, const il_plant *plant, int64_t method)
{
    il_instance made = {.plant = plant};
    (void)take(from, 1, sizeof made);
    made.inputs = numbers(from, plant->input_count);
    made.controlled = lay_out_controller(from, plant);
    lay_out_machine(from, plant, method, &made.machine);
    made.modes = take(from, plant->mode_count, sizeof *made.modes);
    made.parts = take(from, plant->mode_count, sizeof *made.parts);
    for (int64_t k = 0; k < plant->mode_count; k++) {
        const il_part part = lay_out_mode(from, &plant->modes[k], plant->output_count);
        if (made.parts) {
            made.parts[k] = part;
        }
    }
    made.often = from->used;
    for (int64_t k = 0; k < plant->mode_count; k++) {
        il_part none = {0};
        lay_out_rest(from, made.parts ? &made.parts[k] : &none, &plant->modes[k]);
    }
    made.parameters = numbers(from, plant->parameter_count);
    made.parameters_before = numbers(from, plant->parameter_count);
    return made;
}

size_t il_instance_size(const il_plant *plant, int64_t method)
{
    il_arena measured = {NULL, 0};
    if (plant == NULL || plant->mode_count < 1 || il_work_size(method, 1, 0) < 0) {
        return 0;
    }
    (void)lay_out(&measured, plant, method);
    align(&measured);
    return measured.used;
}

il_instance il_lay_out(void *memory, const il_plant *plant, int64_t method)
{
    il_arena from = {memory, 0};
    return lay_out(&from, plant, method);
}
