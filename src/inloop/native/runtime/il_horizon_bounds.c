/* Bounds of states on a horizon: the least forces that keep all nodes within them.
 *
 * Forces f >= 0 on the rows g' change >= lack that are violated move the changes by S g f, with S
 * their covariance: the least of 1/2 f' G' S G f - lack' f, by Lawson and Hanson's method of non-negative
 * least squares (1974, chapter 23). What a force on one row does to all rows, its answer, is a pass
 * over the horizon with a pull in place of samples, found where it is needed.
 */
#include <math.h>
#include <string.h>

#include "il_cholesky.h"
#include "il_horizon.h"

#define VIOLATED 1e-9 /* deviations: what rounding may leave */

static int64_t rows_of(const il_observer *o)
{
    return o->window.count * o->bound_count;
}

/* Row r is that of bound r % bound_count at node r / bound_count. */
static const il_state_bound *bound_of(const il_observer *o, int64_t r)
{
    return &o->bounds[r % o->bound_count];
}

/* Where the change of its state is, among those of all nodes. */
static int64_t place_of(const il_observer *o, int64_t r)
{
    return r / o->bound_count * o->size + bound_of(o, r)->state;
}

/* Its state at its node, now. */
static double value_of(const il_observer *o, int64_t r)
{
    const int64_t own = il_observed_states(o), node = r / o->bound_count;
    const int64_t state = bound_of(o, r)->state;
    return state < own ? o->window.x[node * il_observed_length(o) + state]
                       : o->window.extra[node * o->extra_count + state - own];
}

/* What the changes lack of each row. */
static void find_lack(il_observer *o)
{
    il_window *const w = &o->window;
    for (int64_t r = 0; r < rows_of(o); r++) {
        const il_state_bound *const bound = bound_of(o, r);
        const double reached = value_of(o, r) + w->change[place_of(o, r)];
        w->lack[r] = bound->side * (bound->limit - reached);
    }
}

/* The answer of all rows to a force on one. */
static void find_answer(il_observer *o, int64_t r)
{
    il_window *const w = &o->window;
    const int64_t all = rows_of(o);
    w->pull[place_of(o, r)] = bound_of(o, r)->side;
    il_horizon_smooth(o, 0);
    w->pull[place_of(o, r)] = 0.0;
    for (int64_t k = 0; k < all; k++) {
        w->answers[r * all + k] = bound_of(o, k)->side * w->change[place_of(o, k)];
    }
}

/* The row that lacks most beside the forces so far, in its own deviations; -1: none does. */
static int64_t worst_row(il_observer *o, int64_t count)
{
    il_window *const w = &o->window;
    const int64_t all = rows_of(o);
    int64_t found = -1;
    double most = VIOLATED;
    for (int64_t r = 0; r < all; r++) {
        double left = w->lack[r];
        for (int64_t k = 0; k < count; k++) {
            left -= w->answers[w->chosen[k] * all + r] * w->force[w->chosen[k]];
        }
        const int64_t node = r / o->bound_count, state = bound_of(o, r)->state;
        const double square = w->P[(node * o->size + state) * o->size + state];
        const double part = left / sqrt(square > 0.0 ? square : 1.0);
        if (part > most && w->force[r] == 0.0) {
            most = part;
            found = r;
        }
    }
    return found;
}

/* Forces that leave no lack in the chosen rows, in w->trial; not 0: there are none. */
static int solve_chosen(il_observer *o, int64_t count)
{
    il_window *const w = &o->window;
    const int64_t all = rows_of(o);
    for (int64_t i = 0; i < count; i++) {
        for (int64_t j = 0; j < count; j++) {
            w->factor[i * count + j] = w->answers[w->chosen[i] * all + w->chosen[j]];
        }
        w->trial[i] = w->lack[w->chosen[i]];
    }
    if (il_cholesky(count, w->factor)) {
        return 1;
    }
    il_solve_lower(count, w->factor, w->trial, w->trial);
    il_solve_upper(count, w->factor, w->trial);
    return 0;
}

/* Towards the trial as far as no force pulls outwards; drops those that end. Returns how many stay, and
   whether the trial was reached. */
static int64_t go_towards_trial(il_observer *o, int64_t count, int *reached)
{
    il_window *const w = &o->window;
    double part = 1.0;
    int64_t kept = 0, ends = -1;
    for (int64_t i = 0; i < count; i++) {
        const double now = w->force[w->chosen[i]];
        if (w->trial[i] <= 0.0 && now / (now - w->trial[i]) < part) {
            part = now / (now - w->trial[i]);
            ends = i;
        }
    }
    *reached = ends < 0;
    for (int64_t i = 0; i < count; i++) {
        double *const force = &w->force[w->chosen[i]];
        *force += part * (w->trial[i] - *force);
        if (i == ends || !(*force > 0.0)) {
            *force = 0.0;
        } else {
            w->chosen[kept++] = w->chosen[i];
        }
    }
    return kept;
}

/* Forces on all rows; not IL_OK: none keep them. */
static int find_forces(il_observer *o)
{
    il_window *const w = &o->window;
    const int64_t all = rows_of(o);
    int64_t *const answered = w->chosen + all;
    int64_t count = 0;
    memset(w->force, 0, (size_t)all * sizeof *w->force);
    memset(answered, 0, (size_t)all * sizeof *answered);
    for (int64_t round = 0; round < 3 * all; round++) {
        const int64_t worst = worst_row(o, count);
        if (worst < 0) {
            return IL_OK;
        }
        if (!answered[worst]) {
            find_answer(o, worst);
            answered[worst] = 1;
        }
        w->chosen[count++] = worst;
        for (int reached = 0; !reached && count > 0;) {
            if (solve_chosen(o, count)) {
                return IL_OUT_OF_BOUNDS;
            }
            count = go_towards_trial(o, count, &reached);
        }
    }
    return IL_OUT_OF_BOUNDS;
}

int il_horizon_keep_bounds(il_observer *o)
{
    il_window *const w = &o->window;
    int violated = 0;
    if (o->bound_count > 0 && o->choices > 0) {
        return IL_LOOP_OPEN; /* bounds are those of the coordinates that it began with */
    }
    find_lack(o);
    for (int64_t r = 0; r < rows_of(o) && !violated; r++) {
        violated = w->lack[r] > 0.0;
    }
    if (!violated) {
        return IL_OK;
    }
    const int status = find_forces(o);
    for (int64_t r = 0; r < rows_of(o) && status == IL_OK; r++) {
        w->pull[place_of(o, r)] += bound_of(o, r)->side * w->force[r];
    }
    il_horizon_smooth(o, 1);
    return status;
}
