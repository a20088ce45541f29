/* Memory of an observer, and how its two halves follow each other; see il_observer.h. */
#include "il_observer_parts.h"

#include <string.h>

#include "il_arena.h"
#include "il_finite.h"
#include "il_horizon.h"

static double *take(il_arena *from, int64_t count)
{
    return il_take(from, count, sizeof(double), IL_ALIGNMENT);
}

/* All pieces of memory; returns their sum, in numbers. */
static int64_t lay_out(il_observer *o, double *memory)
{
    il_arena arena = {(unsigned char *)memory, 0};
    const int64_t size = o->size, length = il_observed_length(o), m = o->measured_count;
    const int64_t own = il_observed_states(o), points = 2 * size + 1;
    const int64_t wide = il_observer_columns(o), n = il_observed_part(o)->row->n;
    struct {
        double **piece;
        int64_t count;
    } const wanted[] = {
        {&o->x, length}, {&o->extra, o->extra_count}, {&o->P, size * size},
        {&o->innovation, m}, {&o->expected_square, m},
        {&o->held, o->instance->plant->input_count},
        {&o->pushes, o->instance->plant->input_count},
        {&o->x_new, length}, {&o->x_trial, length}, {&o->extra_trial, o->extra_count},
        {&o->rates, length}, {&o->rates_trial, length}, {&o->delta, size},
        {&o->A, own * wide}, {&o->slopes, own * wide}, {&o->carried, own * wide},
        {&o->FT, wide * own}, {&o->Y, size * size},
        {&o->H, m * size}, {&o->y, m}, {&o->y_trial, m}, {&o->gain, size * (m > 0 ? m : 1)},
        {&o->points, points * length}, {&o->points_extra, o->extra_count},
        {&o->deltas, points * size}, {&o->seen, points * m}, {&o->L, size * size},
        {&o->Pyy, m * m}, {&o->all_before, (size + 1) * 2 * n},
    };
    for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; k++) {
        *wanted[k].piece = take(&arena, wanted[k].count);
    }
    if (o->kind == IL_HORIZON) {
        il_horizon_lay_out(o, &arena);
    }
    const il_system *system = &il_in_use(il_observed_part(o))->system;
    double *work = take(&arena, il_work_size(o->method, system->n, system->m));
    int64_t *pivots = il_take(&arena, system->n + system->m, sizeof(int64_t), IL_ALIGNMENT);
    if (memory) {
        o->stepper = (il_stepper){.stages = work, .pivots = pivots};
    }
    return (int64_t)(arena.used / sizeof(double));
}

static int makes_sense(const il_observer *o)
{
    const il_plant *plant = o->instance->plant;
    int good = o->substeps > 0 && o->step > 0.0 && o->measured_count >= 0 && o->extra_count >= 0;
    good = good && plant->mode_count == 1 && !il_in_use(il_observed_part(o))->choice->redundant;
    for (int64_t k = 0; good && k < o->measured_count; k++) {
        good = o->measured[k] >= 0 && o->measured[k] < plant->output_count && o->noise[k] > 0.0;
    }
    for (int64_t k = 0; good && k < o->pushed_count; k++) {
        good = o->pushed[k] >= 0 && o->pushed[k] < plant->input_count;
    }
    for (int64_t k = 0; good && k < o->extra_count; k++) {
        const int64_t most[] = {plant->input_count, o->measured_count, k, k};
        const il_extra *extra = &o->extras[k];
        good = extra->kind >= IL_ADDS_TO_INPUT && extra->kind <= IL_COPY_OF_EXTRA;
        good = good && extra->number >= 0 && extra->number < most[extra->kind];
    }
    const int64_t size = il_observed_states(o) + o->extra_count;
    good = good && (o->kind != IL_HORIZON || (o->horizon > 0 && o->bound_count >= 0));
    for (int64_t k = 0; good && k < o->bound_count; k++) {
        good = o->bounds[k].state >= 0 && o->bounds[k].state < size;
    }
    const il_system *system = &il_in_use(il_observed_part(o))->system;
    return good && il_work_size(o->method, system->n, system->m) >= 0;
}

/* Sizes that follow from what the caller has set. */
static void measure_up(il_observer *o)
{
    o->size = il_observed_states(o) + o->extra_count;
    o->acting = 0;
    for (int64_t k = 0; k < o->extra_count; k++) {
        o->acting += o->extras[k].kind == IL_ADDS_TO_INPUT;
    }
}

int64_t il_observer_room(const il_observer *observer)
{
    il_observer trial = *observer;
    if (!makes_sense(observer)) {
        return -1;
    }
    measure_up(&trial);
    return lay_out(&trial, NULL);
}

int il_observer_renew(il_observer *observer)
{
    il_observer *const o = observer;
    double *work = o->stepper.x_new ? o->stepper.x_new : o->stepper.stages;
    return il_stepper_init(&o->stepper, &il_in_use(il_observed_part(o))->system, o->method, work,
                           o->stepper.pivots);
}

int il_observer_begin(il_observer *observer, double *memory)
{
    il_observer *const o = observer;
    measure_up(o);
    memset(memory, 0, (size_t)lay_out(o, memory) * sizeof *memory);
    o->t = il_time(o->instance);
    o->choices = o->used = o->far = 0;
    o->nis = 0.0;
    o->window.count = 0;
    il_copy(o->x, o->instance->machine.x, il_observed_length(o));
    il_copy(o->held, o->instance->inputs, o->instance->plant->input_count);
    il_observer_find_pushes(o);
    return il_observer_renew(o);
}

/* ---- what acts ---- */

void il_observer_act(il_observer *o, const double *extra)
{
    for (int64_t k = 0; k < o->extra_count; k++) {
        if (o->extras[k].kind == IL_ADDS_TO_INPUT) {
            o->instance->inputs[o->extras[k].number] = o->held[o->extras[k].number];
        }
    }
    for (int64_t k = 0; k < o->extra_count; k++) {
        const int64_t input = o->extras[k].number;
        if (o->extras[k].kind == IL_ADDS_TO_INPUT) {
            il_write_input(o->instance, input, o->instance->inputs[input] + extra[k]);
        }
    }
}

void il_observer_hold(il_observer *o, const double *inputs, const double *extra)
{
    il_copy(o->held, inputs, o->instance->plant->input_count);
    for (int64_t k = 0; k < o->instance->plant->input_count; k++) {
        il_write_input(o->instance, k, inputs[k]);
    }
    il_observer_act(o, extra);
}

void il_observer_set_inputs(il_observer *observer, const double *inputs)
{
    il_observer_hold(observer, inputs, observer->extra);
}

int il_observer_steps(il_observer *o, double *x)
{
    int status = IL_OK;
    for (int64_t k = 0; k < o->substeps && status == IL_OK; k++) {
        status = il_step(&o->stepper, o->t + (double)k * o->step, o->step, x);
    }
    return status;
}

int il_observer_expect(il_observer *o, const double *x, const double *extra, double *y)
{
    il_part *part = il_observed_part(o);
    il_observer_act(o, extra);
    const int status = il_observe(part, o->t, x);
    for (int64_t k = 0; status == IL_OK && k < o->measured_count; k++) {
        y[k] = *part->sources[o->measured[k]];
    }
    for (int64_t k = 0; status == IL_OK && k < o->extra_count; k++) {
        if (o->extras[k].kind == IL_ADDS_TO_MEASURED) {
            y[o->extras[k].number] += extra[k];
        }
    }
    return status;
}

void il_observer_wander(const il_observer *o, double *extra)
{
    const double period = o->step * (double)o->substeps;
    for (int64_t k = o->extra_count - 1; k >= 0; k--) { /* before anything changes, copies first */
        if (o->extras[k].kind == IL_COPY_OF_EXTRA) {
            extra[k] = extra[o->extras[k].number];
        }
    }
    for (int64_t k = 0; k < o->extra_count; k++) {
        if (o->extras[k].kind == IL_COPY_OF_EXTRA) {
            continue;
        }
        if (o->extras[k].kind == IL_RATE_OF_EXTRA) {
            extra[o->extras[k].number] += period * extra[k];
        }
        extra[k] *= o->extras[k].keeps;
    }
}

/* ---- a change of the independent coordinates ---- */

int il_observer_motion(il_observer *o, const double *x, double *all)
{
    il_part *part = il_observed_part(o);
    const int status = il_look_at(part, o->t, x);
    il_copy(all, part->q, part->row->n);
    il_copy(all + part->row->n, part->qd, part->row->n);
    return status;
}

int il_observer_motion_slopes(il_observer *o, int64_t count, double *rows)
{
    const il_part *part = il_observed_part(o);
    const int64_t width = 2 * part->row->n;
    double *const now = rows + o->size * width;
    int status = il_observer_motion(o, o->x, now);
    memset(o->delta, 0, (size_t)o->size * sizeof *o->delta);
    for (int64_t j = 0; j < count && status == IL_OK; j++) {
        double *row = rows + j * width;
        const double reach = IL_OBSERVER_STEP_REACH * part->sizes[j];
        o->delta[j] = reach;
        status = il_observer_move(o, o->delta, o->x_trial, o->extra_trial);
        o->delta[j] = 0.0;
        if (status == IL_OK) {
            status = il_observer_motion(o, o->x_trial, row);
        }
        for (int64_t k = 0; k < width; k++) {
            row[k] = (row[k] - now[k]) / reach;
        }
    }
    return status;
}

/* P in the new coordinates: T P T', with T by rows of what was noted. */
static void turn_P(il_observer *o)
{
    const il_choice *choice = il_in_use(il_observed_part(o))->choice;
    const int64_t n = il_observed_part(o)->row->n, nu = choice->independent_count;
    const int64_t size = o->size, moving = 2 * nu;
    for (int round = 0; round < 2; round++) { /* rows, then, of the transpose, rows again */
        memset(o->Y, 0, (size_t)(size * size) * sizeof *o->Y);
        for (int64_t i = 0; i < size; i++) {
            if (i >= moving) {
                il_add_row(size, o->Y + i * size, 1.0, o->P + i * size);
                continue;
            }
            const int64_t at = i < nu ? choice->independent[i] : n + choice->independent[i - nu];
            for (int64_t j = 0; j < moving; j++) {
                il_add_row(size, o->Y + i * size, o->all_before[j * 2 * n + at], o->P + j * size);
            }
        }
        for (int64_t i = 0; i < size; i++) {
            for (int64_t j = 0; j < size; j++) {
                o->P[j * size + i] = o->Y[i * size + j];
            }
        }
    }
}

/* Other independent coordinates, better where the estimate is; not IL_OK: there are none. */
static int choose_anew(il_observer *o)
{
    il_part *part = il_observed_part(o);
    int status = il_observer_motion_slopes(o, 2 * il_observed_coordinates(o), o->all_before);
    if (status == IL_OK) {
        status = il_look_at(part, o->t, o->x);
    }
    if (status != IL_OK || !il_choose_better(part, o->t)) {
        return IL_LOOP_OPEN;
    }
    turn_P(o);
    il_pack(part, o->x);
    o->choices++;
    return il_observer_renew(o);
}

/* ---- the two halves ---- */

/* Extra states of the next sample, at work. */
static void wander_anew(il_observer *o)
{
    il_copy(o->extra_trial, o->extra, o->extra_count);
    il_observer_wander(o, o->extra_trial);
    il_observer_act(o, o->extra_trial);
}

static int predict_once(il_observer *o)
{
    return o->kind == IL_UNSCENTED ? il_predict_unscented(o, o->extra_trial)
                                   : il_predict_extended(o, o->extra_trial);
}

/* With other independent coordinates; where none are better, over a singular position. */
static int predict_otherwise(il_observer *o)
{
    int status = IL_LOOP_OPEN;
    if (choose_anew(o) == IL_OK) {
        wander_anew(o);
        status = predict_once(o);
    }
    if (status == IL_LOOP_OPEN) {
        il_step_over(il_observed_part(o));
        wander_anew(o);
        status = predict_once(o);
    }
    return status;
}

int il_observer_predict(il_observer *observer, const double *inputs)
{
    il_observer *const o = observer;
    il_part *part = il_observed_part(o);
    if (o->kind == IL_HORIZON) {
        il_horizon_make_room(o);
    }
    il_observer_hold(o, inputs, o->extra);
    wander_anew(o);
    int status = predict_once(o);
    if (status == IL_LOOP_OPEN && il_chooses(part)) {
        status = predict_otherwise(o);
    }
    if (status == IL_OK && part->unguarded > 0 && --part->unguarded == 0 &&
        il_look_at(part, o->t, o->x) == IL_OK) {
        il_set_guard(part, o->t, part->q);
    }
    if (status == IL_OK && o->kind == IL_HORIZON) {
        il_horizon_append(o);
    }
    return status;
}

static int correct_once(il_observer *o, const double *measured)
{
    il_observer_act(o, o->extra);
    if (o->kind == IL_HORIZON) {
        return il_correct_horizon(o, measured);
    }
    const int drawn = o->kind == IL_UNSCENTED && !il_observer_all_plain(o);
    return drawn ? il_correct_unscented(o, measured) : il_correct_extended(o, measured);
}

int il_observer_correct(il_observer *observer, const double *measured)
{
    il_observer *const o = observer;
    int status = correct_once(o, measured);
    if (status == IL_LOOP_OPEN && il_chooses(il_observed_part(o)) && choose_anew(o) == IL_OK) {
        status = correct_once(o, measured);
    }
    return status;
}

int il_observer_outputs(il_observer *observer, double *values)
{
    il_observer *const o = observer;
    il_part *part = il_observed_part(o);
    il_observer_act(o, o->extra);
    const int status = il_observe(part, o->t, o->x);
    for (int64_t k = 0; status == IL_OK && k < o->instance->plant->output_count; k++) {
        values[k] = *part->sources[k];
    }
    return status;
}

int il_observer_carry(il_observer *observer, const double *inputs, double *x, double *extra)
{
    il_observer_wander(observer, extra);
    il_observer_hold(observer, inputs, extra);
    return il_observer_steps(observer, x);
}
