/* Islands of a pile: found by unions of trees, solved one after the other; see il_pile.h. */
#include "il_pile_parts.h"

#include <math.h>
#include <string.h>

/* what a step may spend in all islands, and in each beside its share: solutions of single contacts */
enum { MOST_WORK = 6200, LEAST_WORK = 100, MOST_NEWTONS = 40 };

/* what il_pile_shift.c takes, in the same unit */
enum { SHIFT_VISITS = 3 };

/* a beginning without any impulses to start from is worth more; by contact where there are many */
enum { AT_FIRST = 16, EACH_AT_FIRST = 1000 };

/* the same by contact where time does not matter */
enum { PATIENCE = 4000 };

/* contacts of an island that is solved before the large ones: it leaves most of its share to them */
enum { SMALL = 24 };

/* residual that is looked for, in the loop and where time does not matter; more than this part of the
   energy that is exchanged is a gain that is worth another solution */
static const double tolerance = 1e-7, patient_tolerance = 1e-9;

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
            sum.square += 0.5 * r * (end - free + touch->spring * r);
            sum.stored += 0.5 * touch->spring * touch->memory[k] * touch->memory[k];
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

/* What masses and the spring of a contact gain through some of its rows. */
static double gained_by(const il_pile_contact *contact, const il_pile_touch *touch, int first, int end)
{
    double sum = 0.0;

    for (int k = first; k < end; k++) {
        const double r = contact->r[k], memory = touch->memory[k];
        const double after = contact->u[k] - contact->c[k] - contact->soft * r;
        sum += 0.5 * r * (touch->begun[k] + after);
        sum += 0.5 * touch->spring * (r * r - memory * memory);
    }
    return sum;
}

/* Let a spring that begins to be loaded give way twice as far, u = -2 R (r - r_before): it moves with the
   mean of the velocities before and after, and so takes at least as much from masses as it stores. */
static int relax_spring(il_pile_contact *contact, const il_pile_touch *touch)
{
    const double more = 2.0 * touch->spring - contact->soft;

    if (!(more > 0.0)) {
        return 0;
    }
    contact->soft += more;
    contact->weight += more;
    for (int k = 0; k < IL_PILE_ROWS; k++) {
        contact->W[(IL_PILE_ROWS + 1) * k] += more;
        contact->c[k] -= more * touch->memory[k];
    }
    return 1;
}

/* Let contacts that gain do so no more: friction opposes the mean of the velocities before and after,
   springs give way farther, and hits take no restitution if `dull`. Not 0: something has changed. */
static int stop_gains(const il_island *island, il_pile_touch *touches, int dull)
{
    int changed = 0;

    for (int64_t i = 0; i < island->count; i++) {
        il_pile_contact *contact = island->contacts + island->members[i];
        il_pile_touch *touch = touches + island->members[i];
        const int friction = contact->turns ? 0 : 1; /* its first row */
        const double pressed = gained_by(contact, touch, 0, friction);
        const double rubbed = gained_by(contact, touch, friction, IL_PILE_ROWS);
        if (rubbed > 0.0 && !touch->opposed) {
            touch->opposed = changed = 1;
            for (int k = friction; k < IL_PILE_ROWS; k++) {
                contact->c[k] += touch->begun[k];
            }
        }
        if (rubbed > 0.0 || pressed > 0.0) {
            changed |= relax_spring(contact, touch);
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

static int has_hits(const il_island *island, const il_pile_touch *touches)
{
    int64_t i = 0;
    while (i < island->count && touches[island->members[i]].deed != IL_PILE_HITS) {
        i++;
    }
    return i < island->count;
}

/* Impulses of an island that add no energy, to v; returns the residual. */
static double settle(const il_island *island, const il_pile_parts *p, il_island_effort *effort)
{
    const double speed = speed_of(island, p->touches);

    if (!(speed > 0.0)) {
        return speed;
    }
    const double wanted = effort->patient ? patient_tolerance : tolerance;
    effort->tolerance = wanted * speed;
    effort->speed = speed;
    if (!effort->patient && has_hits(island, p->touches)) {
        effort->work -= SHIFT_VISITS * island->count;
    }
    double off = il_island_solve(island, effort);
    balance energy = weigh_energy(island, p->touches, speed);
    for (int dull = 0; dull < 2; dull++) {
        if (gained(&energy) + fmax(0.0, energy.lifted) <= wanted * energy.exchanged ||
            !stop_gains(island, p->touches, dull)) {
            continue;
        }
        off = il_island_solve(island, effort);
        energy = weigh_energy(island, p->touches, speed);
    }
    if (gained(&energy) <= 0.0) {
        il_island_shift(island, p, effort, gained(&energy));
    } else {
        const double half = 0.5 * energy.linear / energy.square;
        const double share =
            fmax(0.0, -half + sqrt(half * half + energy.stored / energy.square));
        scale_impulses(island, p->free, share);
        off = fmax(off, (1.0 - share) * speed);
    }
    return off / speed;
}

/* Any tree of a contact. */
static int64_t tree_of(const il_pile_contact *contact)
{
    return contact->tree[0] < 0 ? contact->tree[1] : contact->tree[0];
}

/* Number the islands that have contacts, in the order of their first trees, and count what is in them:
   `position` of a tree that stands for others is the number of its island, or -1. */
static int64_t number_islands(const il_pile *pile, const il_pile_parts *p)
{
    int64_t islands = 0;

    for (int64_t k = 0; k < pile->tree_count; k++) {
        p->position[k] = -1;
    }
    for (int64_t i = 0; i < *p->count; i++) {
        p->position[root_of(p->parent, tree_of(p->contacts + i))] = 0;
    }
    for (int64_t k = 0; k < pile->tree_count; k++) {
        if (p->position[k] == 0) {
            p->ends[2 * islands] = p->ends[2 * islands + 1] = 0;
            p->position[k] = islands++;
        }
    }
    for (int64_t i = 0; i < *p->count; i++) {
        p->ends[2 * p->position[root_of(p->parent, tree_of(p->contacts + i))]]++;
    }
    for (int64_t k = 0; k < pile->tree_count; k++) {
        const int64_t island = p->position[root_of(p->parent, k)];
        if (island >= 0) {
            p->ends[2 * island + 1]++;
        }
    }
    return islands;
}

/* Contacts of each island behind each other, then of the next; trees alike. Returns the number of
   islands. */
static int64_t sort_islands(const il_pile *pile, const il_pile_parts *p)
{
    const int64_t islands = number_islands(pile, p);
    int64_t begin[2] = {0, 0};

    /* where each begins, then ends, as it is filled */
    for (int64_t k = 0; k < 2 * islands; k++) {
        const int64_t size = p->ends[k];
        p->ends[k] = begin[k % 2];
        begin[k % 2] += size;
    }
    for (int64_t i = 0; i < *p->count; i++) {
        const int64_t root = root_of(p->parent, tree_of(p->contacts + i));
        p->order[p->ends[2 * p->position[root]]++] = i;
    }
    for (int64_t k = 0; k < pile->tree_count; k++) {
        const int64_t island = p->position[root_of(p->parent, k)];
        if (island >= 0) {
            p->tree_order[p->ends[2 * island + 1]++] = k;
        }
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
        .pattern = p->pattern,
        .blocks = p->blocks,
        .dv = p->dv,
        .free = p->free,
        .dense = p->dense,
    };
}

/* What all islands may spend together. */
static int64_t most_work(const il_pile_parts *p)
{
    const int64_t each = EACH_AT_FIRST * *p->count;
    if (!p->fresh) {
        return MOST_WORK;
    }
    return each > AT_FIRST * MOST_WORK ? each : AT_FIRST * MOST_WORK;
}

void il_pile_solve(const il_pile *pile, const il_pile_parts *p, int patient)
{
    const int64_t most = most_work(p);
    il_island_effort effort = {.newtons = MOST_NEWTONS, .patient = patient};

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
            if (patient) {
                effort.work = PATIENCE * island.count;
                effort.newtons = MOST_NEWTONS;
            }
            const double residual = settle(&island, p, &effort);
            /* NaN is the worst */
            p->told[0] = residual <= p->told[0] ? p->told[0] : residual;
        }
    }
}
