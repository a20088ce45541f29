/* The extended Kalman filter: P by the slopes of a sample about the estimate.
 *
 * Explicit methods: F = exp(h A) and G = h (1 + h A / 2 + ...) B by their series, with A and B the
 * slopes of the rates in the middle of a step, generated or by differences: off by terms of h³
 * (Magnus); the steps of IL_RK4 have the same series where the plant is linear. Implicit
 * methods, and explicit ones where a step changes states much: differences of the step itself.
 */
#include "il_observer_parts.h"

#include <math.h>
#include <string.h>

/* of a step, in units of the states: where slopes in its middle do no longer hold from its begin to
   its end */
#define LARGE_CHANGE 0.3

/* The input of a column behind those of states. */
static int64_t input_of(const il_observer *o, int64_t column)
{
    for (int64_t k = 0; k < o->extra_count; k++) {
        if (o->extras[k].kind == IL_ADDS_TO_INPUT && column-- == 0) {
            return o->extras[k].number;
        }
    }
    return o->pushed[column];
}

/* ---- slopes of the rates ---- */

/* Rows of A for positions: dδ/dt = δom - om × δ about a ball joint, else the change of velocity. */
static void rows_of_positions(const il_observer *o, const double *x, double *A, int64_t width)
{
    const il_part *part = il_observed_part(o);
    const int64_t nu = il_observed_coordinates(o);
    memset(A, 0, (size_t)(nu * width) * sizeof *A);
    for (int64_t k = 0; k < nu; k++) {
        A[k * width + nu + k] = 1.0;
    }
    if (il_in_use(part)->choice->expand != NULL) {
        return; /* turns in loops go through differences of the step */
    }
    for (int64_t a = 0; a < part->row->attitudes; a++) {
        const int64_t at = part->row->turned[a];
        const double *om = x + nu + at;
        for (int i = 0; i < 3; i++) {
            const int next = (i + 1) % 3, last = (i + 2) % 3;
            A[(at + i) * width + at + last] -= om[next];
            A[(at + i) * width + at + next] += om[last];
        }
    }
}

/* A column of slopes by a state of the plant. */
static int column_by_state(il_observer *o, const double *x, double t, int64_t j, int64_t width)
{
    il_part *part = il_observed_part(o);
    const int64_t own = il_observed_states(o), nu = il_observed_coordinates(o);
    const int64_t length = il_observed_length(o), attitudes = part->row->attitudes;
    il_copy(o->x_trial, x, length);
    const double reach = il_observer_reach(o, j, x[j], IL_OBSERVER_REACH);
    o->x_trial[j] = x[j] + reach;
    for (int64_t a = 0; j < nu && a < attitudes; a++) {
        const int64_t axis = j - part->row->turned[a];
        if (axis >= 0 && axis < 3) {
            double by[3] = {0.0, 0.0, 0.0};
            double *p = o->x_trial + length - IL_QUATERNION * (attitudes - a);
            by[axis] = reach;
            il_attitude_add(p, by, p, p);
        }
    }
    const int status = il_observer_rates(o, o->x_trial, t, o->rates_trial);
    for (int64_t i = nu; i < own && status == IL_OK; i++) {
        o->A[i * width + j] = (o->rates_trial[i] - o->rates[i]) / reach;
    }
    return status;
}

static int column_by_input(il_observer *o, const double *x, double t, int64_t j, int64_t width)
{
    const int64_t own = il_observed_states(o), nu = il_observed_coordinates(o);
    const int64_t input = input_of(o, j - own);
    const double before = o->instance->inputs[input], reach = il_observer_push(o, input);
    il_write_input(o->instance, input, before + reach);
    const int status = il_observer_rates(o, x, t, o->rates_trial);
    il_write_input(o->instance, input, before);
    for (int64_t i = 0; i < own && status == IL_OK; i++) {
        o->A[i * width + j] = i < nu ? 0.0 : (o->rates_trial[i] - o->rates[i]) / reach;
    }
    return status;
}

/* Generated slopes are those of trees without ball joints: there all entries of x are states. */
static int are_generated(const il_observer *o)
{
    const il_part *part = il_observed_part(o);
    const il_choice *choice = il_in_use(part)->choice;
    return o->generated && choice->jacobian != NULL && choice->expand == NULL &&
           part->row->attitudes == 0;
}

/* All columns by states, as they were generated. */
static int generated_columns(il_observer *o, const double *x, double t, int64_t width)
{
    il_active *active = il_in_use(il_observed_part(o));
    const int64_t own = il_observed_states(o), nu = il_observed_coordinates(o);
    double *const J = o->carried, *const by_time = o->rates_trial;
    const int status = active->choice->jacobian(&active->look, t, o->step, x, o->rates, J, by_time);
    for (int64_t i = nu; i < own && status == IL_OK; i++) {
        il_copy(o->A + i * width, J + i * own, own);
    }
    return status;
}

static int columns_by_differences(il_observer *o, const double *x, double t, int64_t width)
{
    int status = IL_OK;
    for (int64_t j = 0; j < il_observed_states(o) && status == IL_OK; j++) {
        status = column_by_state(o, x, t, j, width);
    }
    return status;
}

/* Slopes of the rates by states and inputs, rows of all columns, in o->A. */
static int slopes_of_rates(il_observer *o, const double *x, double t)
{
    const int64_t width = il_observer_columns(o);
    int status = il_observer_rates(o, x, t, o->rates);
    rows_of_positions(o, x, o->A, width);
    if (status == IL_OK) {
        status = are_generated(o) ? generated_columns(o, x, t, width)
                                  : columns_by_differences(o, x, t, width);
    }
    for (int64_t j = il_observed_states(o); j < width && status == IL_OK; j++) {
        status = column_by_input(o, x, t, j, width);
    }
    return status;
}

/* The largest change of a state in a step, all of them in their units. */
static double stiffness(const il_observer *o)
{
    const il_part *part = il_observed_part(o);
    const int64_t own = il_observed_states(o), width = il_observer_columns(o);
    double most = 0.0;
    for (int64_t i = 0; i < own; i++) {
        double sum = 0.0;
        for (int64_t k = 0; k < own; k++) {
            sum += fabs(o->A[i * width + k]) * part->sizes[k];
        }
        sum /= part->sizes[i];
        most = sum > most ? sum : most;
    }
    return o->step * most;
}

/* [F G] of a step, in o->carried, by the slopes [A B] of the rates: with C = h [A B],
   F = 1 + C (1 + C / 2 (1 + C / 3 (1 + C / 4))). */
static void series(il_observer *o)
{
    const int64_t own = il_observed_states(o), width = il_observer_columns(o);
    double *inner = o->A, *outer = o->carried;
    for (int order = 4; order > 1; order--) {
        const double factor = o->step / (double)order;
        for (int64_t i = 0; i < own; i++) {
            double *row = outer + i * width;
            il_copy(row, o->A + i * width, width);
            for (int64_t k = 0; k < own; k++) {
                const double a = factor * o->A[i * width + k];
                if (a != 0.0) {
                    il_add_row(width, row, a, inner + k * width);
                }
            }
        }
        inner = outer;
        outer = inner == o->carried ? o->FT : o->carried;
    }
    for (int64_t i = 0; i < own; i++) {
        for (int64_t k = 0; k < width; k++) {
            o->carried[i * width + k] = o->step * inner[i * width + k] + (i == k ? 1.0 : 0.0);
        }
    }
}

/* ---- slopes of the step itself ---- */

static int column_of_step(il_observer *o, const double *x, const double *x_end, double t, int64_t j)
{
    const int64_t own = il_observed_states(o), width = il_observer_columns(o);
    double reach, before = 0.0;
    int64_t input = -1;
    int status = IL_OK;
    if (j < own) {
        reach = il_observer_reach(o, j, x[j], IL_OBSERVER_STEP_REACH);
        memset(o->delta, 0, (size_t)o->size * sizeof *o->delta);
        o->delta[j] = reach;
        status = il_observer_moved(o, t, x, o->delta, o->x_trial);
    } else {
        input = input_of(o, j - own);
        before = o->instance->inputs[input];
        reach = il_observer_push(o, input);
        il_copy(o->x_trial, x, il_observed_length(o));
        il_write_input(o->instance, input, before + reach);
    }
    if (status == IL_OK) {
        status = il_step(&o->stepper, t, o->step, o->x_trial);
    }
    if (input >= 0) {
        il_write_input(o->instance, input, before);
    }
    il_observer_apart(o, x_end, o->x_trial, o->delta);
    for (int64_t i = 0; i < own; i++) {
        o->carried[i * width + j] = o->delta[i] / reach;
    }
    return status;
}

static int slopes_of_step(il_observer *o, const double *x, const double *x_end, double t)
{
    int status = IL_OK;
    for (int64_t j = 0; j < il_observer_columns(o) && status == IL_OK; j++) {
        status = column_of_step(o, x, x_end, t, j);
    }
    return status;
}

/* ---- a sample ---- */

static int is_explicit(const il_observer *o)
{
    const il_part *part = il_observed_part(o);
    const int turns_in_loops = part->row->attitudes > 0 && il_in_use(part)->choice->expand != NULL;
    return (o->method == IL_EULER || o->method == IL_RK4 || o->method == IL_DOPRI) && !turns_in_loops;
}

/* [F G] of the steps so far, in o->slopes, and of one more, in o->carried. */
static void compose(il_observer *o, int first)
{
    const int64_t own = il_observed_states(o), width = il_observer_columns(o);
    if (first) {
        il_copy(o->slopes, o->carried, own * width);
        return;
    }
    for (int64_t i = 0; i < own; i++) {
        double *row = o->FT; /* as wide as a row at least */
        memset(row, 0, (size_t)width * sizeof *row);
        il_copy(row + own, o->carried + i * width + own, width - own);
        il_add_rows(width, row, own, o->carried + i * width, o->slopes, width);
        il_copy(o->carried + i * width, row, width);
    }
    il_copy(o->slopes, o->carried, own * width);
}

/* Half-way between two states that are near each other. */
static void find_middle(const il_observer *o, const double *x, const double *x_end, double *middle)
{
    const int64_t length = il_observed_length(o);
    const int64_t quaternions = length - IL_QUATERNION * il_observed_part(o)->row->attitudes;
    for (int64_t k = 0; k < length; k++) {
        middle[k] = 0.5 * (x[k] + x_end[k]);
    }
    for (double *p = middle + quaternions; p < middle + length; p += IL_QUATERNION) {
        const double size = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
        for (int i = 0; i < IL_QUATERNION; i++) {
            p[i] /= size;
        }
    }
}

/* [F G] of one step from x to x_end, in o->carried. */
static int slopes_between(il_observer *o, const double *x, const double *x_end, double t)
{
    if (is_explicit(o)) {
        double *const middle = o->points + il_observed_length(o);
        find_middle(o, x, x_end, middle);
        const int status = slopes_of_rates(o, middle, t + 0.5 * o->step);
        if (status != IL_OK || stiffness(o) < LARGE_CHANGE) {
            series(o);
            return status;
        }
    }
    return slopes_of_step(o, x, x_end, t);
}

int il_observer_slope_rows(il_observer *o, const double *extra)
{
    int status = IL_OK;
    const int64_t length = il_observed_length(o);
    double *const x_end = o->x_new;
    double *const x = o->points;
    il_copy(x, o->x, length);
    il_observer_act(o, extra);
    for (int64_t k = 0; k < o->substeps && status == IL_OK; k++) {
        const double t = o->t + (double)k * o->step;
        il_copy(x_end, x, length);
        status = il_step(&o->stepper, t, o->step, x_end);
        if (status == IL_OK) {
            status = slopes_between(o, x, x_end, t);
        }
        compose(o, k == 0);
        il_copy(x, x_end, length);
    }
    return status;
}

/* Rows of F by all states of the error, from [F G]. */
static void widen(const il_observer *o, int64_t i, double *row)
{
    const int64_t own = il_observed_states(o), width = il_observer_columns(o);
    int64_t column = own;
    il_copy(row, o->slopes + i * width, own);
    for (int64_t k = 0; k < o->extra_count; k++) {
        const int acts = o->extras[k].kind == IL_ADDS_TO_INPUT;
        row[own + k] = acts ? o->slopes[i * width + column++] : 0.0;
    }
}

int il_predict_extended(il_observer *o, const double *extra)
{
    const int status = il_observer_slope_rows(o, extra);
    if (status != IL_OK) {
        return status;
    }
    il_observer_wander_P(o);
    il_observer_carry_P(o);
    il_copy(o->x, o->x_new, il_observed_length(o));
    il_copy(o->extra, extra, o->extra_count);
    o->t += o->step * (double)o->substeps;
    return IL_OK;
}

int il_observer_slopes(il_observer *observer, const double *inputs, double *F, double *Q)
{
    il_observer *const o = observer;
    const int64_t own = il_observed_states(o), size = o->size, all = size * size;
    il_copy(o->L, o->P, all);
    il_copy(o->extra_trial, o->extra, o->extra_count);
    il_observer_wander(o, o->extra_trial);
    il_observer_hold(o, inputs, o->extra_trial);
    const int status = il_observer_slope_rows(o, o->extra_trial);
    if (status == IL_OK) {
        /* what becomes of no error at all */
        memset(o->P, 0, (size_t)all * sizeof *o->P);
        il_observer_wander_P(o);
        il_observer_carry_P(o);
        il_copy(Q, o->P, all);
        il_copy(o->P, o->L, all);
        /* F of the extra states by themselves, then of all */
        memset(o->Y, 0, (size_t)all * sizeof *o->Y);
        for (int64_t i = 0; i < size; i++) {
            const int copy = i >= own && o->extras[i - own].kind == IL_COPY_OF_EXTRA;
            o->Y[i * size + i] = i < own ? 1.0 : (copy ? 0.0 : o->extras[i - own].keeps);
            if (copy) {
                o->Y[i * size + own + o->extras[i - own].number] = 1.0;
            }
            if (i >= own && o->extras[i - own].kind == IL_RATE_OF_EXTRA) {
                const int64_t moves = own + o->extras[i - own].number;
                o->Y[moves * size + i] = o->step * (double)o->substeps;
            }
        }
        for (int64_t i = 0; i < size; i++) {
            if (i >= own) {
                il_copy(F + i * size, o->Y + i * size, size);
                continue;
            }
            widen(o, i, o->delta);
            memset(F + i * size, 0, (size_t)size * sizeof *F);
            for (int64_t k = 0; k < size; k++) {
                il_add_row(size, F + i * size, o->delta[k], o->Y + k * size);
            }
        }
    }
    return status;
}
