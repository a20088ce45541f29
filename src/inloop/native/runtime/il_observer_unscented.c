/* The unscented Kalman filter: P by states drawn about the estimate, in its tangent space.
 *
 * Points x, x + sqrt(c) L_k and x - sqrt(c) L_k with P = L L' and c = spread² size; the weights are those of
 * Julier's scaled set with beta = 2: 1 / (2 c) for each point about x.
 */
#include "il_observer_parts.h"

#include <math.h>
#include <string.h>

#include "il_cholesky.h"

#define BETA 2.0
#define NOTHING 1e-14 /* of a variance: what is left of it is rounding */

typedef struct weights {
    double reach; /* sqrt(c) */
    double each;  /* of points about x */
    double mean, square; /* of x itself, in means and in squares */
} weights;

static weights weights_of(const il_observer *o)
{
    const double c = o->spread * o->spread * (double)o->size;
    const double first = 1.0 - (double)o->size / c;
    return (weights){sqrt(c), 0.5 / c, first, first + 1.0 - o->spread * o->spread + BETA};
}

/* L of a matrix that may be singular: columns without a pivot are 0. */
static void factor(int64_t n, const double *P, double *L)
{
    memset(L, 0, (size_t)(n * n) * sizeof *L);
    for (int64_t j = 0; j < n; j++) {
        const double pivot = P[j * n + j] - il_dot(j, L + j * n, L + j * n);
        if (!(pivot > NOTHING * P[j * n + j])) {
            continue;
        }
        const double root = sqrt(pivot);
        L[j * n + j] = root;
        for (int64_t i = j + 1; i < n; i++) {
            L[i * n + j] = (P[i * n + j] - il_dot(j, L + i * n, L + j * n)) / root;
        }
    }
}

/* Point k of those about x: its change, 0 where nothing is unsure. */
static int change_of(const il_observer *o, const weights *w, int64_t k, double *delta)
{
    const int64_t size = o->size, column = (k - 1) / 2;
    const double side = k % 2 ? w->reach : -w->reach;
    memset(delta, 0, (size_t)size * sizeof *delta);
    if (k == 0 || o->L[column * size + column] == 0.0) {
        return 0;
    }
    for (int64_t i = column; i < size; i++) {
        delta[i] = side * o->L[i * size + column];
    }
    return 1;
}

/* Points of the next sample, as changes from that of x, which is x_new. */
static int draw_steps(il_observer *o, const weights *w, const double *extra)
{
    const int64_t length = il_observed_length(o), size = o->size, own = il_observed_states(o);
    int status = IL_OK;
    for (int64_t k = 0; k <= 2 * size && status == IL_OK; k++) {
        double *delta = o->deltas + k * size, *x = o->points + k * length;
        const int differs = change_of(o, w, k, o->delta);
        if (k > 0 && !differs) {
            memset(delta, 0, (size_t)size * sizeof *delta);
            continue;
        }
        status = il_observer_moved(o, o->t, o->x, o->delta, x);
        for (int64_t e = 0; e < o->extra_count; e++) { /* they have wandered already */
            o->points_extra[e] = extra[e] + o->delta[own + e];
        }
        il_observer_act(o, o->points_extra);
        if (status == IL_OK) {
            status = il_observer_steps(o, x);
        }
        if (status == IL_OK && k == 0) {
            il_copy(o->x_new, x, length);
        }
        if (status == IL_OK) {
            il_observer_apart(o, o->x_new, x, delta);
            il_copy(delta + own, o->delta + own, o->extra_count);
        }
    }
    return status;
}

/* What noise beside inputs adds, by differences of the step; extra states act. */
static int add_pushes(il_observer *o, double *P)
{
    const int64_t length = il_observed_length(o), size = o->size, own = il_observed_states(o);
    int status = IL_OK;
    for (int64_t k = 0; k < o->pushed_count && status == IL_OK; k++) {
        const int64_t input = o->pushed[k];
        const double before = o->instance->inputs[input];
        const double reach = il_observer_push(o, input);
        il_copy(o->x_trial, o->x, length);
        il_write_input(o->instance, input, before + reach);
        status = il_observer_steps(o, o->x_trial);
        il_write_input(o->instance, input, before);
        il_observer_apart(o, o->x_new, o->x_trial, o->delta);
        for (int64_t i = 0; i < own; i++) {
            const double factor = o->push[k] * o->delta[i] / (reach * reach);
            il_add_row(own, P + i * size, factor, o->delta);
        }
    }
    return status;
}

/* The mean of rows about their first, and their covariance with other rows. */
static void mean_of(const weights *w, int64_t count, int64_t size, const double *rows, double *mean)
{
    memset(mean, 0, (size_t)size * sizeof *mean);
    for (int64_t k = 0; k < count; k++) {
        il_add_row(size, mean, k ? w->each : w->mean, rows + k * size);
    }
}

static void spread_of(const weights *w, int64_t count, int64_t wide, const double *a, int64_t size,
                      const double *b, double *out)
{
    memset(out, 0, (size_t)(wide * size) * sizeof *out);
    for (int64_t k = 0; k < count; k++) {
        for (int64_t i = 0; i < wide; i++) {
            const double factor = (k ? w->each : w->square) * a[k * wide + i];
            if (factor != 0.0) {
                il_add_row(size, out + i * size, factor, b + k * size);
            }
        }
    }
}

static void take_off(int64_t count, int64_t size, double *rows, const double *mean)
{
    for (int64_t k = 0; k < count; k++) {
        il_add_row(size, rows + k * size, -1.0, mean);
    }
}

int il_predict_unscented(il_observer *o, const double *extra)
{
    const int64_t size = o->size, points = 2 * size + 1, own = il_observed_states(o);
    const weights w = weights_of(o);
    il_copy(o->Y, o->P, size * size);
    il_observer_wander_P(o);
    factor(size, o->P, o->L);
    il_copy(o->P, o->Y, size * size);
    int status = draw_steps(o, &w, extra);
    if (status != IL_OK) {
        return status;
    }
    mean_of(&w, points, size, o->deltas, o->gain);
    take_off(points, size, o->deltas, o->gain);
    spread_of(&w, points, size, o->deltas, size, o->deltas, o->Y);
    il_observer_act(o, extra);
    status = add_pushes(o, o->Y);
    if (status != IL_OK) {
        return status;
    }
    const double t = o->t + o->step * (double)o->substeps;
    status = il_observer_moved(o, t, o->x_new, o->gain, o->x_trial);
    if (status != IL_OK) {
        return status;
    }
    o->t = t;
    il_copy(o->x, o->x_trial, il_observed_length(o));
    il_copy(o->extra, extra, o->extra_count);
    for (int64_t i = 0; i < size; i++) {
        for (int64_t j = 0; j < size; j++) {
            o->P[i * size + j] = 0.5 * (o->Y[i * size + j] + o->Y[j * size + i]);
        }
        o->P[i * size + i] += i < own ? o->moved[i] : 0.0;
    }
    return IL_OK;
}

/* ---- corrections ---- */

/* What would be measured at the points, for those that were measured: rows of `count`. */
static int draw_seen(il_observer *o, const weights *w, const double *measured, int64_t count)
{
    const int64_t size = o->size;
    int status = IL_OK;
    for (int64_t k = 0; k <= 2 * size && status == IL_OK; k++) {
        double *delta = o->deltas + k * size, *row = o->seen + k * count;
        const int differs = change_of(o, w, k, delta);
        if (k > 0 && !differs) {
            il_copy(row, o->seen, count);
            continue;
        }
        status = il_observer_move(o, delta, o->x_trial, o->extra_trial);
        if (status == IL_OK) {
            status = il_observer_expect(o, o->x_trial, o->extra_trial, o->y_trial);
        }
        for (int64_t m = 0, at = 0; m < o->measured_count; m++) {
            if (isfinite(measured[m])) {
                row[at++] = o->y_trial[m];
            }
        }
    }
    return status;
}

/* Innovations of what was measured, and their variances; the gate closes out what is far off: then
   `left` holds NaN there, and the number is returned. */
static int64_t close_out(il_observer *o, const double *mean, int64_t count, double *left)
{
    int64_t far = 0;
    for (int64_t m = 0, at = 0; m < o->measured_count; m++) {
        if (!isfinite(left[m])) {
            continue;
        }
        const double square = o->Pyy[at * count + at], off = left[m] - mean[at];
        o->innovation[m] = off;
        o->expected_square[m] = square;
        if (o->gate > 0.0 && off * off > o->gate * o->gate * square) {
            left[m] = (double)NAN;
            far++;
        }
        at++;
    }
    return far;
}

static int64_t count_of(const il_observer *o, const double *measured)
{
    int64_t count = 0;
    for (int64_t m = 0; m < o->measured_count; m++) {
        count += isfinite(measured[m]) != 0;
    }
    return count;
}

/* Means and covariances of what was measured: mean in y_trial, Pyy, covariance with errors in H. */
static int expect_drawn(il_observer *o, const weights *w, const double *left, int64_t count)
{
    const int64_t points = 2 * o->size + 1;
    const int status = draw_seen(o, w, left, count);
    if (status != IL_OK) {
        return status;
    }
    mean_of(w, points, count, o->seen, o->y_trial);
    take_off(points, count, o->seen, o->y_trial);
    spread_of(w, points, count, o->seen, count, o->seen, o->Pyy);
    spread_of(w, points, count, o->seen, o->size, o->deltas, o->H);
    for (int64_t m = 0, at = 0; m < o->measured_count; m++) {
        if (isfinite(left[m])) {
            o->Pyy[at * count + at] += o->noise[m];
            at++;
        }
    }
    return IL_OK;
}

/* The correction with what is left; Pyy becomes its factor. */
static int apply(il_observer *o, const double *left, int64_t count)
{
    const int64_t size = o->size;
    double *const change = o->Y, *const part = o->gain;
    memset(change, 0, (size_t)size * sizeof *change);
    if (il_cholesky(count, o->Pyy)) {
        return IL_DIVERGED;
    }
    for (int64_t m = 0, at = 0; m < o->measured_count; m++) {
        if (isfinite(left[m])) {
            part[at] = left[m] - o->y_trial[at];
            at++;
        }
    }
    /* L^-1 of the innovations and of H, in their places: P - H' L^-T L^-1 H */
    il_copy(o->L, o->P, size * size);
    for (int64_t i = 0; i < count; i++) {
        double *row = o->H + i * size;
        for (int64_t j = 0; j < i; j++) {
            il_add_row(size, row, -o->Pyy[i * count + j], o->H + j * size);
            part[i] -= o->Pyy[i * count + j] * part[j];
        }
        part[i] *= o->Pyy[i * count + i];
        for (int64_t k = 0; k < size; k++) {
            row[k] *= o->Pyy[i * count + i];
        }
        o->nis += part[i] * part[i];
        il_add_row(size, change, part[i], row);
        for (int64_t k = 0; k < size; k++) {
            il_add_row(size, o->L + k * size, -row[k], row);
        }
    }
    o->used = count;
    return il_observer_move(o, change, o->x_trial, o->extra_trial);
}

int il_correct_unscented(il_observer *o, const double *measured)
{
    const int64_t size = o->size;
    const weights w = weights_of(o);
    double *const left = o->y;
    factor(size, o->P, o->L);
    o->nis = 0.0;
    o->used = o->far = 0;
    for (int64_t m = 0; m < o->measured_count; m++) {
        left[m] = measured[m];
        o->innovation[m] = o->expected_square[m] = (double)NAN;
    }
    int64_t count = count_of(o, left);
    int status = expect_drawn(o, &w, left, count);
    if (status == IL_OK) {
        o->far = close_out(o, o->y_trial, count, left);
    }
    if (status == IL_OK && o->far > 0) {
        count = count_of(o, left);
        status = expect_drawn(o, &w, left, count);
    }
    if (status == IL_OK) {
        status = apply(o, left, count);
    }
    if (status == IL_OK) {
        il_copy(o->x, o->x_trial, il_observed_length(o));
        il_copy(o->extra, o->extra_trial, o->extra_count);
        il_copy(o->P, o->L, size * size);
    }
    return status;
}
