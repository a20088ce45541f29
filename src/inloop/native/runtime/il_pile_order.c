/* The order in which trees of an island are eliminated, and the blocks that this fills; see
 * il_pile_matrix.h.
 *
 * Minimum degree (Markowitz 1957; Tinney & Walker 1967, doi:10.1109/PROC.1967.6011): next comes the
 * tree that touches the fewest of those that are left, all of which touch each other from then on. Who
 * touches whom is a row of bits for each tree.
 */
#include "il_pile_matrix.h"

#include <string.h>

enum { BITS = 64 };

static int64_t words(int64_t trees)
{
    return (trees + BITS - 1) / BITS;
}

int64_t il_island_pattern(int64_t trees)
{
    return trees * words(trees) + 4 * trees + 1 + il_island_blocks(trees);
}

/* Where the parts of the pattern are: rows of bits; by place, which tree is there and how many it
   touches, and the place of each; then what il_pile_matrix.c reads. */
typedef struct parts {
    uint64_t *bits;
    int64_t *chosen, *degree, *place, *first, *columns;
} parts;

static parts parts_of(const il_island *island)
{
    const int64_t n = island->tree_count;
    parts p;

    p.first = island->pattern;
    p.columns = p.first + n + 1;
    p.chosen = p.columns + il_island_blocks(n);
    p.degree = p.chosen + n;
    p.place = p.degree + n;
    p.bits = (uint64_t *)(p.place + n);
    return p;
}

static int64_t count_bits(uint64_t x)
{
    x -= (x >> 1) & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + ((x >> 2) & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (int64_t)((x * UINT64_C(0x0101010101010101)) >> 56);
}

/* The next bit of a row from `at` on, or `end`. */
static int64_t next_bit(const uint64_t *row, int64_t at, int64_t end)
{
    while (at < end) {
        const uint64_t rest = row[at / BITS] >> (at % BITS);
        if (rest & 1) {
            return at;
        }
        at = rest ? at + 1 : (at / BITS + 1) * BITS;
    }
    return end;
}

static void flip(uint64_t *row, int64_t at)
{
    row[at / BITS] ^= UINT64_C(1) << (at % BITS);
}

static int64_t degree_of(const uint64_t *row, int64_t width)
{
    int64_t sum = 0;
    for (int64_t k = 0; k < width; k++) {
        sum += count_bits(row[k]);
    }
    return sum;
}

/* Who touches whom. */
static void find_neighbors(const il_island *island, const parts *p)
{
    const int64_t n = island->tree_count, width = words(n);

    memset(p->bits, 0, (size_t)(n * width) * sizeof *p->bits);
    for (int64_t i = 0; i < island->count; i++) {
        const int64_t *tree = island->contacts[island->members[i]].tree;
        if (tree[0] < 0 || tree[1] < 0) {
            continue;
        }
        const int64_t a = island->position[tree[0]], b = island->position[tree[1]];
        p->bits[a * width + b / BITS] |= UINT64_C(1) << (b % BITS);
        p->bits[b * width + a / BITS] |= UINT64_C(1) << (a % BITS);
    }
    for (int64_t k = 0; k < n; k++) {
        p->degree[k] = degree_of(p->bits + k * width, width);
    }
}

/* All that tree k touches touch each other; it is gone from their rows, and they stay in its own. */
static void eliminate(int64_t n, int64_t k, const parts *p)
{
    const int64_t width = words(n);
    const uint64_t *row = p->bits + k * width;

    for (int64_t i = next_bit(row, 0, n); i < n; i = next_bit(row, i + 1, n)) {
        uint64_t *other = p->bits + i * width;
        for (int64_t w = 0; w < width; w++) {
            other[w] |= row[w];
        }
        flip(other, i);
        flip(other, k);
        p->degree[i] = degree_of(other, width);
    }
}

static void choose_order(int64_t n, const parts *p)
{
    for (int64_t k = 0; k < n; k++) {
        p->place[k] = -1;
    }
    for (int64_t step = 0; step < n; step++) {
        int64_t best = -1;
        for (int64_t k = 0; k < n; k++) {
            if (p->place[k] < 0 && (best < 0 || p->degree[k] < p->degree[best])) {
                best = k;
            }
        }
        p->chosen[step] = best;
        p->place[best] = step;
        eliminate(n, best, p);
    }
}

/* Columns of row `step` by their new places, in order, the diagonal first; returns where they end. */
static int64_t write_row(int64_t n, int64_t step, const parts *p, int64_t at)
{
    const uint64_t *row = p->bits + p->chosen[step] * words(n);
    const int64_t begin = at + 1;

    p->columns[at++] = step;
    for (int64_t k = next_bit(row, 0, n); k < n; k = next_bit(row, k + 1, n)) {
        int64_t to = at++;
        for (; to > begin && p->columns[to - 1] > p->place[k]; to--) {
            p->columns[to] = p->columns[to - 1];
        }
        p->columns[to] = p->place[k];
    }
    return at;
}

void il_island_arrange(const il_island *island)
{
    const int64_t n = island->tree_count;
    const parts p = parts_of(island);

    for (int64_t k = 0; k < n; k++) {
        island->position[island->trees[k]] = k;
    }
    find_neighbors(island, &p);
    choose_order(n, &p);
    int64_t used = 0;
    for (int64_t step = 0; step < n; step++) {
        p.first[step] = used;
        used = write_row(n, step, &p, used);
    }
    p.first[n] = used;
    for (int64_t step = 0; step < n; step++) {
        p.chosen[step] = island->trees[p.chosen[step]];
    }
    for (int64_t step = 0; step < n; step++) {
        island->trees[step] = p.chosen[step];
        island->position[island->trees[step]] = step;
    }
}
