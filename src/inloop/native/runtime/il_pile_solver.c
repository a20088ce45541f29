/* Sweeps and Newton's method for an island; see il_pile_solver.h. */
#include "il_pile_solver.h"

#include <math.h>
#include <string.h>

#include "il_cone.h"
#include "il_pile_matrix.h"

enum {
    FIRST_SWEEPS = 2,  /* before Newton's method */
    NEWTON_VISITS = 6, /* what a step of it costs, in solutions of each contact alone */
    BALANCING = 6,     /* steps until springs must be in balance with masses */
    EASY = 4,          /* they were so in fewer: springs may be harder */
    SPRINGS = 60       /* visits of each contact, from which on small islands are better off dense */
};

/* compliance of springs in parts of w, at first, and how it changes */
static const double cold_softness = 1.0, warm_softness = 1e-2, least_softness = 1e-5;
static const double first_hardening = 0.05, softening = 10.0;

/* springs are in balance if less than this part of the deviation is left; where time does not matter */
static const double balanced = 1.0, well_balanced = 0.03, spare = 0.1;

void il_island_velocity(const il_island *island, il_pile_contact *contact)
{
    double sum[IL_PILE_LANES];

    for (int k = 0; k < IL_PILE_LANES; k++) {
        sum[k] = contact->c[k] + contact->soft * contact->r[k];
    }
    for (int side = 0; side < 2; side++) {
        if (contact->tree[side] < 0) {
            continue;
        }
        const double *v = island->v + contact->tree[side] * IL_TREE_MOST;
        for (int j = 0; j < IL_TREE_MOST; j++) {
            for (int k = 0; k < IL_PILE_LANES; k++) {
                sum[k] += contact->H[side][j][k] * v[j];
            }
        }
    }
    memcpy(contact->u, sum, sizeof sum);
}

/* Let a contact have the impulse `r`, and velocities follow. */
static void change_impulse(const il_island *island, il_pile_contact *contact, const double *r)
{
    for (int side = 0; side < 2; side++) {
        if (contact->tree[side] < 0) {
            continue;
        }
        double *v = island->v + contact->tree[side] * IL_TREE_MOST;
        for (int k = 0; k < IL_PILE_ROWS; k++) {
            const double more = r[k] - contact->r[k];
            for (int j = 0; j < IL_TREE_MOST; j++) {
                v[j] += contact->Y[side][k][j] * more;
            }
        }
    }
    memcpy(contact->r, r, IL_PILE_ROWS * sizeof *r);
}

/* How far a contact is from a solution, squared [m^2/s^2]. */
static double deviation(const il_pile_contact *contact)
{
    double y[IL_PILE_ROWS], square = 0.0;

    (void)il_cone_map(IL_PILE_ROWS, contact->mu, contact->weight, contact->r, contact->u, y);
    for (int k = 0; k < IL_PILE_ROWS; k++) {
        const double off = contact->weight * contact->r[k] - y[k];
        square += off * off;
    }
    return square;
}

/* Velocities of all contacts, and the largest deviation from a solution [m/s]. */
static double judge(const il_island *island)
{
    double worst = 0.0;

    for (int64_t i = 0; i < island->count; i++) {
        il_pile_contact *contact = island->contacts + island->members[i];
        il_island_velocity(island, contact);
        const double square = contact->turns ? il_turning_deviation(contact) : deviation(contact);
        /* NaN is the worst */
        worst = square <= worst ? worst : square;
    }
    return sqrt(worst);
}

/* One contact solved exactly while the others stay. */
static void visit(const il_island *island, il_pile_contact *contact)
{
    double b[IL_PILE_ROWS], r[IL_PILE_ROWS];

    il_island_velocity(island, contact);
    if (contact->turns) {
        il_turning_visit(contact, r);
        change_impulse(island, contact, r);
        return;
    }
    for (int k = 0; k < IL_PILE_ROWS; k++) {
        const double *W = contact->W + IL_PILE_ROWS * k;
        b[k] = contact->u[k] - W[0] * contact->r[0] - W[1] * contact->r[1] - W[2] * contact->r[2];
    }
    il_cone_solve(IL_PILE_ROWS, contact->mu, contact->W, IL_PILE_ROWS, b, r);
    change_impulse(island, contact, r);
}

/* All contacts, there and back: what is below learns of what is above, and the other way round. */
static void sweep(const il_island *island)
{
    for (int64_t i = 0; i < island->count; i++) {
        visit(island, island->contacts + island->members[i]);
    }
    for (int64_t i = island->count - 1; i >= 0; i--) {
        visit(island, island->contacts + island->members[i]);
    }
}

/* Velocities that belong to impulses, from nothing: no error is left of what was tried. */
static void find_velocities(const il_island *island)
{
    for (int64_t k = 0; k < island->tree_count; k++) {
        const int64_t at = island->trees[k] * IL_TREE_MOST;
        memcpy(island->v + at, island->free + at, IL_TREE_MOST * sizeof *island->v);
    }
    for (int64_t i = 0; i < island->count; i++) {
        il_pile_contact *contact = island->contacts + island->members[i];
        double r[IL_PILE_ROWS];
        memcpy(r, contact->r, sizeof r);
        memset(contact->r, 0, sizeof contact->r);
        change_impulse(island, contact, r);
    }
}

/* Judge, and keep the impulses if they are the best so far. */
static double compare(const il_island *island, double *best)
{
    const double off = judge(island);

    if (off < *best || !(*best < INFINITY)) {
        *best = off;
        for (int64_t i = 0; i < island->count; i++) {
            il_pile_contact *contact = island->contacts + island->members[i];
            memcpy(contact->best, contact->r, sizeof contact->best);
        }
    }
    return off;
}

/* Judge the impulses of springs; springs go on from them. */
static void compare_springs(const il_island *island, double *best)
{
    for (int64_t k = 0; k < island->tree_count; k++) {
        memcpy(island->dv + k * IL_TREE_MOST, island->v + island->trees[k] * IL_TREE_MOST,
               IL_TREE_MOST * sizeof *island->dv);
    }
    for (int64_t i = 0; i < island->count; i++) {
        il_pile_contact *contact = island->contacts + island->members[i];
        memcpy(contact->r, contact->y, IL_PILE_ROWS * sizeof *contact->r);
        if (contact->turns) {
            /* the contact before has its new force already */
            il_turning_bound(contact, contact->r);
        }
    }
    find_velocities(island);
    (void)compare(island, best);
    for (int64_t k = 0; k < island->tree_count; k++) {
        memcpy(island->v + island->trees[k] * IL_TREE_MOST, island->dv + k * IL_TREE_MOST,
               IL_TREE_MOST * sizeof *island->dv);
    }
}

/* Not 0: it begins with impulses. */
static int is_warm(const il_island *island)
{
    int64_t i = 0;
    while (i < island->count && island->contacts[island->members[i]].r[0] == 0.0) {
        i++;
    }
    return i < island->count;
}

/* Go back to the best impulses, with the velocities that belong to them. */
static void take_best(const il_island *island)
{
    for (int64_t i = 0; i < island->count; i++) {
        il_pile_contact *contact = island->contacts + island->members[i];
        memcpy(contact->r, contact->best, sizeof contact->best);
    }
    find_velocities(island);
}

/* Not 0: go on. Where time does not matter a tenth of the tolerance is looked for, so that the next steps
   begin within it. */
static int is_worth_more(const il_island_effort *effort, double best, double before)
{
    if (effort->patient && best <= effort->tolerance) {
        return best > spare * effort->tolerance && best < before;
    }
    return best > effort->tolerance;
}

/* Harder and harder springs, until impulses are found or no more than so much work is left. */
static void harden(const il_island *island, il_island_effort *effort, int64_t least, double *softness,
                   double *best)
{
    const double part = effort->patient ? well_balanced : balanced;
    double hardening = first_hardening, before = INFINITY;

    while (is_worth_more(effort, *best, before) && effort->work > least) {
        before = *best;
        il_springs_begin(island, *softness);
        /* no more than what is left, so that a step ends in time */
        const int64_t left = 1 + effort->work / (NEWTON_VISITS * island->count);
        const int most = left < BALANCING ? (int)left : BALANCING;
        const int steps = il_springs_balance(island, part * *best, most);
        effort->work -= NEWTON_VISITS * island->count * (1 + (steps < 0 ? most : steps));
        compare_springs(island, best);
        if (steps >= 0) {
            *softness = steps < EASY ? fmax(least_softness, hardening * *softness) : *softness;
        } else if (!(*best < before)) {
            /* too hard to balance from so far away */
            *softness *= softening;
            hardening = sqrt(hardening);
            take_best(island);
            sweep(island);
            compare(island, best);
        }
    }
    take_best(island);
}

double il_island_solve(const il_island *island, il_island_effort *effort)
{
    double best = INFINITY, softness = is_warm(island) ? warm_softness : cold_softness;

    compare(island, &best);
    if (best <= effort->tolerance) {
        return best;
    }
    for (int k = 0; k < FIRST_SWEEPS; k++) {
        sweep(island);
    }
    compare(island, &best);
    effort->work -= 2 * FIRST_SWEEPS * island->count;
    if (best <= effort->tolerance) {
        take_best(island);
        return best;
    }
    il_island_arrange(island);
    const int small = island->count <= IL_DENSE_MOST;
    const int64_t least = small ? effort->work - SPRINGS * island->count : 0;
    harden(island, effort, least > 0 ? least : 0, &softness, &best);
    if (best > effort->tolerance && small && effort->newtons > 0) {
        effort->newtons -= il_island_dense(island, effort->tolerance, effort->speed, island->dense);
        find_velocities(island);
        compare(island, &best);
        take_best(island);
    }
    if (best > effort->tolerance && effort->patient) {
        harden(island, effort, 0, &softness, &best);
    }
    return best;
}
