/* Islands of a pile: found by unions of trees, solved one after the other; see il_pile.h. */
#include "il_pile_matrix.h"
#include "il_pile_parts.h"

#include <math.h>
#include <string.h>

/* what a step may spend in all islands, and in each beside its share: solutions of single contacts */
enum { MOST_WORK = 6500, LEAST_WORK = 100, MOST_NEWTONS = 40, AT_FIRST = 16 };

/* contacts of an island that is solved before the large ones: it leaves most of its share to them */
enum { SMALL = 24 };

/* residual that is looked for */
static const double tolerance = 1e-7;

/* more than this part of the energy that is exchanged is a gain that is worth another solution */
static const double gain = 1e-7;

/* The tree that stands for all that are joined to one. */
static int64_t root_of(int64_t *parent, int64_t tree)
{
    while (parent[tree] != tree) {
        parent[tree] = parent[parent[tree]];
        tree = parent[tree];
    }
    return tree;
}

static void join(const il_pile *pile, const il_pile_parts *p)
{
    for (int64_t k = 0; k < pile->tree_count; k++) {
        p->parent[k] = k;
    }
    for (int64_t i = 0; i < *p->count; i++) {
        const int64_t *tree = p->contacts[i].tree;
        if (tree[0] >= 0 && tree[1] >= 0) {
            const int64_t a = root_of(p->parent, tree[0]), b = root_of(p->parent, tree[1]);
            p->parent[a > b ? a : b] = a > b ? b : a;
        }
    }
}

/* A place of each tree along the axis on which those of an island are farthest apart: neighbors get
   numbers close to each other, which keeps the profile of Newton's matrix narrow. */
static void sort_trees(const il_pile_parts *p, int64_t *trees, int64_t count)
{
    int axis = 0;
    double widest = 0.0;

    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = 0; i < count; i++) {
            const double at = p->members[p->carriers[trees[i]]].p[k];
            low = fmin(low, at);
            high = fmax(high, at);
        }
        axis = high - low > widest ? k : axis;
        widest = fmax(widest, high - low);
    }
    for (int64_t i = 1; i < count; i++) {
        const int64_t moved = trees[i];
        const double place = p->members[p->carriers[moved]].p[axis];
        int64_t at = i;
        for (; at > 0 && p->members[p->carriers[trees[at - 1]]].p[axis] > place; at--) {
            trees[at] = trees[at - 1];
        }
        trees[at] = moved;
    }
}

/* The largest velocity that an island meets [m/s], by which its residual is measured. */
static double speed_of(const il_island *island, const il_pile_touch *touches)
{
    double most = 0.0;

    for (int64_t i = 0; i < island->count; i++) {
        const il_pile_touch *touch = touches + island->members[i];
        for (int k = 0; k < IL_PILE_ROWS; k++) {
            most = fmax(most, fabs(touch->begun[k]) + fabs(touch->pushed[k]));
        }
    }
    return most;
}

/* What contacts do with the energy of an island. */
typedef struct balance {
    double linear;    /* part of their work that grows with impulses */
    double square;    /* part that grows with their square, with the energy of springs */
    double stored;    /* energy of springs before */
    double lifted;    /* what the shift of hits adds */
    double exchanged; /* impulses times velocities */
} balance;

static balance weigh_energy(const il_island *island, const il_pile_touch *touches, double speed)
{
    balance sum = {0.0, 0.0, 0.0, 0.0, 0.0};

    for (int64_t i = 0; i < island->count; i++) {
        const il_pile_contact *contact = island->contacts + island->members[i];
        const il_pile_touch *touch = touches + island->members[i];
        for (int k = 0; k < IL_PILE_ROWS; k++) {
            const double r = contact->r[k], free = touch->begun[k] + touch->pushed[k];
            const double end = contact->u[k] - contact->c[k] - contact->soft * r;
            sum.linear += 0.5 * r * (touch->begun[k] + free);
            sum.square += 0.5 * r * (end - free + contact->soft * r);
            sum.stored += 0.5 * contact->soft * touch->memory[k] * touch->memory[k];
            sum.lifted -= (0.5 - touch->when) * r * touch->pushed[k];
            sum.exchanged += fabs(r) * speed;
        }
    }
    return sum;
}

/* What masses and springs have gained through contacts. */
static double gained(const balance *energy)
{
    return energy->linear + energy->square - energy->stored;
}

/* Let friction that would do work oppose the mean of the velocities before and after, and hits take no
   restitution if `dull`. Not 0: something has changed. */
static int stop_gains(const il_island *island, il_pile_touch *touches, int dull)
{
    int changed = 0;

    for (int64_t i = 0; i < island->count; i++) {
        il_pile_contact *contact = island->contacts + island->members[i];
        il_pile_touch *touch = touches + island->members[i];
        const int friction = contact->turns ? 0 : 1; /* its first row */
        double work = 0.0;
        for (int k = friction; k < IL_PILE_ROWS; k++) {
            const double end = contact->u[k] - contact->c[k] - contact->soft * contact->r[k];
            work += contact->r[k] * (touch->begun[k] + end);
        }
        if (work > 0.0 && !touch->opposed) {
            touch->opposed = changed = 1;
            for (int k = friction; k < IL_PILE_ROWS; k++) {
                contact->c[k] += touch->begun[k];
            }
        }
        if (dull && !contact->turns && touch->deed == IL_PILE_HITS && contact->c[0] < 0.0) {
            contact->c[0] = 0.0;
            changed = 1;
        }
    }
    return changed;
}

/* Velocities and impulses of an island with a part of its impulses. */
static void scale_impulses(const il_island *island, const double *free, double share)
{
    for (int64_t k = 0; k < island->tree_count; k++) {
        const int64_t at = island->trees[k] * IL_TREE_MOST;
        for (int j = 0; j < IL_TREE_MOST; j++) {
            island->v[at + j] = free[at + j] + share * (island->v[at + j] - free[at + j]);
        }
    }
    for (int64_t i = 0; i < island->count; i++) {
        il_pile_contact *contact = island->contacts + island->members[i];
        for (int k = 0; k < IL_PILE_ROWS; k++) {
            contact->r[k] *= share;
        }
    }
}

/* Add what hits move beside the mean of both velocities, over the step. */
static void shift_hits(const il_island *island, const il_pile_touch *touches, double *shift)
{
    for (int64_t i = 0; i < island->count; i++) {
        const il_pile_contact *contact = island->contacts + island->members[i];
        const double early = 0.5 - touches[island->members[i]].when;
        for (int side = 0; side < 2 && early != 0.0; side++) {
            for (int k = 0; k < IL_PILE_ROWS && contact->tree[side] >= 0; k++) {
                double *to = shift + contact->tree[side] * IL_TREE_MOST;
                for (int j = 0; j < IL_TREE_MOST; j++) {
                    to[j] += early * contact->r[k] * contact->Y[side][k][j];
                }
            }
        }
    }
}

/* Impulses of an island that add no energy, to v; returns the residual. */
static double settle(const il_island *island, const il_pile_parts *p, il_island_effort *effort)
{
    const double speed = speed_of(island, p->touches);

    if (!(speed > 0.0)) {
        return speed;
    }
    effort->tolerance = tolerance * speed;
    effort->speed = speed;
    double off = il_island_solve(island, effort);
    balance energy = weigh_energy(island, p->touches, speed);
    for (int dull = 0; dull < 2; dull++) {
        if (gained(&energy) + fmax(0.0, energy.lifted) <= gain * energy.exchanged ||
            !stop_gains(island, p->touches, dull)) {
            continue;
        }
        off = il_island_solve(island, effort);
        energy = weigh_energy(island, p->touches, speed);
    }
    if (gained(&energy) + energy.lifted <= 0.0) {
        shift_hits(island, p->touches, p->shift);
    } else if (gained(&energy) > 0.0) {
        const double half = 0.5 * energy.linear / energy.square;
        const double share =
            fmax(0.0, -half + sqrt(half * half + energy.stored / energy.square));
        scale_impulses(island, p->free, share);
        off = fmax(off, (1.0 - share) * speed);
    }
    return off / speed;
}

/* Contacts of each island behind each other, then of the next; trees alike. Returns the number of
   islands. */
static int64_t sort_islands(const il_pile *pile, const il_pile_parts *p)
{
    int64_t islands = 0, trees = 0, contacts = 0;

    for (int64_t root = 0; root < pile->tree_count; root++) {
        if (root_of(p->parent, root) != root) {
            continue;
        }
        const int64_t before = contacts;
        for (int64_t i = 0; i < *p->count; i++) {
            const int64_t *tree = p->contacts[i].tree;
            if (root_of(p->parent, tree[0] < 0 ? tree[1] : tree[0]) == root) {
                p->order[contacts++] = i;
            }
        }
        if (contacts == before) {
            continue;
        }
        for (int64_t k = root; k < pile->tree_count; k++) {
            if (root_of(p->parent, k) == root) {
                p->tree_order[trees++] = k;
            }
        }
        p->ends[2 * islands] = contacts;
        p->ends[2 * islands + 1] = trees;
        islands++;
    }
    return islands;
}

/* An island by its number. */
static il_island island_of(const il_pile_parts *p, int64_t k)
{
    const int64_t contact = k > 0 ? p->ends[2 * k - 2] : 0, tree = k > 0 ? p->ends[2 * k - 1] : 0;

    return (il_island){
        .contacts = p->contacts,
        .members = p->order + contact,
        .count = p->ends[2 * k] - contact,
        .trees = p->tree_order + tree,
        .tree_count = p->ends[2 * k + 1] - tree,
        .v = p->v,
        .M = p->M,
        .size = p->size,
        .position = p->position,
        .profile = p->profile,
        .blocks = p->blocks,
        .dv = p->dv,
        .free = p->free,
        .dense = p->dense,
    };
}

void il_pile_solve(const il_pile *pile, const il_pile_parts *p)
{
    /* a beginning without any impulses to start from is worth more */
    const int64_t most = MOST_WORK * (p->fresh ? AT_FIRST : 1);
    il_island_effort effort = {.newtons = MOST_NEWTONS};

    join(pile, p);
    const int64_t islands = sort_islands(pile, p);
    for (int large = 0; large < 2; large++) {
        for (int64_t k = 0; k < islands; k++) {
            const il_island island = island_of(p, k);
            if ((island.count > SMALL) != large) {
                continue;
            }
            /* each has its share, and what those before it have left */
            effort.work = (effort.work > 0 ? effort.work : 0) + LEAST_WORK +
                          most * island.count / *p->count;
            sort_trees(p, p->tree_order + (island.trees - p->tree_order), island.tree_count);
            il_island_arrange(&island);
            const double residual = settle(&island, p, &effort);
            /* NaN is the worst */
            p->told[0] = residual <= p->told[0] ? p->told[0] : residual;
        }
    }
}
