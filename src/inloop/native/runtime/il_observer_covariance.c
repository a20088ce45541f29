/* The covariance of the next sample: extra states wander, then the plant carries all errors on.
 *
 * Extra states that lie side by side, as rates and copies of several unknowns do, are moved side by
 * side: a sample of lag costs little more than moving its numbers.
 */
#include "il_observer_parts.h"

#include <string.h>

/* ---- extra states ---- */

/* How many extra states up to the k-th are of one kind and point at neighbors as they are. */
static int64_t run_before(const il_observer *o, int64_t k)
{
    int64_t count = 1;
    while (k - count >= 0 && o->extras[k - count].kind == o->extras[k].kind &&
           o->extras[k - count].number == o->extras[k].number - count) {
        count++;
    }
    return count;
}

/* Copies: their rows and columns become those of what they copy, the last ones first. */
static void copy_in_P(il_observer *o)
{
    const int64_t size = o->size, own = size - o->extra_count;
    for (int64_t last = o->extra_count - 1; last >= 0; last--) {
        if (o->extras[last].kind != IL_COPY_OF_EXTRA) {
            continue;
        }
        const int64_t count = run_before(o, last), first = last - count + 1;
        const int64_t at = own + first, from = own + o->extras[first].number;
        memmove(o->P + at * size, o->P + from * size, (size_t)(count * size) * sizeof *o->P);
        for (double *row = o->P; row < o->P + size * size; row += size) {
            memmove(row + at, row + from, (size_t)count * sizeof *row);
        }
        last = first;
    }
}

/* A rate moves what it is the rate of: its row, then its column. */
static void follow_rate(il_observer *o, int64_t at, int64_t moves)
{
    const int64_t size = o->size;
    const double period = o->step * (double)o->substeps;
    il_add_row(size, o->P + moves * size, period, o->P + at * size);
    for (double *row = o->P; row < o->P + size * size; row += size) {
        row[moves] += period * row[at];
    }
}

static void fade(il_observer *o, int64_t at, double keeps)
{
    const int64_t size = o->size;
    il_scale(size, o->P + at * size, keeps);
    for (int64_t i = 0; i < size; i++) {
        o->P[i * size + at] *= keeps;
    }
}

void il_observer_wander_P(il_observer *o)
{
    const int64_t size = o->size, own = size - o->extra_count;
    copy_in_P(o);
    for (int64_t k = 0; k < o->extra_count; k++) {
        const il_extra *extra = &o->extras[k];
        if (extra->kind == IL_COPY_OF_EXTRA) {
            continue;
        }
        if (extra->kind == IL_RATE_OF_EXTRA) {
            follow_rate(o, own + k, own + extra->number);
        }
        if (extra->keeps != 1.0) {
            fade(o, own + k, extra->keeps);
        }
        o->P[(own + k) * size + own + k] += extra->wanders;
    }
}

/* ---- all errors ---- */

/* Row i of [F G] P, G by the extra states that act; they stand in the order of its columns. */
static void carry_row(const il_observer *o, int64_t i, double *out)
{
    const int64_t own = il_observed_states(o), size = o->size;
    const int64_t width = il_observer_columns(o), acting = width - o->pushed_count;
    const double *slopes = o->slopes + i * width;
    memset(out, 0, (size_t)size * sizeof *out);
    il_add_rows(size, out, own, slopes, o->P, size);
    for (int64_t k = 0, column = own; column < acting; k++) {
        if (o->extras[k].kind == IL_ADDS_TO_INPUT) {
            int64_t count = 1;
            while (k + count < o->extra_count && o->extras[k + count].kind == IL_ADDS_TO_INPUT) {
                count++;
            }
            il_add_rows(size, out, count, slopes + column, o->P + (own + k) * size, size);
            column += count;
            k += count;
        }
    }
}

/* [F G]', and of the columns of pushes S G'. */
static void turn_slopes(il_observer *o)
{
    const int64_t own = il_observed_states(o), width = il_observer_columns(o);
    const int64_t pushes = width - o->pushed_count;
    for (int64_t k = 0; k < width; k++) {
        const double factor = k < pushes ? 1.0 : o->push[k - pushes];
        for (int64_t i = 0; i < own; i++) {
            o->FT[k * own + i] = factor * o->slopes[i * width + k];
        }
    }
}

/* Row i of the corner of the plant's own states, from row i of [F G] P. */
static void close_corner(il_observer *o, int64_t i, const double *carried, double *out)
{
    const int64_t own = il_observed_states(o), width = il_observer_columns(o);
    const int64_t pushes = width - o->pushed_count;
    double *const left = o->delta;
    int64_t count = own;
    il_copy(left, carried, own);
    for (int64_t k = 0; count < pushes; k++) {
        if (o->extras[k].kind == IL_ADDS_TO_INPUT) {
            left[count++] = carried[own + k];
        }
    }
    memset(out, 0, (size_t)own * sizeof *out);
    il_add_rows(own, out, count, left, o->FT, own);
    il_add_rows(own, out, o->pushed_count, o->slopes + i * width + pushes, o->FT + pushes * own,
                own);
}

/* P = F P F' + G S G' + what moves the states by themselves; extra states have wandered. */
void il_observer_carry_P(il_observer *o)
{
    const int64_t own = il_observed_states(o), size = o->size;
    for (int64_t i = 0; i < own; i++) {
        carry_row(o, i, o->Y + i * size);
    }
    turn_slopes(o);
    for (int64_t i = 0; i < own; i++) {
        double *out = o->P + i * size;
        const double *carried = o->Y + i * size;
        close_corner(o, i, carried, out);
        il_copy(out + own, carried + own, o->extra_count);
    }
    for (int64_t k = own; k < size; k++) {
        for (int64_t i = 0; i < own; i++) {
            o->P[k * size + i] = o->Y[i * size + k];
        }
    }
    for (int64_t i = 0; i < own; i++) {
        for (int64_t j = 0; j < i; j++) {
            const double mean = 0.5 * (o->P[i * size + j] + o->P[j * size + i]);
            o->P[i * size + j] = o->P[j * size + i] = mean;
        }
        o->P[i * size + i] += o->moved[i];
    }
}
