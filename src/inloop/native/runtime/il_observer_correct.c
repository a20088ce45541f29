/* Corrections by slopes: one measurement after the other; see il_observer.h. */
#include "il_observer_parts.h"

#include <math.h>
#include <string.h>

/* of what a sum had before something was taken off: what rounding may leave */
#define ROUNDING IL_BY_PRECISION(1e-15, 5e-7)

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

/* What would be measured a way off along one state. */
static int look_along(il_observer *o, int64_t j, double way)
{
    memset(o->delta, 0, (size_t)o->size * sizeof *o->delta);
    o->delta[j] = way;
    const int status = il_observer_move(o, o->delta, o->x_trial, o->extra_trial);
    return status == IL_OK ? il_observer_expect(o, o->x_trial, o->extra_trial, o->y_trial) : status;
}

/* Columns of H by differences. */
static int look_around(il_observer *o)
{
    const int64_t own = il_observed_states(o), size = o->size;
    int status = IL_OK;
    for (int64_t j = 0; j < size && status == IL_OK; j++) {
        const int extra = j >= own;
        if (extra && o->extras[j - own].kind != IL_ADDS_TO_INPUT) {
            for (int64_t k = 0; k < o->measured_count; k++) {
                o->H[k * size + j] = 0.0; /* nothing feels a rate or a copy at once; offsets follow */
            }
            continue;
        }
        const double reach = extra ? il_observer_push(o, o->extras[j - own].number)
                                   : il_observer_reach(o, j, o->x[j], IL_OBSERVER_REACH);
        status = look_along(o, j, reach);
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

/* The same to both sides, and 0 where no more is seen than rounding could show: what is even about
   the estimate, as the height of a pendulum that hangs, tells nothing there. */
static int look_to_both_sides(il_observer *o)
{
    const int64_t own = il_observed_states(o), size = o->size;
    int status = IL_OK;
    for (int64_t j = 0; j < own && status == IL_OK; j++) {
        const double reach = il_observer_reach(o, j, o->x[j], IL_OBSERVER_REACH);
        status = look_along(o, j, -reach);
        for (int64_t k = 0; k < o->measured_count && status == IL_OK; k++) {
            const double ahead = o->H[k * size + j], behind = (o->y[k] - o->y_trial[k]) / reach;
            const double slope = 0.5 * (ahead + behind);
            const double noise = ROUNDING * 10.0 * fabs(o->y[k]) / reach;
            if (il_observer_plain(o, k) < 0) {
                o->H[k * size + j] = fabs(slope) > noise ? slope : 0.0;
            }
        }
    }
    return status;
}

int il_observer_sight(il_observer *observer, double *H, double *expected)
{
    il_observer_act(observer, observer->extra);
    int status = il_observer_see(observer);
    if (status == IL_OK && !il_observer_all_plain(observer)) {
        status = look_to_both_sides(observer);
    }
    il_copy(H, observer->H, observer->measured_count * observer->size);
    il_copy(expected, observer->y, observer->measured_count);
    return status;
}

/* ---- corrections, one measurement after the other ----

   Measurement k takes g_k g_k' off P, with g_k = P h / sqrt(h' P h + noise) and P as those before
   it have left it. P itself is changed at the end, by all of them at once.

   Where doubt is many times the noise, nearly all of P is taken off, and what is left are errors of
   rounding: no variance becomes smaller than these are, and rows of states that are measured
   themselves follow from the noise. */

/* P h after the measurements before; returns h' P h. */
static double foresee(const il_observer *o, const double *h, const double *taken, double *Ph)
{
    const int64_t size = o->size;
    memset(Ph, 0, (size_t)size * sizeof *Ph);
    for (int64_t j = 0; j < size; j++) {
        if (h[j] != 0.0) {
            il_add_row(size, Ph, h[j], o->P + j * size);
        }
    }
    const double before = il_dot_of_rows(size, h, Ph);
    for (const double *g = taken; g < Ph; g += size) {
        il_add_row(size, Ph, -il_dot_of_rows(size, h, g), g);
    }
    const double left = il_dot_of_rows(size, h, Ph), least = ROUNDING * before;
    return left > least ? left : least;
}

static int too_far(const il_observer *o, int64_t k)
{
    const double off = o->innovation[k];
    return o->gate > 0.0 && off * off > o->gate * o->gate * o->expected_square[k];
}

/* One measurement: its g behind those that were taken in, and the change so far. Returns the number
   of those taken in now, or -1: P is none. */
static int64_t take_in(il_observer *o, int64_t k, double measured, int64_t count, double *change)
{
    const int64_t size = o->size;
    const double *h = o->H + k * size;
    double *const g = o->gain + count * size;
    const double square = foresee(o, h, o->gain, g) + o->noise[k];
    const double innovation = measured - o->y[k] - il_dot_of_rows(size, h, change);
    o->innovation[k] = innovation;
    o->expected_square[k] = square;
    if (!(square > 0.0)) {
        return -1;
    }
    if (too_far(o, k)) {
        o->far++;
        return count;
    }
    const double deviation = sqrt(square);
    il_scale(size, g, 1.0 / deviation);
    il_add_row(size, change, innovation / deviation, g);
    o->nis += innovation * innovation / square;
    return count + 1;
}

/* The only state that a measurement shows, and shows as it is; -1: it is another one. */
static int64_t shown_alone(const il_observer *o, int64_t k)
{
    int64_t found = -1, count = 0;
    for (int64_t j = 0; j < o->size; j++) {
        if (o->H[k * o->size + j] != 0.0) {
            found = o->H[k * o->size + j] == 1.0 ? j : -1;
            count++;
        }
    }
    return count == 1 ? found : -1;
}

/* The row of P of such a state: what its measurement, the `at`-th that was taken in, has left of it
   is noise / sqrt(square) g, and those behind it take their parts off. */
static void renew_row(il_observer *o, int64_t j, int64_t at, int64_t count, double share)
{
    const int64_t size = o->size;
    double *const row = o->P + j * size, *const factors = o->Y;
    memset(row, 0, (size_t)size * sizeof *row);
    factors[at] = share;
    for (int64_t k = at + 1; k < count; k++) {
        factors[k] = -o->gain[k * size + j];
    }
    il_add_rows(size, row, count - at, factors + at, o->gain + at * size, size);
    for (int64_t i = 0; i < size; i++) {
        o->P[i * size + j] = row[i];
    }
}

/* P less all g g'; NaN in `measured`, or a gate that closed, means that there was none. */
void il_observer_take_off(il_observer *o, const double *measured)
{
    const int64_t size = o->size, count = o->used;
    double *const factors = o->Y;
    for (int64_t i = 0; i < size; i++) {
        const double before = o->P[i * size + i];
        for (int64_t k = 0; k < count; k++) {
            factors[k] = -o->gain[k * size + i];
        }
        il_add_rows(size, o->P + i * size, count, factors, o->gain, size);
        o->P[i * size + i] += ROUNDING * before;
    }
    for (int64_t k = 0, at = 0; k < o->measured_count; k++) {
        if (isfinite(measured[k]) && !too_far(o, k)) {
            const int64_t j = shown_alone(o, k);
            if (j >= 0) {
                renew_row(o, j, at, count, o->noise[k] / sqrt(o->expected_square[k]));
            }
            at++;
        }
    }
}

int il_observer_take_in(il_observer *o, const double *measured, double *change)
{
    const int status = il_observer_see(o);
    if (status != IL_OK) {
        return status;
    }
    o->nis = 0.0;
    o->used = o->far = 0;
    for (int64_t k = 0; k < o->measured_count; k++) {
        if (isfinite(measured[k])) {
            o->used = take_in(o, k, measured[k], o->used, change);
        } else {
            o->innovation[k] = o->expected_square[k] = (double)NAN;
        }
        if (o->used < 0) {
            o->used = 0;
            return IL_DIVERGED;
        }
    }
    return IL_OK;
}

int il_correct_extended(il_observer *o, const double *measured)
{
    double *const change = o->Y;
    memset(change, 0, (size_t)o->size * sizeof *change);
    int status = il_observer_take_in(o, measured, change);
    if (status == IL_OK) {
        status = il_observer_move(o, change, o->x_trial, o->extra_trial);
    }
    if (status == IL_OK) {
        il_copy(o->x, o->x_trial, il_observed_length(o));
        il_copy(o->extra, o->extra_trial, o->extra_count);
        il_observer_take_off(o, measured);
    }
    return status;
}
