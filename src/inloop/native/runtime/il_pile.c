/* A step of a pile: memory, velocities by tree, states; see il_pile.h. */
#include "il_pile_parts.h"

#include <math.h>
#include <string.h>

#include "il_cholesky.h"

enum { SQUARE = IL_TREE_MOST * IL_TREE_MOST };

/* Numbers that some structures take. */
static int64_t room(int64_t count, size_t size)
{
    return (count * (int64_t)size + (int64_t)sizeof(double) - 1) / (int64_t)sizeof(double);
}

static int64_t size_of_tree(const il_pile *pile, int64_t tree)
{
    return pile->first[tree + 1] - pile->first[tree];
}

int64_t il_pile_found(const il_pile *pile)
{
    int64_t sum = IL_PILE_NUMBERS;

    for (int64_t k = 0; k < pile->member_count; k++) {
        sum += 12 + (pile->trees[k] < 0 ? 0 : 6 * size_of_tree(pile, pile->trees[k]));
    }
    for (int64_t k = 0; k < pile->tree_count; k++) {
        sum += size_of_tree(pile, k) * size_of_tree(pile, k);
    }
    return sum;
}

int64_t il_pile_work(const il_pile *pile)
{
    const int64_t trees = pile->tree_count;
    return IL_PILE_HEAD + room(il_pile_capacity(pile), sizeof(il_pile_contact)) +
           room(il_pile_capacity(pile), sizeof(il_pile_touch)) + il_pile_found(pile) +
           trees * (2 * SQUARE + 5 * IL_TREE_MOST) +
           room(pile->member_count, sizeof(il_pile_member)) + il_island_numbers(trees) +
           il_island_dense_work();
}

int64_t il_pile_integers(const il_pile *pile)
{
    return 1 + 5 * pile->tree_count + il_island_pattern(pile->tree_count) +
           il_pile_capacity(pile) + il_pile_near_integers(pile->member_count);
}

il_pile_parts il_pile_split(const il_pile *pile, double *work, int64_t *integers)
{
    const int64_t trees = pile->tree_count, vectors = trees * IL_TREE_MOST;
    il_pile_parts p = {.told = work, .count = integers};

    for (int64_t k = 0; k < trees; k++) {
        p.size = size_of_tree(pile, k) > p.size ? size_of_tree(pile, k) : p.size;
    }

    p.contacts = (il_pile_contact *)(p.told + IL_PILE_HEAD);
    double *next = p.told + IL_PILE_HEAD + room(il_pile_capacity(pile), sizeof(il_pile_contact));
    p.touches = (il_pile_touch *)next;
    p.found = next + room(il_pile_capacity(pile), sizeof(il_pile_touch));
    p.M = p.found + il_pile_found(pile);
    p.inverse = p.M + trees * SQUARE;
    p.before = p.inverse + trees * SQUARE;
    p.free = p.before + vectors;
    p.v = p.free + vectors;
    p.shift = p.v + vectors;
    p.dv = p.shift + vectors;
    p.members = (il_pile_member *)(p.dv + vectors);
    p.blocks = p.dv + vectors + room(pile->member_count, sizeof(il_pile_member));
    p.dense = p.blocks + il_island_numbers(trees);
    p.parent = integers + 1;
    p.position = p.parent + trees;
    p.pattern = p.position + trees;
    p.tree_order = p.pattern + il_island_pattern(trees);
    p.ends = p.tree_order + trees;
    p.order = p.ends + 2 * trees;
    p.near = p.order + il_pile_capacity(pile);
    return p;
}

/* The mass matrix of a tree and its inverse, L^-T L^-1 with M = L L^T; what it has no velocities for
   has a mass of 1. Not 0: it is not positive definite. */
static int invert(int64_t n, const double *masses, double *M, double *inverse)
{
    double L[SQUARE], part[SQUARE];

    memset(M, 0, SQUARE * sizeof *M);
    memset(inverse, 0, SQUARE * sizeof *inverse);
    for (int64_t i = 0; i < IL_TREE_MOST; i++) {
        M[IL_TREE_MOST * i + i] = 1.0;
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            M[IL_TREE_MOST * i + j] = L[n * i + j] = masses[n * i + j];
        }
    }
    if (il_cholesky(n, L)) {
        return 1;
    }
    /* row j of `part` is column j of L^-1, from its diagonal on */
    for (int64_t j = 0; j < n; j++) {
        part[n * j + j] = L[n * j + j];
        for (int64_t i = j + 1; i < n; i++) {
            double sum = 0.0;
            for (int64_t k = j; k < i; k++) {
                sum += L[n * i + k] * part[n * j + k];
            }
            part[n * j + i] = -sum * L[n * i + i];
        }
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j <= i; j++) {
            double sum = 0.0;
            for (int64_t k = i; k < n; k++) {
                sum += part[n * i + k] * part[n * j + k];
            }
            inverse[IL_TREE_MOST * i + j] = inverse[IL_TREE_MOST * j + i] = sum;
        }
    }
    return 0;
}

/* Velocities and masses by tree. Not 0: a mass matrix is not positive definite. */
static int gather(const il_pile *pile, const double *v, const double *v_free, const il_pile_parts *p)
{
    const double *masses = p->found + il_pile_found(pile);

    for (int64_t k = 0; k < pile->tree_count; k++) {
        masses -= size_of_tree(pile, k) * size_of_tree(pile, k);
    }
    memset(p->before, 0, (size_t)(4 * pile->tree_count * IL_TREE_MOST) * sizeof *p->before);
    for (int64_t k = 0; k < pile->tree_count; k++) {
        const int64_t n = size_of_tree(pile, k), at = k * IL_TREE_MOST;
        const int64_t *velocities = pile->velocities + pile->first[k];
        for (int64_t j = 0; j < n; j++) {
            p->before[at + j] = v[velocities[j]];
            p->free[at + j] = p->v[at + j] = v_free[velocities[j]];
        }
        if (invert(n, masses, p->M + k * SQUARE, p->inverse + k * SQUARE)) {
            return 1;
        }
        masses += n * n;
    }
    return 0;
}

/* Impulses of the step before act at once. */
static void start_warm(const il_pile_parts *p)
{
    for (int64_t i = 0; i < *p->count; i++) {
        const il_pile_contact *contact = p->contacts + i;
        for (int side = 0; side < 2; side++) {
            for (int k = 0; k < IL_PILE_ROWS && contact->tree[side] >= 0; k++) {
                double *v = p->v + contact->tree[side] * IL_TREE_MOST;
                for (int j = 0; j < IL_TREE_MOST; j++) {
                    v[j] += contact->Y[side][k][j] * contact->r[k];
                }
            }
        }
    }
}

int il_pile_strike(const il_contacts *contacts, const il_strike *strike, double *x_new)
{
    const il_contact_table *table = contacts->table;
    const il_pile *pile = table->pile;
    il_pile_parts p = il_pile_split(pile, contacts->work, contacts->chosen);
    const int64_t n = strike->n;

    p.told[0] = 0.0;
    p.h = strike->h;
    p.fresh = strike->x[pile->place + IL_PILE_HEAD + IL_PILE_ROWS] == 0.0;
    *p.count = 0;
    const int status = table->rows(strike->context, strike->t + 0.5 * strike->h, strike->x_middle,
                                   p.found);
    if (status != IL_OK) {
        return status;
    }
    if (gather(pile, strike->x + n, x_new + n, &p)) {
        return IL_DIVERGED;
    }
    if (il_pile_meet(table, strike, &p)) {
        /* some contacts have no slot: what is found is no solution */
        p.told[0] = 1.0;
    }
    start_warm(&p);
    il_pile_solve(pile, &p, *contacts->patience != 0.0);
    for (int64_t k = 0; k < pile->tree_count; k++) {
        const int64_t *velocities = pile->velocities + pile->first[k];
        for (int64_t j = 0; j < size_of_tree(pile, k); j++) {
            x_new[velocities[j]] += strike->h * p.shift[k * IL_TREE_MOST + j];
            x_new[n + velocities[j]] = p.v[k * IL_TREE_MOST + j];
        }
    }
    return IL_OK;
}

double il_pile_tell(const il_contacts *contacts, double h, double *x_new)
{
    const il_pile *pile = contacts->table->pile;
    const il_pile_parts p = il_pile_split(pile, contacts->work, contacts->chosen);
    double *states = x_new + pile->place, *slot = states + IL_PILE_HEAD;
    double carrying = 0.0, hits = 0.0;

    for (int64_t i = 0; i < *p.count; i++) {
        const il_pile_contact *contact = p.contacts + i;
        if (contact->turns || !(contact->r[0] > 0.0)) {
            continue;
        }
        for (int k = 0; k < IL_PILE_ROWS; k++) {
            slot[k] = contact->r[k] / h;
        }
        slot[IL_PILE_ROWS] =
            p.touches[i].deed == IL_PILE_CLOSED ? p.touches[i].identity : -p.touches[i].identity;
        slot += IL_PILE_SLOT;
        carrying += 1.0;
        hits += p.touches[i].deed == IL_PILE_HITS ? 1.0 : 0.0;
    }
    const int64_t left = states + IL_PILE_HEAD + IL_PILE_SLOT * pile->slots - slot;
    memset(slot, 0, (size_t)left * sizeof *slot);
    states[0] = p.told[0];
    states[1] = carrying;
    states[2] = hits;
    return p.told[0];
}
