/* Choice of independent coordinates, and monitoring of its pivots; see il_instance.h. */
#include "il_instance.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "il_finite.h"

/* x = (q, qd of independent coordinates, z, q of dependent ones, quaternions) */

void il_fit(il_active *active, const il_mode_row *row)
{
    const il_choice *c = active->choice;
    const int64_t nu = c->independent_count;
    for (int64_t k = 0; k < c->dependent_count; k++) {
        active->per_unit[k] = 1.0 / row->units[c->dependent[k]];
    }
    double *most = active->most;
    for (int64_t k = 0; k < nu; k++) {
        most[k] = row->most[c->independent[k]];
        most[nu + k] = row->most[row->n + c->independent[k]];
    }
    for (int64_t k = 0; k < row->states; k++) {
        most[2 * nu + k] = DBL_MAX;
    }
    for (int64_t k = 0; k < c->dependent_count; k++) {
        most[2 * nu + row->states + k] = row->most[c->dependent[k]];
    }
    for (int64_t k = 2 * nu + row->states + c->dependent_count; k < il_length_of_x(row); k++) {
        most[k] = 2.0; /* components of unit quaternions */
    }
    active->bounds = (il_bounds){most, 0};
}

/* ---- pivots ---- */

/* Badness of a reciprocal pivot: in units of its row and coordinate, if these are known. */
static double badness(const il_mode_row *row, double pivot, int64_t of_row, int64_t coordinate)
{
    const double size = fabs(pivot);
    return row->row_sizes ? size * row->row_sizes[of_row] / row->units[coordinate] : size;
}

/* Reciprocal pivots of a choice at a position; returns the worst, infinite if it is singular. */
static double worst_of(il_part *part, int64_t choice, double t, const double *q, double *pivots)
{
    il_active *active = &part->choices[choice];
    const il_choice *c = active->choice;
    double worst = 0.0;
    c->pivots(&active->look, t, q, pivots);
    if (!il_all_finite(pivots, c->dependent_count)) {
        return HUGE_VAL;
    }
    for (int64_t k = 0; k < c->dependent_count; k++) {
        worst = fmax(worst, badness(part->row, pivots[k], c->rows[k], c->dependent[k]));
    }
    return worst;
}

/* Let the reduction choose at a position; returns its worst pivot, infinite if there is no choice.
   The roles found are not yet those of the free choice. */
static double try_freely(il_part *part, double t, const double *q)
{
    il_active *active = &part->choices[part->row->choice_count];
    const il_partition *found = &part->free->reduction->choice;
    double worst = 0.0;
    if (il_reduction_choose(&active->look, t, q) != IL_OK) {
        return HUGE_VAL;
    }
    il_reduction_pivots(&active->look, t, q, part->pivots);
    if (!il_all_finite(part->pivots, found->m)) {
        return HUGE_VAL;
    }
    for (int32_t k = 0; k < found->m; k++) {
        const double pivot = part->pivots[k];
        worst = fmax(worst, badness(part->row, pivot, found->rows[k], found->order[k]));
    }
    return worst;
}

/* ---- another choice ---- */

/* Scales of the entries of x by coordinate: of q, then of those qd that x holds. Returns the ratio
   of velocities to positions [1/s], as a power of two: so the same scales come back, to the bit,
   with the same choice. */
static double note_sizes(const il_part *part)
{
    const il_choice *c = il_in_use(part)->choice;
    const int64_t nu = c->independent_count;
    const double *estimates = part->sizes + 2 * nu + part->row->states;
    double rate = 0.0;
    int power;
    for (int64_t k = 0; k < nu; k++) {
        part->lengths[c->independent[k]] = part->sizes[k];
        part->lengths[part->row->n + c->independent[k]] = part->sizes[nu + k];
        rate = fmax(rate, part->sizes[nu + k] / part->sizes[k]);
    }
    for (int64_t k = 0; k < c->dependent_count; k++) {
        part->lengths[c->dependent[k]] = estimates[k];
    }
    (void)frexp(rate, &power);
    return ldexp(1.0, power - 1);
}

static void sort_sizes(const il_part *part, double rate)
{
    const il_choice *c = il_in_use(part)->choice;
    const int64_t nu = c->independent_count;
    double *estimates = part->sizes + 2 * nu + part->row->states;
    for (int64_t k = 0; k < nu; k++) {
        const double *known = part->lengths + c->independent[k];
        const double speed = known[part->row->n];
        part->sizes[k] = known[0];
        part->sizes[nu + k] = speed > 0.0 ? speed : rate * known[0];
    }
    for (int64_t k = 0; k < c->dependent_count; k++) {
        estimates[k] = part->lengths[c->dependent[k]];
    }
}

static void change_to(il_part *part, int64_t choice)
{
    il_instance *instance = part->instance;
    const int64_t mode = part - instance->parts;
    part->choice = choice;
    instance->modes[mode].system = part->choices[choice].system;
    if (instance->machine.mode == mode) {
        (void)il_machine_init(&instance->machine); /* il_initialize has checked it */
    }
}

void il_use(il_part *part, int64_t choice)
{
    if (choice == part->choice) {
        change_to(part, choice);
        return;
    }
    const double rate = note_sizes(part);
    change_to(part, choice);
    sort_sizes(part, rate);
}

void il_use_roles(il_part *part, int64_t choice, const double *roles)
{
    const double rate = note_sizes(part);
    const int others = il_free_take(part->free, roles);
    const int same = choice == part->choice && (choice < part->row->choice_count || !others);
    il_fit(&part->choices[part->row->choice_count], part->row);
    change_to(part, choice);
    if (!same) {
        sort_sizes(part, rate);
    }
}

/* Use the roles found by the reduction. */
static void adopt(il_part *part)
{
    const int64_t free = part->row->choice_count;
    const double rate = note_sizes(part);
    il_free_adopt(part->free);
    il_fit(&part->choices[free], part->row);
    change_to(part, free);
    sort_sizes(part, rate);
}

void il_set_guard(il_part *part, double t, const double *q)
{
    il_active *active = il_in_use(part);
    if (!il_chooses(part)) {
        return;
    }
    (void)worst_of(part, part->choice, t, q, part->pivots);
    for (int64_t k = 0; k < active->choice->dependent_count; k++) {
        active->guard[k] = 1.0 / (IL_WORST_PIVOT * part->pivots[k]);
    }
    active->context.tolerance = IL_NEARLY_CLOSED;
    part->unguarded = 0;
}

void il_step_over(il_part *part)
{
    il_active *active = il_in_use(part);
    const size_t bytes = (size_t)active->choice->dependent_count * sizeof *active->guard;
    memset(active->guard, 0, bytes);
    /* near a singular position Newton converges more slowly: the remaining error is larger */
    active->context.tolerance = IL_CLOSED;
    part->unguarded = IL_STEPS_UNGUARDED;
}

int il_choose_freely(il_part *part, double t, const double *q)
{
    if (part->free == NULL) {
        return IL_LOOP_OPEN;
    }
    if (try_freely(part, t, q) >= HUGE_VAL) {
        il_free_put_back(part->free);
        return IL_LOOP_OPEN;
    }
    adopt(part);
    return IL_OK;
}

int il_grip(il_part *on, const il_view *state, double *qd)
{
    il_active *active = il_in_use(on);
    if (active->choice->redundant) {
        return il_redundant_grip(&active->look, state, qd);
    }
    il_active *const freely = on->free ? &on->choices[on->row->choice_count] : NULL;
    int useless = 0;
    if (freely) {
        useless = !(worst_of(on, on->choice, state->t, state->q, on->pivots) <= IL_USELESS);
    }
    if (useless && !(try_freely(on, state->t, state->q) <= IL_USELESS)) {
        il_free_put_back(on->free);
        return IL_LOOP_OPEN;
    }
    if (useless || active == freely) {
        il_reduction_grip(&freely->look, state, qd);
    } else {
        il_view view = *state;
        view.pre = active->pre_project;
        active->choice->project(&view, on->out);
        il_copy(qd, on->out, on->row->n);
    }
    if (useless) {
        il_free_put_back(on->free);
    }
    return IL_OK;
}

/* The compiled choice with the best pivots; the current one if others are not better. */
static int64_t best_compiled(il_part *part, double t, double now, double *least)
{
    int64_t best = part->choice;
    *least = best < part->row->choice_count ? now : HUGE_VAL;
    for (int64_t k = 0; k < part->row->choice_count; k++) {
        const double worst = k == part->choice ? now : worst_of(part, k, t, part->q, part->pivots);
        if (worst < *least) {
            best = k;
            *least = worst;
        }
    }
    return best;
}

int il_near_singular(il_part *part, double t)
{
    double least;
    if (!il_chooses(part)) {
        return 0;
    }
    const double now = worst_of(part, part->choice, t, part->q, part->pivots);
    (void)best_compiled(part, t, now, &least);
    least = fmin(least, now);
    if (least > IL_NEAR_SINGULAR && part->free) {
        least = fmin(least, try_freely(part, t, part->q));
        il_free_put_back(part->free);
    }
    return least > IL_NEAR_SINGULAR;
}

int il_misses_turn(il_part *part, double t, double step)
{
    const double worst = worst_of(part, part->choice, t, part->q, part->pivots);
    double speed = 0.0;
    for (int64_t k = 0; k < part->row->n; k++) {
        speed = fmax(speed, fabs(part->qd[k]) / part->row->units[k]);
    }
    return worst > IL_NEAR_SINGULAR && worst * speed * step > IL_TURN_MISSED;
}

int il_choose_better(il_part *part, double t)
{
    double least;
    if (!il_chooses(part)) {
        return 0;
    }
    const double now = worst_of(part, part->choice, t, part->q, part->pivots);
    const int64_t best = best_compiled(part, t, now, &least);
    int freely = 0;
    if (part->free) {
        const double found = IL_CLEARLY * try_freely(part, t, part->q);
        freely = found < least && found < now;
        if (!freely) {
            il_free_put_back(part->free);
        }
    }
    if (!freely && (best == part->choice || least >= now)) {
        return 0;
    }
    if (freely) {
        adopt(part);
    } else {
        il_use(part, best);
    }
    il_set_guard(part, t, part->q);
    return 1;
}
