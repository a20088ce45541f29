/* Which members of a pile may touch: those whose boxes overlap; see il_pile.h.
 *
 * A grid of cells as wide as the widest box: what overlaps is in cells beside each other. Each
 * member is in the cell of its middle, and cells share about as many lists as there are members (a
 * hash). A few members that are much wider than the others, and those without an end, are compared
 * with all. Pairs come in the order of their numbers, so that nothing depends on the grid but time.
 */
#include <math.h>
#include <string.h>

#include "il_pile_parts.h"

/* members up to which all are compared with all: that is faster for so few */
enum { FEW = 128 };

/* a box that is so many times wider than the mean is one of the few */
static const double wide = 3.0;

int il_pile_is_endless(const il_shape *shape)
{
    return shape->kind == IL_PLANE || shape->kind == IL_GROUND;
}

static int64_t lists(int64_t members)
{
    int64_t count = 1;
    while (count < members) {
        count *= 2;
    }
    return count;
}

/* cells, members by list, where lists begin, which members are few, those, and what is near one */
int64_t il_pile_near_integers(int64_t members)
{
    return 7 * members + lists(members) + 2;
}

typedef struct grid {
    int64_t *cells, *items, *begins, *is_few, *few, *near;
    int64_t *few_count;
    int64_t count, lists;
} grid;

static grid grid_of(const il_pile *pile, const il_pile_parts *p)
{
    const int64_t count = pile->member_count;
    grid g = {.cells = p->near, .count = count, .lists = lists(count)};

    g.items = g.cells + 3 * count;
    g.begins = g.items + count;
    g.is_few = g.begins + g.lists + 1;
    g.few = g.is_few + count;
    g.near = g.few + count;
    g.few_count = g.near + count;
    return g;
}

/* Not 0: the boxes around two members overlap. */
static int overlap(const il_pile *pile, const il_pile_parts *p, int64_t i, int64_t j)
{
    const il_pile_member *a = p->members + i, *b = p->members + j;

    if (pile->trees[i] == pile->trees[j]) {
        return 0;
    }
    if (il_pile_is_endless(pile->shapes + i) || il_pile_is_endless(pile->shapes + j)) {
        return 1;
    }
    return a->low[0] <= b->high[0] && b->low[0] <= a->high[0] && a->low[1] <= b->high[1] &&
           b->low[1] <= a->high[1] && a->low[2] <= b->high[2] && b->low[2] <= a->high[2];
}

static double width(const il_pile_member *member)
{
    return fmax(member->high[0] - member->low[0],
                fmax(member->high[1] - member->low[1], member->high[2] - member->low[2]));
}

static int64_t list_of(const grid *g, int64_t x, int64_t y, int64_t z)
{
    /* Teschner et al. 2003, Optimized Spatial Hashing for Collision Detection */
    const uint64_t mixed =
        (uint64_t)x * 73856093u ^ (uint64_t)y * 19349663u ^ (uint64_t)z * 83492791u;
    return (int64_t)(mixed & (uint64_t)(g->lists - 1));
}

/* Width of a cell: of the widest box that is not one of the few, which are told. */
static double choose_cells(const il_pile *pile, const il_pile_parts *p, const grid *g)
{
    double mean = 0.0, widest = 0.0;
    int64_t bounded = 0;

    for (int64_t k = 0; k < g->count; k++) {
        if (!il_pile_is_endless(pile->shapes + k)) {
            mean += width(p->members + k);
            bounded++;
        }
    }
    *g->few_count = 0;
    mean /= bounded > 0 ? (double)bounded : 1.0;
    for (int64_t k = 0; k < g->count; k++) {
        const double size = width(p->members + k);
        g->is_few[k] = il_pile_is_endless(pile->shapes + k) || !(size <= wide * mean);
        g->few[*g->few_count] = k;
        *g->few_count += g->is_few[k];
        widest = g->is_few[k] ? widest : fmax(widest, size);
    }
    /* what rounding may make of it, as far as cells are counted */
    return widest * (1.0 + 1e-6);
}

/* Number of a cell along an axis; far away all are in one, and what is NaN touches nothing. */
static int64_t cell_at(double x, double size)
{
    const double most = 1e9, number = floor(x / size);
    return number == number ? (int64_t)fmax(-most, fmin(most, number)) : 0;
}

void il_pile_sort(const il_pile *pile, const il_pile_parts *p)
{
    const grid g = grid_of(pile, p);
    if (g.count <= FEW) {
        return;
    }
    const double size = choose_cells(pile, p, &g);

    /* a counting sort by list */
    memset(g.begins, 0, (size_t)(g.lists + 1) * sizeof *g.begins);
    for (int64_t k = 0; k < g.count; k++) {
        int64_t *const cell = g.cells + 3 * k;
        if (g.is_few[k]) {
            continue;
        }
        for (int axis = 0; axis < 3; axis++) {
            const il_pile_member *member = p->members + k;
            cell[axis] = cell_at(0.5 * (member->low[axis] + member->high[axis]), size);
        }
        g.begins[list_of(&g, cell[0], cell[1], cell[2])]++;
    }
    for (int64_t k = 0; k < g.lists; k++) {
        g.begins[k + 1] += g.begins[k];
    }
    g.begins[g.lists] = g.begins[g.lists - 1];
    /* each list is filled from its end, which is then where it begins */
    for (int64_t k = g.count - 1; k >= 0; k--) {
        const int64_t *cell = g.cells + 3 * k;
        if (!g.is_few[k]) {
            g.items[--g.begins[list_of(&g, cell[0], cell[1], cell[2])]] = k;
        }
    }
}

/* Add a member behind those with smaller numbers. */
static void insert(int64_t *near, int64_t count, int64_t j)
{
    while (count > 0 && near[count - 1] > j) {
        near[count] = near[count - 1];
        count--;
    }
    near[count] = j;
}

/* Members of a cell that are near member i. */
static int64_t look_into(const il_pile *pile, const il_pile_parts *p, const grid *g, int64_t i,
                         const int64_t *cell, int64_t found)
{
    const int64_t list = list_of(g, cell[0], cell[1], cell[2]);

    for (int64_t k = g->begins[list]; k < g->begins[list + 1]; k++) {
        const int64_t j = g->items[k], *own = g->cells + 3 * j;
        if (j > i && own[0] == cell[0] && own[1] == cell[1] && own[2] == cell[2] &&
            overlap(pile, p, i, j)) {
            insert(g->near, found++, j);
        }
    }
    return found;
}

int64_t il_pile_near(const il_pile *pile, const il_pile_parts *p, int64_t i, const int64_t **near)
{
    const grid g = grid_of(pile, p);
    int64_t found = 0;

    *near = g.near;
    if (g.count <= FEW || g.is_few[i]) {
        for (int64_t j = i + 1; j < g.count; j++) {
            g.near[found] = j;
            found += overlap(pile, p, i, j);
        }
        return found;
    }
    for (int64_t k = 0; k < *g.few_count; k++) {
        g.near[found] = g.few[k];
        found += g.few[k] > i && overlap(pile, p, i, g.few[k]);
    }
    for (int side = 0; side < 27; side++) {
        const int64_t *own = g.cells + 3 * i;
        const int64_t cell[3] = {own[0] + side % 3 - 1, own[1] + side / 3 % 3 - 1,
                                 own[2] + side / 9 - 1};
        found = look_into(pile, p, &g, i, cell, found);
    }
    return found;
}
