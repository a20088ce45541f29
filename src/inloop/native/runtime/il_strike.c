/* Where what a step knows of hard contacts is in their memory; see il_strike.h. */
#include "il_strike.h"

#include "il_pile.h"
#include "il_touching.h"

#include <string.h>

static int64_t found_size(const il_contact_table *table, int64_t n)
{
    return 4 * table->count + table->first[table->count] * (1 + n) + n * n +
           table->meeting_count * (IL_POSE_SIZE + IL_TWIST_ROWS * (n + 1) + IL_LENGTHS);
}

/* Numbers in which the touches of contacts that are found are kept through a step. */
static int64_t memory_size(const il_contact_table *table)
{
    const int64_t numbers = (int64_t)(sizeof(il_touch_memory) / sizeof(double));
    return table->meeting_count > 0 ? table->count * numbers : 0;
}

int64_t il_contacts_work(const il_contact_table *table, int64_t n)
{
    if (table->pile) {
        return il_pile_work(table->pile);
    }
    const int64_t rows = table->first[table->count], width = n + table->states;
    return 2 * (rows + 1) + 2 * (memory_size(table) + found_size(table, n)) +
           rows * (n + width + rows) +
           14 * rows + 2 * table->count + width + il_contact_work_size(table->count, rows) +
           il_touching_work(table, n);
}

int64_t il_contacts_integers(const il_contact_table *table)
{
    return table->pile ? il_pile_integers(table->pile)
                       : 8 * table->count + 1 + il_touching_integers(table);
}

/* Where numbers are in what `rows` has found. */
static void point_into(il_strike_parts *p, double *found, const il_contact_table *table, int64_t n)
{
    const int64_t count = table->count, rows = table->first[count];

    p->found = p->gap = found;
    p->mu = p->gap + count;
    p->e = p->mu + count;
    p->soft = p->e + count;
    p->w = found + 4 * count;
    p->H = p->w + rows;
    p->M = p->H + rows * n;
    p->meetings = p->M + n * n;
}

il_strike_parts il_strike_before(const il_contact_table *table, const il_strike *strike,
                                 const il_strike_parts *p)
{
    il_strike_parts before = *p;

    before.memory = p->memory_before;
    memcpy(before.memory, p->memory, (size_t)memory_size(table) * sizeof(double));
    point_into(&before, p->found_before, table, strike->n);
    return before;
}

il_strike_parts il_strike_split(const il_contacts *contacts, const il_strike *strike)
{
    const int64_t n = strike->n;
    const il_contact_table *table = contacts->table;
    const int64_t count = table->count, rows = table->first[count];
    il_strike_parts p = {.given = contacts->work, .acting = contacts->chosen};

    p.kept = p.given + rows + 1;
    p.memory = (il_touch_memory *)(p.kept + rows + 1);
    point_into(&p, p.kept + rows + 1 + memory_size(table), table, n);
    p.memory_before = (il_touch_memory *)(p.found + found_size(table, n));
    p.found_before = p.found + found_size(table, n) + memory_size(table);
    p.acting_H = p.found_before + found_size(table, n);
    p.width = strike->respond ? n + table->states : n;
    p.Y = p.acting_H + rows * n;
    p.W = p.Y + rows * p.width;
    p.u = p.W + rows * rows;
    p.pushed = p.u + rows;
    p.q = p.pushed + rows;
    p.r = p.q + rows;
    p.R = p.r + rows;
    p.begun = p.R + rows;
    p.squeezed = p.begun + rows;
    p.apart = p.squeezed + rows;
    p.w_before = p.apart + rows;
    p.w_after = p.w_before + rows;
    p.sum = p.w_after + rows;
    p.moved = p.sum + rows;
    p.own_mu = p.moved + rows;
    p.gap_before = p.own_mu + count;
    p.turned = p.gap_before + count;
    p.back = p.turned + rows;
    p.change = p.back + rows;
    p.solver = p.change + p.width;
    p.first = p.acting + count;
    p.struck = p.first + count + 1;
    p.deeds = p.struck + count;
    p.pressed = p.deeds + count;
    p.opposed = p.pressed + count;
    p.turning = p.opposed + count;
    p.when = 1.0;
    return p;
}
