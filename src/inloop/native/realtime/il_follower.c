/* An observer that follows records; see il_follower.h. */
#include "il_follower.h"

#include <math.h>
#include <string.h>

#include "il_late.h"
#include "il_observer_parts.h"

/* States of laws, which have a deviation each; quaternion components have none. */
static int64_t laws_of(const il_follower *f)
{
    return il_observed_part(f->observer)->row->states;
}

static int64_t coordinates_of(const il_follower *f)
{
    return il_observed_part(f->observer)->row->n;
}

int64_t il_follower_count(const il_follower *follower)
{
    const il_observer *o = follower->observer;
    return follower->told_states + 2 * coordinates_of(follower) + laws_of(follower) +
           2 * o->extra_count + o->measured_count + IL_TOLD_FIGURES;
}

int64_t il_follower_scratch(const il_follower *follower)
{
    const il_observer *o = follower->observer;
    return il_follower_count(follower) + o->measured_count + o->instance->plant->input_count +
           o->instance->plant->output_count + il_late_room(follower);
}

static void tell_nothing(il_follower *f)
{
    for (int64_t k = 0; k < f->told_count - IL_TOLD_FIGURES; k++) {
        f->told[k] = (double)NAN;
    }
}

void il_follower_begin(il_follower *follower)
{
    il_follower *const f = follower;
    f->told = f->scratch;
    f->y = f->told + f->told_count;
    f->u = f->y + f->observer->measured_count;
    f->outputs = f->u + f->observer->instance->plant->input_count;
    f->begun = f->lost = f->restarts = f->passed = f->used = f->idle = 0;
    f->squares = 0.0;
    il_late_begin(f, f->outputs + f->observer->instance->plant->output_count);
    memset(f->told, 0, (size_t)f->told_count * sizeof *f->told);
    tell_nothing(f);
}

/* Reset the estimate to its start, at the time of a record. */
static int begin_at(il_follower *f, double t)
{
    il_observer *const o = f->observer;
    int status = il_restore(o->instance, f->start);
    if (status == IL_OK) {
        il_let_go(o->instance, 1); /* also for inputs written by a controller of the plant */
        il_set_inputs(o->instance, f->inputs_start);
        status = il_observer_begin(o, f->memory);
    }
    if (status != IL_OK) {
        return status;
    }
    il_copy(f->u, f->inputs_start, o->instance->plant->input_count);
    for (int64_t k = 0; k < o->size; k++) {
        o->P[k * o->size + k] = f->doubt[k];
    }
    for (int64_t k = 0; k < o->measured_count; k++) {
        o->innovation[k] = (double)NAN;
    }
    o->t = t;
    f->passed = 0;
    f->begun = 1;
    il_late_forget(f);
    return IL_OK;
}

static void read_record(il_follower *f, const double *record)
{
    const il_observer *o = f->observer;
    for (int64_t k = 0; k < o->measured_count; k++) {
        f->y[k] = record[f->measured_at[k]];
    }
    for (int64_t k = 0; k < o->instance->plant->input_count; k++) {
        const double held = f->inputs_at[k] < 0 ? f->u[k] : record[f->inputs_at[k]];
        f->u[k] = isfinite(held) ? held : f->u[k];
    }
}

/* ---- outputs ---- */

/* Standard deviations of all coordinates and velocities, states of laws, extra states. */
static int tell_deviations(const il_follower *f, double *to)
{
    il_observer *const o = f->observer;
    const int64_t n = coordinates_of(f), moving = 2 * il_observed_coordinates(o);
    const int status = il_observer_deviations(o, to);
    for (int64_t k = moving; k < o->size; k++) {
        const double square = o->P[k * o->size + k];
        to[2 * n + k - moving] = square > 0.0 ? sqrt(square) : 0.0;
    }
    return status;
}

static void tell_figures(il_follower *f, int status)
{
    double *const figures = f->told + f->told_count - IL_TOLD_FIGURES;
    figures[IL_TOLD_NIS] = status == IL_OK ? f->observer->nis : (double)NAN;
    figures[IL_TOLD_USED] = status == IL_OK ? (double)f->observer->used : 0.0;
    figures[IL_TOLD_LOST] = (double)f->lost;
    figures[IL_TOLD_RESTARTS] = (double)f->restarts;
    figures[IL_TOLD_STATUS] = (double)status;
}

static int tell(il_follower *f)
{
    il_observer *const o = f->observer;
    double *to = f->told;
    int status = il_observer_outputs(o, f->outputs);
    if (status != IL_OK) {
        return status;
    }
    il_copy(to, f->outputs, f->told_states);
    to += f->told_states;
    il_copy(to, o->extra, o->extra_count);
    to += o->extra_count;
    status = tell_deviations(f, to);
    to += 2 * coordinates_of(f) + laws_of(f) + o->extra_count;
    il_copy(to, o->innovation, o->measured_count);
    return status;
}

/* ---- samples ---- */

/* Advance to the last sample due with this record, over missing ones. */
static int pass_samples(il_follower *f, const double *record, int64_t due)
{
    const int seen = f->passed % f->every == 0; /* otherwise it is not a sample itself */
    int status = IL_OK;

    for (int64_t k = 1; k <= due && status == IL_OK; k++) {
        const int came = k == due && seen;
        read_record(f, record);
        for (int64_t i = 0; !came && i < f->observer->measured_count; i++) {
            f->y[i] = (double)NAN;
        }
        f->lost += !came;
        status = il_late_sample(f);
    }
    return status;
}

static int begin_anew(il_follower *f, const double *record)
{
    const int status = begin_at(f, record[0]);
    if (status != IL_OK) {
        return status;
    }
    read_record(f, record);
    return il_late_sample(f);
}

/* Records since the last one, rounded; without a time stamp it is the next one. */
static double records_since(const il_follower *f, double t)
{
    return isfinite(t) ? floor((t - f->last) / f->period + 0.5) : 1.0;
}

int il_follow_record(il_follower *follower, const double *record, int was_set)
{
    il_follower *const f = follower;
    const double t = record[0], apart = f->begun ? records_since(f, t) : 0.0;
    const double most = (double)((f->most_lost + 1) * f->every);
    const int along = f->begun && !was_set && apart >= 0.0 && apart <= most;
    int status;

    if (along) {
        const int64_t before = f->passed / f->every;
        f->passed += (int64_t)apart;
        f->last = isfinite(t) ? t : f->last + f->period;
        const int64_t due = f->passed / f->every - before;
        if (due == 0) {
            return IL_OK;
        }
        status = pass_samples(f, record, due);
    } else {
        f->restarts += f->begun && !was_set;
        status = begin_anew(f, record);
        f->last = isfinite(t) ? t : 0.0;
    }
    if (status == IL_OK) {
        f->squares += f->observer->nis;
        f->used += f->observer->used;
        f->idle = f->observer->used > 0 ? 0 : f->idle + 1;
        status = il_late_ahead(f, tell);
    }
    if (status != IL_OK) {
        f->begun = 0;
        f->restarts++;
        tell_nothing(f);
    }
    tell_figures(f, status);
    return status;
}
