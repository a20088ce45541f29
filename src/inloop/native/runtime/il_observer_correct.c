/* Corrections by slopes: one measurement after the other; see il_observer.h. */
#include "il_observer_parts.h"

#include <math.h>
#include <string.h>

int64_t il_observer_plain(const il_observer *o, int64_t measured)
{
    const il_part *part = il_observed_part(o);
    const il_choice *choice = il_in_use(part)->choice;
    const il_place place = part->row->output_places[o->measured[measured]];
    const int64_t nu = choice->independent_count;
    if (place.kind == IL_OF_Z) {
        return 2 * nu + place.index;
    }
    if (place.kind != IL_OF_Q && place.kind != IL_OF_QD) {
        return -1;
    }
    for (int64_t k = 0; k < nu; k++) {
        if (choice->independent[k] == place.index) {
            return place.kind == IL_OF_Q ? k : nu + k;
        }
    }
    return -1;
}

int il_observer_all_plain(const il_observer *o)
{
    int plain = 1;
    for (int64_t k = 0; k < o->measured_count && plain; k++) {
        plain = il_observer_plain(o, k) >= 0;
    }
    return plain;
}

/* Columns of H by differences. */
static int look_around(il_observer *o)
{
    const il_part *part = il_observed_part(o);
    const int64_t own = il_observed_states(o), size = o->size;
    int status = IL_OK;
    for (int64_t j = 0; j < size && status == IL_OK; j++) {
        const int extra = j >= own;
        if (extra && o->extras[j - own].kind >= IL_RATE_OF_EXTRA) {
            for (int64_t k = 0; k < o->measured_count; k++) {
                o->H[k * size + j] = 0.0; /* nothing feels a rate or a copy at once */
            }
            continue;
        }
        const double unit = extra ? 1.0 + fabs(o->extra[j - own])
                                  : (part->sizes[j] > 0.0 ? part->sizes[j] : 1.0);
        const double reach = (extra ? IL_OBSERVER_PUSH : IL_OBSERVER_REACH) * unit;
        memset(o->delta, 0, (size_t)size * sizeof *o->delta);
        o->delta[j] = reach;
        status = il_observer_move(o, o->delta, o->x_trial, o->extra_trial);
        if (status == IL_OK) {
            status = il_observer_expect(o, o->x_trial, o->extra_trial, o->y_trial);
        }
        for (int64_t k = 0; k < o->measured_count; k++) {
            o->H[k * size + j] = (o->y_trial[k] - o->y[k]) / reach;
        }
    }
    return status;
}

int il_observer_see(il_observer *o)
{
    const int64_t size = o->size, own = il_observed_states(o);
    int status = il_observer_expect(o, o->x, o->extra, o->y);
    if (status == IL_OK && !il_observer_all_plain(o)) {
        status = look_around(o);
    }
    for (int64_t k = 0; k < o->measured_count && status == IL_OK; k++) {
        const int64_t plain = il_observer_plain(o, k);
        if (plain >= 0) {
            memset(o->H + k * size, 0, (size_t)size * sizeof *o->H);
            o->H[k * size + plain] = 1.0;
        }
    }
    for (int64_t k = 0; k < o->extra_count && status == IL_OK; k++) {
        if (o->extras[k].kind == IL_ADDS_TO_MEASURED) {
            o->H[o->extras[k].number * size + own + k] = 1.0;
        }
    }
    return status;
}

int il_observer_sight(il_observer *observer, double *H, double *expected)
{
    il_observer_act(observer, observer->extra);
    const int status = il_observer_see(observer);
    il_copy(H, observer->H, observer->measured_count * observer->size);
    il_copy(expected, observer->y, observer->measured_count);
    return status;
}

/* One measurement; P and the change so far are those after the ones before it. */
static void take_in(il_observer *o, int64_t k, double measured, double *change)
{
    const int64_t size = o->size;
    const double *h = o->H + k * size;
    double *const Ph = o->gain;
    double square = o->noise[k], innovation = measured - o->y[k];
    memset(Ph, 0, (size_t)size * sizeof *Ph);
    for (int64_t j = 0; j < size; j++) {
        if (h[j] != 0.0) {
            il_add_row(size, Ph, h[j], o->L + j * size);
            innovation -= h[j] * change[j];
        }
    }
    for (int64_t j = 0; j < size; j++) {
        square += h[j] * Ph[j];
    }
    o->innovation[k] = innovation;
    o->expected_square[k] = square;
    if (o->gate > 0.0 && innovation * innovation > o->gate * o->gate * square) {
        o->far++;
        return;
    }
    il_add_row(size, change, innovation / square, Ph);
    for (int64_t i = 0; i < size; i++) {
        if (Ph[i] != 0.0) {
            il_add_row(size, o->L + i * size, -Ph[i] / square, Ph);
        }
    }
    o->nis += innovation * innovation / square;
    o->used++;
}

int il_correct_extended(il_observer *o, const double *measured)
{
    const int64_t all = o->size * o->size;
    double *const change = o->Y;
    int status = il_observer_see(o);
    if (status != IL_OK) {
        return status;
    }
    o->nis = 0.0;
    o->used = o->far = 0;
    il_copy(o->L, o->P, all);
    memset(change, 0, (size_t)o->size * sizeof *change);
    for (int64_t k = 0; k < o->measured_count; k++) {
        if (isfinite(measured[k])) {
            take_in(o, k, measured[k], change);
        } else {
            o->innovation[k] = o->expected_square[k] = (double)NAN;
        }
    }
    status = il_observer_move(o, change, o->x_trial, o->extra_trial);
    if (status == IL_OK) {
        il_copy(o->x, o->x_trial, il_observed_length(o));
        il_copy(o->extra, o->extra_trial, o->extra_count);
        il_copy(o->P, o->L, all);
    }
    return status;
}
