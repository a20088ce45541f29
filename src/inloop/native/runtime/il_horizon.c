/* Estimation over a moving horizon: the run of the last samples that fits best.
 *
 * Unknown are the state at the begin of the horizon and the noise w of each period in it:
 *
 *     x(i+1) = f(x(i), u(i+1)) + G w(i),   y(i) = h(x(i)) + v(i)
 *
 * Their weighted squares are least, found by Gauss-Newton: each turn takes slopes about the nodes,
 * carries a covariance from the first to the last of them, and finds all changes at once by a pass
 * forwards and one backwards (il_horizon_smooth.c), within bounds (il_horizon_bounds.c). What was
 * before the horizon is told by an extended Kalman filter at its begin, the tail. Of a linear plant
 * without bounds this is the Kalman filter.
 *
 * A sample costs at most MOST_TURNS times as many slopes as there are nodes. Where independent
 * coordinates change, or the tail cannot be carried on, the horizon begins anew with what is known.
 */
#include "il_horizon.h"

#include <math.h>
#include <string.h>

enum { MOST_TURNS = 5 };
#define SETTLED 1e-3 /* deviations: a smaller change ends the turns */

static double *take(il_arena *from, int64_t count)
{
    return il_take(from, count, sizeof(double), IL_ALIGNMENT);
}

void il_horizon_lay_out(il_observer *o, il_arena *arena)
{
    il_window *const w = &o->window;
    const int64_t nodes = o->horizon + 1, size = o->size, m = o->measured_count;
    const int64_t length = il_observed_length(o), extras = o->extra_count;
    const int64_t rows = nodes * o->bound_count;
    struct {
        double **piece;
        int64_t count;
    } const wanted[] = {
        {&w->x, nodes * length}, {&w->extra, nodes * extras}, {&w->y, nodes * m},
        {&w->u, nodes * o->instance->plant->input_count},
        {&w->tail_x, length}, {&w->tail_extra, extras}, {&w->tail_P, size * size},
        {&w->P, nodes * size * size},
        {&w->slopes, nodes * il_observed_states(o) * il_observer_columns(o)},
        {&w->off, nodes * size}, {&w->H, nodes * m * size}, {&w->gain, nodes * m * size},
        {&w->square, nodes * m}, {&w->miss, nodes * m}, {&w->news, nodes * m},
        {&w->first, 2 * m},
        {&w->mean, nodes * size}, {&w->change, nodes * size}, {&w->pull, nodes * size},
        {&w->adjoint, size}, {&w->along, size},
        {&w->kept_x, length}, {&w->kept_extra, extras}, {&w->kept_P, size * size},
        {&w->answers, rows * rows}, {&w->factor, rows * rows}, {&w->lack, rows},
        {&w->force, rows}, {&w->trial, rows},
    };
    for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; k++) {
        *wanted[k].piece = take(arena, wanted[k].count);
    }
    w->chosen = il_take(arena, 2 * rows, sizeof(int64_t), IL_ALIGNMENT);
}

/* ---- nodes ---- */

/* The estimate as the last node, with the inputs that are held now. */
static void put_node(il_observer *o)
{
    il_window *const w = &o->window;
    const int64_t i = w->count++, inputs = o->instance->plant->input_count;
    il_copy(w->x + i * il_observed_length(o), o->x, il_observed_length(o));
    il_copy(w->extra + i * o->extra_count, o->extra, o->extra_count);
    il_copy(w->u + i * inputs, o->held, inputs);
    for (int64_t k = 0; k < o->measured_count; k++) {
        w->y[i * o->measured_count + k] = (double)NAN;
    }
}

/* The estimate at a node. */
static void go_to(il_observer *o, int64_t i)
{
    const il_window *const w = &o->window;
    il_copy(o->x, w->x + i * il_observed_length(o), il_observed_length(o));
    il_copy(o->extra, w->extra + i * o->extra_count, o->extra_count);
    o->t = w->t + (double)i * o->step * (double)o->substeps;
}

static void keep(il_observer *o, double *x, double *extra, double *P)
{
    il_copy(x, o->x, il_observed_length(o));
    il_copy(extra, o->extra, o->extra_count);
    il_copy(P, o->P, o->size * o->size);
}

static void go_back(il_observer *o, const double *x, const double *extra, const double *P, double t)
{
    il_copy(o->x, x, il_observed_length(o));
    il_copy(o->extra, extra, o->extra_count);
    il_copy(o->P, P, o->size * o->size);
    o->t = t;
}

/* A horizon of one node: all that is known is in the estimate. */
static void begin_anew(il_observer *o)
{
    il_window *const w = &o->window;
    w->count = 0;
    w->choices = o->choices;
    w->t = o->t;
    keep(o, w->tail_x, w->tail_extra, w->tail_P);
    put_node(o);
}

static void drop_first(double *rows, int64_t width, int64_t count)
{
    memmove(rows, rows + width, (size_t)((count - 1) * width) * sizeof *rows);
}

/* The tail takes in the first sample and goes on to the next one. */
static int carry_tail(il_observer *o)
{
    il_window *const w = &o->window;
    const double t = o->t;
    keep(o, w->kept_x, w->kept_extra, w->kept_P);
    go_back(o, w->tail_x, w->tail_extra, w->tail_P, w->t);
    il_observer_hold(o, w->u, o->extra);
    int status = il_correct_extended(o, w->y);
    if (status == IL_OK) {
        il_copy(o->extra_trial, o->extra, o->extra_count);
        il_observer_wander(o, o->extra_trial);
        il_observer_hold(o, w->u + o->instance->plant->input_count, o->extra_trial);
        status = il_predict_extended(o, o->extra_trial);
    }
    if (status == IL_OK) {
        w->t = o->t;
        keep(o, w->tail_x, w->tail_extra, w->tail_P);
    }
    go_back(o, w->kept_x, w->kept_extra, w->kept_P, t);
    return status;
}

void il_horizon_make_room(il_observer *o)
{
    il_window *const w = &o->window;
    if (w->count == 0 || w->choices != o->choices) {
        begin_anew(o);
    }
    if (w->count <= o->horizon) {
        return;
    }
    if (carry_tail(o) != IL_OK) {
        begin_anew(o);
        return;
    }
    drop_first(w->x, il_observed_length(o), w->count);
    drop_first(w->extra, o->extra_count, w->count);
    drop_first(w->y, o->measured_count, w->count);
    drop_first(w->u, o->instance->plant->input_count, w->count);
    w->count--;
}

void il_horizon_append(il_observer *o)
{
    if (o->window.choices != o->choices) {
        begin_anew(o);
    } else {
        put_node(o);
    }
}

/* ---- a turn of Gauss-Newton ---- */

/* What is measured at a node, as the pass needs it; P learns from it. */
static int look(il_observer *o, int64_t i)
{
    il_window *const w = &o->window;
    const int64_t size = o->size, m = o->measured_count;
    const double *const y = w->y + i * m;
    memset(w->along, 0, (size_t)size * sizeof *w->along);
    il_observer_hold(o, w->u + i * o->instance->plant->input_count, o->extra);
    const int status = il_observer_take_in(o, y, w->along);
    for (int64_t k = 0, at = 0; k < m && status == IL_OK; k++) {
        w->square[i * m + k] = isfinite(y[k]) ? o->expected_square[k] : 0.0;
        if (isfinite(y[k])) {
            double *const gain = w->gain + (i * m + k) * size;
            il_copy(gain, o->gain + at++ * size, size);
            il_scale(size, gain, 1.0 / sqrt(o->expected_square[k]));
            w->miss[i * m + k] = y[k] - o->y[k];
        }
    }
    if (status == IL_OK) {
        il_copy(w->H + i * m * size, o->H, m * size);
        il_observer_take_off(o, y);
    }
    return status;
}

/* Slopes from a node to the next, and P there. */
static int step_on(il_observer *o, int64_t i)
{
    il_window *const w = &o->window;
    const int64_t size = o->size, own = il_observed_states(o);
    const int64_t all = own * il_observer_columns(o), next = i + 1;
    il_copy(o->extra_trial, o->extra, o->extra_count);
    il_observer_wander(o, o->extra_trial);
    il_observer_hold(o, w->u + next * o->instance->plant->input_count, o->extra_trial);
    const int status = il_observer_slope_rows(o, o->extra_trial);
    if (status == IL_OK) {
        double *const off = w->off + next * size;
        il_copy(w->slopes + i * all, o->slopes, all);
        il_observer_apart(o, w->x + next * il_observed_length(o), o->x_new, off);
        for (int64_t k = 0; k < o->extra_count; k++) {
            off[own + k] = o->extra_trial[k] - w->extra[next * o->extra_count + k];
        }
        il_observer_wander_P(o);
        il_observer_carry_P(o);
    }
    return status;
}

/* Slopes and covariances about all nodes; o->P becomes that of the last one. */
static int linearise(il_observer *o)
{
    il_window *const w = &o->window;
    const int64_t size = o->size, own = il_observed_states(o);
    int status = IL_OK;
    il_observer_apart(o, w->x, w->tail_x, w->off);
    for (int64_t k = 0; k < o->extra_count; k++) {
        w->off[own + k] = w->tail_extra[k] - w->extra[k];
    }
    il_copy(o->P, w->tail_P, size * size);
    for (int64_t i = 0; i < w->count && status == IL_OK; i++) {
        il_copy(w->P + i * size * size, o->P, size * size);
        go_to(o, i);
        status = look(o, i);
        if (status == IL_OK && i + 1 < w->count) {
            status = step_on(o, i);
        }
    }
    return status;
}

/* Innovations of the last node as known before it was measured, which those of later turns are not. */
static void keep_news(il_observer *o)
{
    const il_window *const w = &o->window;
    const int64_t m = o->measured_count, last = w->count - 1;
    il_copy(w->first, w->news + last * m, m);
    il_copy(w->first + m, w->square + last * m, m);
}

static void tell_news(il_observer *o)
{
    const int64_t m = o->measured_count;
    o->nis = 0.0;
    o->used = 0;
    for (int64_t k = 0; k < m; k++) {
        const double news = o->window.first[k], square = o->window.first[m + k];
        o->innovation[k] = square > 0.0 ? news : (double)NAN;
        o->expected_square[k] = square > 0.0 ? square : (double)NAN;
        if (square > 0.0) {
            o->nis += news * news / square;
            o->used++;
        }
    }
}

/* All nodes with their changes, loops closed. */
static int move_nodes(il_observer *o)
{
    il_window *const w = &o->window;
    const int64_t size = o->size, length = il_observed_length(o);
    int status = IL_OK;
    for (int64_t i = 0; i < w->count && status == IL_OK; i++) {
        go_to(o, i);
        status = il_observer_move(o, w->change + i * size, o->x_trial, o->extra_trial);
        if (status == IL_OK) {
            il_copy(w->x + i * length, o->x_trial, length);
            il_copy(w->extra + i * o->extra_count, o->extra_trial, o->extra_count);
        }
    }
    return status;
}

/* The change of the last node, in its deviations. */
static double last_change(const il_observer *o)
{
    const double *const change = o->window.change + (o->window.count - 1) * o->size;
    double most = 0.0;
    for (int64_t k = 0; k < o->size; k++) {
        const double square = o->P[k * o->size + k];
        const double part = square > 0.0 ? fabs(change[k]) / sqrt(square) : 0.0;
        most = part > most ? part : most;
    }
    return most;
}

static int turns(il_observer *o)
{
    int status = IL_OK, settled = 0;
    for (int turn = 0; turn < MOST_TURNS && status == IL_OK && !settled; turn++) {
        status = linearise(o);
        if (status == IL_OK) {
            il_window *const w = &o->window;
            memset(w->pull, 0, (size_t)(w->count * o->size) * sizeof *w->pull);
            il_horizon_smooth(o, 1);
            if (turn == 0) {
                keep_news(o);
            }
            status = il_horizon_keep_bounds(o);
        }
        if (status == IL_OK) {
            settled = last_change(o) <= SETTLED;
            status = move_nodes(o);
        }
    }
    return status;
}

int il_correct_horizon(il_observer *o, const double *measured)
{
    il_window *const w = &o->window;
    const int64_t m = o->measured_count;
    int seen = 0;
    if (w->count == 0 || w->choices != o->choices) {
        begin_anew(o);
    }
    const int64_t last = w->count - 1;
    const double t = o->t;
    il_copy(w->y + last * m, measured, m);
    keep(o, w->kept_x, w->kept_extra, w->kept_P);
    for (int64_t k = 0; k < m; k++) {
        seen = seen || isfinite(measured[k]);
        o->innovation[k] = o->expected_square[k] = (double)NAN;
    }
    o->nis = 0.0;
    o->used = o->far = 0;
    if (!seen) {
        return IL_OK; /* nothing is learned */
    }
    const int status = turns(o);
    if (status != IL_OK) {
        go_back(o, w->kept_x, w->kept_extra, w->kept_P, t);
        w->count = 0; /* nodes may have moved */
        return status;
    }
    tell_news(o);
    go_to(o, last);
    il_observer_hold(o, w->u + last * o->instance->plant->input_count, o->extra);
    return IL_OK;
}
