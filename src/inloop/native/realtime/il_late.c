/* Samples with late sensors; see il_late.h. */
#include "il_late.h"

#include "il_observer_parts.h"

static int64_t width_of(const il_follower *f)
{
    return f->observer->measured_count + f->observer->instance->plant->input_count;
}

/* Saved before the prediction to the current time: x, extra states, P, choice of coordinates. */
static int64_t kept_of(const il_follower *f)
{
    const il_observer *o = f->observer;
    const int64_t size = il_observed_states(o) + o->extra_count;
    return il_observed_length(o) + o->extra_count + size * size + il_snapshot_size(o->instance);
}

int64_t il_late_room(const il_follower *follower)
{
    const int64_t rows = (follower->most_late + 1) * width_of(follower);
    const int64_t kept = follower->most_late > 0 ? kept_of(follower) : 0;
    return rows + follower->observer->measured_count + kept;
}

void il_late_begin(il_follower *follower, double *memory)
{
    il_follower *const f = follower;
    f->rows = memory;
    f->at_hand = f->rows + (f->most_late + 1) * width_of(f);
    f->kept = f->at_hand + f->observer->measured_count;
    il_late_forget(f);
}

void il_late_forget(il_follower *follower)
{
    follower->row_count = follower->row_first = follower->samples = 0;
}

/* A stored sample, the oldest one first: measurements, then inputs. */
static double *row_of(const il_follower *f, int64_t k)
{
    return f->rows + (f->row_first + k) % (f->most_late + 1) * width_of(f);
}

static void keep_sample(il_follower *f)
{
    const int64_t m = f->observer->measured_count;
    if (f->row_count <= f->most_late) {
        f->row_count++;
    } else {
        f->row_first = (f->row_first + 1) % (f->most_late + 1);
    }
    double *const row = row_of(f, f->row_count - 1);
    il_copy(row, f->y, m);
    il_copy(row + m, f->u, f->observer->instance->plant->input_count);
}

int il_late_sample(il_follower *follower)
{
    il_follower *const f = follower;
    const int64_t m = f->observer->measured_count;
    int status = IL_OK;
    keep_sample(f);
    f->samples++;
    if (f->row_count <= f->most_late) {
        return IL_OK; /* no measurement of the start has arrived yet */
    }
    if (f->samples > f->most_late + 1) {
        status = il_observer_predict(f->observer, row_of(f, 0) + m);
    } else {
        il_observer_set_inputs(f->observer, row_of(f, 0) + m);
    }
    for (int64_t k = 0; k < m; k++) {
        f->at_hand[k] = row_of(f, f->most_late > 0 ? f->late[k] : 0)[k];
    }
    return status == IL_OK ? il_observer_correct(f->observer, f->at_hand) : status;
}

int il_late_ahead(il_follower *follower, int (*tell)(il_follower *))
{
    il_follower *const f = follower;
    il_observer *const o = f->observer;
    const int64_t length = il_observed_length(o), all = o->size * o->size;
    const int64_t choices = o->choices;
    const double t = o->t;
    if (f->row_count < 2) {
        return tell(f);
    }
    double *const x = f->kept, *const extra = x + length, *const P = extra + o->extra_count;
    il_copy(x, o->x, length);
    il_copy(extra, o->extra, o->extra_count);
    il_copy(P, o->P, all);
    il_take_snapshot(o->instance, P + all);
    int status = IL_OK;
    for (int64_t k = 1; k < f->row_count && status == IL_OK; k++) {
        status = il_observer_predict(o, row_of(f, k) + o->measured_count);
    }
    if (status == IL_OK) {
        status = tell(f);
    }
    if (status == IL_OK && o->choices != choices) {
        status = il_restore(o->instance, P + all);
        status = status == IL_OK ? il_observer_renew(o) : status;
    }
    o->t = t;
    il_copy(o->x, x, length);
    il_copy(o->extra, extra, o->extra_count);
    il_copy(o->P, P, all);
    return status;
}
