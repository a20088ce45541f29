/* All changes on a horizon at once, from slopes and covariances about its nodes.
 *
 * Forwards as the Kalman filter, backwards an adjoint, by which later samples act on earlier nodes
 * (Bryson and Frazier 1963, Bierman 1973): no covariance is inverted, so that states without any doubt
 * or noise do no harm. A pull l on a node adds -l' change to the squares.
 */
#include <string.h>

#include "il_horizon.h"

/* out = F in, from a node to the next: extra states wander, then act. */
static void carry(const il_observer *o, const double *slopes, const double *in, double *out)
{
    const int64_t own = il_observed_states(o), width = il_observer_columns(o);
    il_copy(out + own, in + own, o->extra_count);
    il_observer_wander(o, out + own);
    for (int64_t i = 0; i < own; i++) {
        const double *const row = slopes + i * width;
        double sum = il_dot_of_rows(own, row, in);
        for (int64_t k = 0, column = own; k < o->extra_count; k++) {
            if (o->extras[k].kind == IL_ADDS_TO_INPUT) {
                sum += row[column++] * out[own + k];
            }
        }
        out[i] = sum;
    }
}

/* a = F' a, in its place; `room` is of its size. */
static void carry_back(const il_observer *o, const double *slopes, double *a, double *room)
{
    const int64_t own = il_observed_states(o), width = il_observer_columns(o);
    const double period = o->step * (double)o->substeps;
    memset(room, 0, (size_t)o->size * sizeof *room);
    for (int64_t i = 0; i < own; i++) {
        const double *const row = slopes + i * width;
        il_add_row(own, room, a[i], row);
        for (int64_t k = 0, column = own; k < o->extra_count; k++) {
            if (o->extras[k].kind == IL_ADDS_TO_INPUT) {
                a[own + k] += row[column++] * a[i];
            }
        }
    }
    for (int64_t k = 0; k < o->extra_count; k++) { /* what has become of each extra state */
        const il_extra *const extra = &o->extras[k];
        if (extra->kind == IL_COPY_OF_EXTRA) {
            room[own + extra->number] += a[own + k];
            continue;
        }
        room[own + k] += extra->keeps * a[own + k];
        if (extra->kind == IL_RATE_OF_EXTRA) {
            room[own + k] += period * a[own + extra->number];
        }
    }
    il_copy(a, room, o->size);
}

/* to += factor P from */
static void add_by_P(const il_observer *o, int64_t i, double factor, const double *from, double *to)
{
    const int64_t size = o->size;
    const double *const P = o->window.P + i * size * size;
    for (int64_t k = 0; k < size; k++) {
        to[k] += factor * il_dot_of_rows(size, P + k * size, from);
    }
}

/* Means before each node is measured, and innovations. */
static void forwards(il_observer *o, int with_samples)
{
    il_window *const w = &o->window;
    const int64_t size = o->size, m = o->measured_count;
    const int64_t all = il_observed_states(o) * il_observer_columns(o);
    for (int64_t i = 0; i < w->count; i++) {
        double *const mean = w->mean + i * size;
        if (i > 0) {
            carry(o, w->slopes + (i - 1) * all, w->along, mean);
        } else {
            memset(mean, 0, (size_t)size * sizeof *mean);
        }
        if (with_samples) {
            il_add_row(size, mean, 1.0, w->off + i * size);
        }
        il_copy(w->along, mean, size);
        add_by_P(o, i, 1.0, w->pull + i * size, w->along);
        for (int64_t k = i * m; k < (i + 1) * m; k++) {
            if (w->square[k] > 0.0) {
                const double expected = il_dot_of_rows(size, w->H + k * size, w->along);
                w->news[k] = (with_samples ? w->miss[k] : 0.0) - expected;
                il_add_row(size, w->along, w->news[k], w->gain + k * size);
            }
        }
    }
}

static void backwards(il_observer *o)
{
    il_window *const w = &o->window;
    const int64_t size = o->size, m = o->measured_count;
    const int64_t all = il_observed_states(o) * il_observer_columns(o);
    memset(w->adjoint, 0, (size_t)size * sizeof *w->adjoint);
    for (int64_t i = w->count - 1; i >= 0; i--) {
        double *const change = w->change + i * size;
        for (int64_t k = (i + 1) * m - 1; k >= i * m; k--) {
            if (w->square[k] > 0.0) {
                const double by = il_dot_of_rows(size, w->gain + k * size, w->adjoint);
                il_add_row(size, w->adjoint, -by - w->news[k] / w->square[k], w->H + k * size);
            }
        }
        il_add_row(size, w->adjoint, -1.0, w->pull + i * size);
        il_copy(change, w->mean + i * size, size);
        add_by_P(o, i, -1.0, w->adjoint, change);
        if (i > 0) {
            carry_back(o, w->slopes + (i - 1) * all, w->adjoint, w->along);
        }
    }
}

void il_horizon_smooth(il_observer *o, int with_samples)
{
    forwards(o, with_samples);
    backwards(o);
}
