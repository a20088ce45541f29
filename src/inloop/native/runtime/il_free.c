/* Tables of a choice made at run time; see il_free.h. */
#include "il_free.h"

#include <math.h>

enum { PIECE = 16, LINE = 64 }; /* bytes */

il_choice il_free_choice(const il_mode_row *row)
{
    const il_choice *first = &row->choices[0];
    return (il_choice){
        .driven = first->driven,
        .independent_count = first->independent_count,
        .dependent_count = first->dependent_count,
        .row_count = first->row_count,
        .driven_count = first->driven_count,
        .prepare = row->prepare_terms,
        .rates = il_reduction_rates,
        .expand = il_reduction_expand,
        .settle = il_reduction_settle,
        .pivots = il_reduction_pivots,
    };
}

il_free *il_lay_out_free(il_arena *from, const il_mode_row *row, const double *pre)
{
    const il_choice *first = &row->choices[0];
    const int64_t m = first->dependent_count, nu = first->independent_count;
    const il_mechanism mechanism = {row->terms, pre, row->units, row->row_sizes, row->roles, m};
    il_free *const made = il_take(from, 1, sizeof *made, PIECE);
    int64_t *const dependent = il_take(from, m, sizeof *dependent, PIECE);
    int64_t *const independent = il_take(from, nu, sizeof *independent, PIECE);
    int64_t *const rows = il_take(from, m, sizeof *rows, PIECE);
    void *const memory = il_take(from, 1, il_reduction_measure(&mechanism), LINE);
    if (made == NULL) {
        return NULL;
    }
    *made = (il_free){il_free_choice(row), dependent, independent, rows,
                      il_reduction_place(&mechanism, memory)};
    made->choice.dependent = dependent;
    made->choice.independent = independent;
    made->choice.rows = rows;
    for (int64_t k = 0; k < m; k++) {
        dependent[k] = first->dependent[k];
        rows[k] = first->rows[k];
    }
    for (int64_t k = 0; k < nu; k++) {
        independent[k] = first->independent[k];
    }
    il_free_put_back(made);
    return made;
}

void il_free_adopt(il_free *f)
{
    const il_partition *found = &f->reduction->choice;
    for (int32_t k = 0; k < found->m; k++) {
        f->dependent[k] = found->order[k];
        f->rows[k] = found->rows[k];
    }
    for (int32_t k = 0; k < found->nu; k++) {
        f->independent[k] = found->order[found->m + k];
    }
}

void il_free_put_back(il_free *f)
{
    const int64_t m = f->choice.dependent_count;
    const il_partition *next = &f->reduction->next; /* memory for the next one */
    for (int64_t k = 0; k < m; k++) {
        next->order[k] = (int32_t)f->dependent[k];
        next->rows[k] = (int32_t)f->rows[k];
    }
    for (int64_t k = 0; k < f->choice.independent_count; k++) {
        next->order[m + k] = (int32_t)f->independent[k];
    }
    il_reduction_take(f->reduction, m, next->order, next->rows);
}

/* ---- roles as an array of numbers ---- */

int64_t il_free_size(const il_mode_row *row)
{
    const il_choice *first = &row->choices[0];
    return row->terms ? 2 * first->dependent_count + first->independent_count : 0;
}

void il_tell_roles(const il_choice *choice, double *to)
{
    const int64_t m = choice->dependent_count, nu = choice->independent_count;
    for (int64_t k = 0; k < m; k++) {
        to[k] = (double)choice->dependent[k];
        to[m + nu + k] = (double)choice->rows[k];
    }
    for (int64_t k = 0; k < nu; k++) {
        to[m + k] = (double)choice->independent[k];
    }
}

/* indices below `end`, all different */
static int are_places(const double *from, int64_t count, int64_t end)
{
    for (int64_t k = 0; k < count; k++) {
        if (!(from[k] >= 0.0 && from[k] < (double)end && from[k] == floor(from[k]))) {
            return 0;
        }
        for (int64_t j = 0; j < k; j++) {
            if (from[j] == from[k]) {
                return 0;
            }
        }
    }
    return 1;
}

int il_free_makes_sense(const il_mode_row *row, const double *from)
{
    const il_choice *first = &row->choices[0];
    const int64_t free = first->dependent_count + first->independent_count;
    if (!are_places(from, free, row->n) ||
        !are_places(from + free, first->dependent_count, row->rows)) {
        return 0;
    }
    for (int64_t k = 0; k < free; k++) {
        if (row->roles[(int64_t)from[k]] == IL_DRIVEN) {
            return 0;
        }
    }
    return 1;
}

int il_free_take(il_free *f, const double *from)
{
    const int64_t m = f->choice.dependent_count, nu = f->choice.independent_count;
    int changes = 0;
    for (int64_t k = 0; k < m; k++) {
        const int64_t coordinate = (int64_t)from[k], row = (int64_t)from[m + nu + k];
        changes |= f->dependent[k] != coordinate || f->rows[k] != row;
        f->dependent[k] = coordinate;
        f->rows[k] = row;
    }
    for (int64_t k = 0; k < nu; k++) {
        changes |= f->independent[k] != (int64_t)from[m + k];
        f->independent[k] = (int64_t)from[m + k];
    }
    if (changes) {
        il_free_put_back(f);
    }
    return changes;
}
