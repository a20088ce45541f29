/* Events of mechanisms; see il_handover.h. */
#include "il_handover.h"

#include <math.h>
#include <string.h>

static void copy(double *to, const double *from, int64_t count)
{
    memcpy(to, from, (size_t)count * sizeof *to);
}

/* Find all coordinates of a mode from the state of its stepper. */
static int look(il_face *face, double t, const double *x)
{
    const int64_t n = face->n;
    if (face->expand == NULL) {
        copy(face->q, x, n);
        copy(face->qd, x + n, n);
        copy(face->z, x + 2 * n, face->states);
        return IL_OK;
    }
    copy(face->z, x + 2 * face->independent_count, face->states);
    const int64_t good = face->expand(face->context, 1, &t, x, face->q, face->qd, face->qdd,
                                      face->lam, face->effort);
    return good == 1 ? IL_OK : IL_LOOP_OPEN;
}

static il_view view_of(const il_face *face, double t)
{
    const il_view view = {face->pre, face->u,      t,       face->q, face->qd,
                          face->lam, face->effort, face->z, face->e};
    return view;
}

/* State of the stepper from all coordinates. */
static void pack(const il_face *face, double *x)
{
    const int64_t nu = face->independent_count;
    if (face->expand == NULL) {
        copy(x, face->q, face->n);
        copy(x + face->n, face->qd, face->n);
        copy(x + 2 * face->n, face->z, face->states);
        return;
    }
    for (int64_t k = 0; k < nu; k++) {
        x[k] = face->q[face->independent[k]];
        x[nu + k] = face->qd[face->independent[k]];
    }
    copy(x + 2 * nu, face->z, face->states);
    for (int64_t k = 0; k < face->dependent_count; k++) {
        x[2 * nu + face->states + k] = face->q[face->dependent[k]];
    }
}

static double energy_of(const il_face *face, double t)
{
    const il_view view = view_of(face, t);
    face->energy(&view, face->out);
    return face->out[0] + face->out[1];
}

int il_face_indicators(void *context, double t, const double *x, double *g)
{
    il_face *face = context;
    const int status = look(face, t, x);
    if (status != IL_OK) {
        return status;
    }
    const il_view view = view_of(face, t);
    face->events(&view, face->out);
    copy(g, face->out, face->event_count);
    return IL_OK;
}

/* Let the constraints of a mode grip, impulses balanced: J qd + nu = -e (J qd⁻ + nu), with e of
 * each row in on->e. */
static void grip(const il_face *on, const il_face *state, double t)
{
    if (on->project == NULL) {
        return;
    }
    il_view view = view_of(state, t);
    view.pre = on->pre;
    view.u = on->u;
    view.lam = on->lam;
    view.effort = on->effort;
    view.e = on->e;
    on->project(&view, on->out);
    copy(state->qd, on->out, on->n);
}

/* Restitution of the rows of an impact, from what the events of the mode that ends tell. */
static void rebound(const il_handover *h, const double *told)
{
    for (int64_t k = 0; k < h->impact->dependent_count; k++) {
        h->impact->e[k] = told != NULL ? told[h->rows[k]] : 0.0;
    }
}

int il_hand_over(void *context, double t, const double *x, double *x_new, il_record *record)
{
    il_handover *h = context;
    il_face *from = h->from, *to = h->to;
    int status = look(from, t, x);
    if (status != IL_OK) {
        return status;
    }
    record->energy_before = energy_of(from, t);

    /* what the user sets, in the numbering of the next mode */
    const il_view view = view_of(from, t);
    double e = 0.0;
    if (h->impact != NULL) {
        if (!h->plastic) {
            from->events(&view, from->out);
            e = from->out[from->event_count + h->event];
        }
        rebound(h, h->plastic ? NULL : from->out);
    }
    record->restitution = e;
    h->next(&view, from->out);
    const double *out = from->out;
    copy(to->q, out, to->n);
    copy(to->qd, out + to->n, to->n);
    copy(to->z, out + 2 * to->n, to->states);

    if (h->impact != NULL) {
        grip(h->impact, to, t);
    }

    /* close the loops of the next mode, then let its constraints grip for good */
    if (to->expand != NULL) {
        double *const before = to->out + 2 * to->n; /* behind what a projection writes */
        pack(to, x_new);
        copy(before, to->qd, to->n);
        status = look(to, t, x_new);
        if (status != IL_OK) {
            return status;
        }
        /* driven joints move as they are driven, all others as before */
        for (int64_t k = 0; k < to->driven_count; k++) {
            before[to->driven[k]] = to->qd[to->driven[k]];
        }
        copy(to->qd, before, to->n);
        memset(to->e, 0, (size_t)to->dependent_count * sizeof *to->e);
        grip(to, to, t);
    }
    pack(to, x_new);
    record->energy_after = energy_of(to, t);
    return IL_OK;
}
