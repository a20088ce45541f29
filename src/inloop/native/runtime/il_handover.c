/* From one mode of a mechanism to the next: what is watched, and the state after an event.
 *
 * An event takes the view of the mode that ends, sets what the user wants, lets the constraints of
 * an impact grip (impulses balanced, with restitution), and begins the next mode on its own
 * constraints.
 */
#include <math.h>
#include <string.h>

#include "il_instance.h"

static il_view view_of(const il_part *part, double t)
{
    const il_view view = {il_in_use(part)->pre_events, part->u, t, part->q, part->qd, part->lam,
                          part->effort, part->z, part->e, part->qdd};
    return view;
}

static double energy_of(const il_part *part, double t)
{
    const il_view view = view_of(part, t);
    il_in_use(part)->choice->energy(&view, part->out);
    return part->out[0] + part->out[1];
}

int il_part_indicators(void *context, double t, const double *x, double *g)
{
    il_part *part = context;
    const int status = il_see(part, t, x);
    if (status != IL_OK) {
        return status;
    }
    const il_view view = view_of(part, t);
    il_in_use(part)->choice->indicators(&view, part->out);
    il_copy(g, part->out, part->row->event_count);
    return IL_OK;
}

/* Let the constraints of a mode grip, impulses balanced: J qd + nu = -e (J qd⁻ + nu), with e of
 * each row in on->e. */
static void grip(const il_part *on, const il_part *state, double t)
{
    const il_formula project = il_in_use(on)->choice->project;
    if (project == NULL) {
        return;
    }
    il_view view = view_of(on, t);
    view.q = state->q;
    view.qd = state->qd;
    view.z = state->z;
    project(&view, on->out);
    il_copy(state->qd, on->out, on->row->n);
}

/* Restitution of the rows of an impact, from what the events of the mode that ends tell. */
static void rebound(const il_handover *way, const double *told)
{
    const il_part *on = way->impact;
    const il_choice *choice = il_in_use(on)->choice;
    const int64_t *places = way->from->row->events[way->event].restitutions;
    for (int64_t k = 0; k < choice->dependent_count; k++) {
        on->e[k] = told != NULL ? told[places[choice->rows[k]]] : 0.0;
    }
}

/* Close the loops of the next mode, then let its constraints grip for good. */
static int begin(il_part *to, double t, double *x_new)
{
    const il_choice *choice = il_in_use(to)->choice;
    const int64_t n = to->row->n;
    double *const before = to->out + 2 * n; /* behind what a projection writes */
    il_pack(to, x_new);
    il_copy(before, to->qd, n);
    const int status = il_see(to, t, x_new);
    if (status != IL_OK) {
        return status;
    }
    /* driven joints move as they are driven, all others as before */
    for (int64_t k = 0; k < choice->driven_count; k++) {
        before[choice->driven[k]] = to->qd[choice->driven[k]];
    }
    il_copy(to->qd, before, n);
    memset(to->e, 0, (size_t)choice->dependent_count * sizeof *to->e);
    grip(to, to, t);
    return IL_OK;
}

int il_hand_over(void *context, double t, const double *x, double *x_new, il_record *record)
{
    const il_handover *way = context;
    il_part *from = way->from, *to = way->to;
    const il_choice *choice = il_in_use(from)->choice;
    int status = il_see(from, t, x);
    if (status != IL_OK) {
        return status;
    }
    record->energy_before = energy_of(from, t);

    /* what the user sets, in the numbering of the next mode */
    const il_view view = view_of(from, t);
    double e = 0.0;
    if (way->impact != NULL) {
        if (!way->plastic) {
            choice->indicators(&view, from->out);
            e = from->out[from->row->event_count + way->event];
        }
        rebound(way, way->plastic ? NULL : from->out);
    }
    record->restitution = e;
    (way->plastic ? choice->settled : choice->next)[way->event](&view, from->out);
    const double *out = from->out;
    il_copy(to->q, out, to->row->n);
    il_copy(to->qd, out + to->row->n, to->row->n);
    il_copy(to->z, out + 2 * to->row->n, to->row->states);

    if (way->impact != NULL) {
        grip(way->impact, to, t);
    }
    if (il_in_use(to)->choice->expand != NULL) {
        /* with the choice of coordinates in use: a step that fails later must find it again */
        status = begin(to, t, x_new);
    }
    if (status == IL_OK) {
        il_pack(to, x_new);
        record->energy_after = energy_of(to, t);
    }
    return status;
}
