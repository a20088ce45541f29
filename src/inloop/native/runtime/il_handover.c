/* Transition from one mode of a mechanism to the next: indicators, and the state after an event.
 *
 * An event takes the view of the mode that ends, applies the user's changes, engages the
 * constraints of an impact (impulse balance with restitution), and starts the next mode on its own
 * constraints.
 */
#include "il_instance.h"

static double energy_of(const il_part *part, double t)
{
    const il_view view = il_view_of(part, part->pre_events, t);
    part->row->energy(&view, part->out);
    return part->out[0] + part->out[1];
}

int il_part_indicators(void *context, double t, const double *x, double *g)
{
    il_part *part = context;
    const int status = il_see(part, t, x);
    if (status != IL_OK) {
        return status;
    }
    const il_view view = il_view_of(part, part->pre_events, t);
    part->row->indicators(&view, part->out);
    il_copy(g, part->out, part->row->event_count);
    return IL_OK;
}

/* Engage the constraints of a mode, with the restitution of each row in on->e. */
static int grip(il_part *on, const il_part *state, double t)
{
    if (il_in_use(on)->choice->expand == NULL) {
        return IL_OK; /* a tree has none */
    }
    il_view view = il_view_of(on, NULL, t);
    view.q = state->q;
    view.qd = state->qd;
    view.z = state->z;
    return il_grip(on, &view, state->qd);
}

/* Restitution of the rows of an impact, from the indicators of the mode that ends. */
static void rebound(const il_handover *way, const double *told)
{
    const il_part *on = way->impact;
    const int64_t *places = way->from->row->events[way->event].restitutions;
    for (int64_t k = 0; k < on->row->rows; k++) {
        on->e[k] = told != NULL ? told[places[k]] : 0.0;
    }
}

/* Close the loops of the next mode, then engage its constraints without restitution. */
static int begin(il_part *to, double t, double *x_new)
{
    const int64_t n = to->row->n;
    double *const before = to->out + to->row->widest; /* after the results of a projection */
    const il_choice *choice = il_in_use(to)->choice;
    il_pack(to, x_new);
    il_copy(before, to->qd, n);
    const int status = il_see(to, t, x_new);
    if (status != IL_OK) {
        return status;
    }
    /* driven joints move as prescribed, all others as before */
    for (int64_t k = 0; k < choice->driven_count; k++) {
        before[choice->driven[k]] = to->qd[choice->driven[k]];
    }
    il_copy(to->qd, before, n);
    for (int64_t k = 0; k < to->row->rows; k++) {
        to->e[k] = 0.0;
    }
    return grip(to, to, t);
}

/* The initial mode of a step keeps its choice: if the step fails, its state is restored for it. */
static int may_renew(const il_handover *way)
{
    const il_instance *instance = way->to->instance;
    const il_part *first = &instance->parts[instance->machine.mode_kept];
    return instance->renews && way->to != first && way->to != way->from;
}

int il_hand_over(void *context, double t, const double *x, double *x_new, il_record *record)
{
    const il_handover *way = context;
    il_part *from = way->from, *to = way->to;
    const il_mode_row *row = from->row;
    int status = il_see(from, t, x);
    if (status != IL_OK) {
        return status;
    }
    record->energy_before = energy_of(from, t);

    /* values set by the user, in the order of the next mode */
    const il_view view = il_view_of(from, from->pre_events, t);
    double e = 0.0;
    if (way->impact != NULL) {
        if (!way->plastic) {
            row->indicators(&view, from->out);
            e = from->out[row->event_count + way->event];
        }
        rebound(way, way->plastic ? NULL : from->out);
    }
    record->restitution = e;
    (way->plastic ? row->settled : row->next)[way->event](&view, from->out);
    const double *out = from->out;
    const int64_t n = to->row->n, positions = il_positions(to->row);
    il_copy(to->q, out, positions);
    il_copy(to->qd, out + positions, n);
    il_copy(to->z, out + positions + n, to->row->states);

    if (way->impact != NULL) {
        status = grip(way->impact, to, t);
    }
    if (status == IL_OK && il_in_use(to)->choice->expand != NULL) {
        if (may_renew(way)) {
            (void)il_choose_better(to, t);
        }
        status = begin(to, t, x_new);
    }
    if (status == IL_OK) {
        il_pack(to, x_new);
        record->energy_after = energy_of(to, t);
    }
    return status;
}
