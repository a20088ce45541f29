/* Sweeps and Newton's method for an island; see il_pile_solver.h. */
#include "il_pile_solver.h"

#include <math.h>
#include <string.h>

#include "il_cone.h"
#include "il_pile_matrix.h"

enum {
    FIRST_SWEEPS = 2,  /* before Newton's method */
    NEWTON_VISITS = 5, /* what a step of it costs, in solutions of each contact alone */
    BALANCING = 6,     /* steps until springs must be in balance with masses */
    EASY = 4,          /* they were so in fewer: springs may be harder */
    MOST_WAYS = 6,     /* lengths of a step that are tried */
    SPRINGS = 60       /* visits of each contact, from which on small islands are better off dense */
};

/* compliance of springs in parts of w, at first, and how it changes */
static const double cold_softness = 1.0, warm_softness = 1e-2, least_softness = 1e-5;
static const double hardening = 0.2, softening = 10.0;

/* springs are in balance if less than this part of the deviation is left */
static const double balanced = 0.03;

/* u = H v + R r + c of a contact */
static void find_velocity(const il_island *island, il_pile_contact *contact)
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
        find_velocity(island, contact);
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

    find_velocity(island, contact);
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

/* Where the spring of a contact leads at velocity u: impulse r, and how that changes with u (D, if it
   is wanted). Friction has a bound that does not depend on u: so springs have an energy. */
static void stretch(const il_pile_contact *contact, const double *u, double *r, double *D)
{
    const double per = contact->per;
    double y[IL_PILE_ROWS];

    if (contact->turns) {
        il_turning_stretch(contact, u, r, D);
        return;
    }
    for (int k = 0; k < IL_PILE_ROWS; k++) {
        y[k] = contact->r[k] - per * u[k];
    }
    const double length = sqrt(y[1] * y[1] + y[2] * y[2]);
    const double share = length > contact->bound ? contact->bound / length : 1.0;
    r[0] = y[0] > 0.0 ? y[0] : 0.0;
    r[1] = share * y[1];
    r[2] = share * y[2];
    if (!D) {
        return;
    }
    memset(D, 0, IL_PILE_SQUARE * sizeof *D);
    D[0] = y[0] > 0.0 ? per : 0.0;
    D[4] = D[8] = share * per;
    if (length > contact->bound) {
        /* a contact that slips answers across its slip alone */
        const double t1 = y[1] / length, t2 = y[2] / length;
        D[4] -= share * per * t1 * t1;
        D[8] -= share * per * t2 * t2;
        D[5] = D[7] = -share * per * t1 * t2;
    }
}

/* What is left of M (v - v_f) = H^T r(v), as dv; velocities u and r(v), as y, go with it. */
static void find_imbalance(const il_island *island)
{
    for (int64_t k = 0; k < island->tree_count; k++) {
        const int64_t at = island->trees[k] * IL_TREE_MOST;
        const double *M = island->M + at * IL_TREE_MOST;
        double *to = island->dv + k * IL_TREE_MOST;
        memset(to, 0, IL_TREE_MOST * sizeof *to);
        for (int j = 0; j < IL_TREE_MOST; j++) {
            const double change = island->free[at + j] - island->v[at + j];
            for (int i = 0; i < IL_TREE_MOST; i++) {
                to[i] += M[IL_TREE_MOST * j + i] * change;
            }
        }
    }
    for (int64_t i = 0; i < island->count; i++) {
        il_pile_contact *contact = island->contacts + island->members[i];
        find_velocity(island, contact);
        stretch(contact, contact->u, contact->y, NULL);
        for (int side = 0; side < 2; side++) {
            if (contact->tree[side] < 0) {
                continue;
            }
            double *to = island->dv + island->position[contact->tree[side]] * IL_TREE_MOST;
            for (int j = 0; j < IL_TREE_MOST; j++) {
                const double *H = contact->H[side][j], *r = contact->y;
                to[j] += H[0] * r[0] + H[1] * r[1] + H[2] * r[2];
            }
        }
    }
}

/* The same as the largest velocity that it would change [m/s]. */
static double imbalance(const il_island *island)
{
    double most = 0.0;

    for (int64_t k = 0; k < island->tree_count; k++) {
        const double *M = island->M + island->trees[k] * IL_TREE_MOST * IL_TREE_MOST;
        for (int j = 0; j < IL_TREE_MOST; j++) {
            most = fmax(most, fabs(island->dv[k * IL_TREE_MOST + j]) / M[(IL_TREE_MOST + 1) * j]);
        }
    }
    return most;
}

/* du = H dv of a contact */
static void find_change(const il_island *island, il_pile_contact *contact)
{
    memset(contact->du, 0, sizeof contact->du);
    for (int side = 0; side < 2; side++) {
        if (contact->tree[side] < 0) {
            continue;
        }
        const double *dv = island->dv + island->position[contact->tree[side]] * IL_TREE_MOST;
        for (int j = 0; j < IL_TREE_MOST; j++) {
            for (int k = 0; k < IL_PILE_LANES; k++) {
                contact->du[k] += contact->H[side][j][k] * dv[j];
            }
        }
    }
}

/* How the energy of masses and springs changes along dv: that of masses is a line, `mass` and
   `mass_rate`. */
static double slope_at(const il_island *island, double mass, double mass_rate, double way)
{
    double sum = mass + way * mass_rate;

    for (int64_t i = 0; i < island->count; i++) {
        const il_pile_contact *contact = island->contacts + island->members[i];
        double u[IL_PILE_ROWS], r[IL_PILE_ROWS];
        for (int k = 0; k < IL_PILE_ROWS; k++) {
            u[k] = contact->u[k] + way * contact->du[k];
        }
        stretch(contact, u, r, NULL);
        sum -= r[0] * contact->du[0] + r[1] * contact->du[1] + r[2] * contact->du[2];
    }
    return sum;
}

/* How far to go along dv: to where the energy is least, nearly. It is convex, so the slope has one root
   (false position; Illinois). */
static double find_way(const il_island *island)
{
    double mass = 0.0, rate = 0.0;

    for (int64_t k = 0; k < island->tree_count; k++) {
        const int64_t at = island->trees[k] * IL_TREE_MOST;
        const double *M = island->M + at * IL_TREE_MOST, *dv = island->dv + k * IL_TREE_MOST;
        for (int j = 0; j < IL_TREE_MOST; j++) {
            const double change = island->v[at + j] - island->free[at + j];
            for (int i = 0; i < IL_TREE_MOST; i++) {
                mass += dv[i] * M[IL_TREE_MOST * j + i] * change;
                rate += dv[i] * M[IL_TREE_MOST * j + i] * dv[j];
            }
        }
    }
    for (int64_t i = 0; i < island->count; i++) {
        find_change(island, island->contacts + island->members[i]);
    }
    const double first = slope_at(island, mass, rate, 0.0);
    double low = 0.0, high = 1.0, slope_low = first, slope_high = slope_at(island, mass, rate, 1.0);
    double way = 1.0, slope = slope_high;
    for (int k = 0; k < MOST_WAYS && slope_high > 0.0 && fabs(slope) > 0.2 * fabs(first); k++) {
        way = high - slope_high * (high - low) / (slope_high - slope_low);
        slope = slope_at(island, mass, rate, way);
        if (slope > 0.0) {
            high = way;
            slope_high = slope;
            slope_low *= 0.5;
        } else {
            low = way;
            slope_low = slope;
            slope_high *= 0.5;
        }
    }
    return way;
}

/* One step of Newton's method for v, from the imbalance; not 0: the matrix is singular. */
static int newton(const il_island *island)
{
    il_island_clear(island);
    for (int64_t i = 0; i < island->count; i++) {
        const il_pile_contact *contact = island->contacts + island->members[i];
        double r[IL_PILE_ROWS], D[IL_PILE_SQUARE];
        stretch(contact, contact->u, r, D);
        if (D[0] > 0.0 || D[4] > 0.0 || D[8] > 0.0) {
            il_island_add(island, contact, D);
        }
    }
    if (il_island_factor(island)) {
        return 1;
    }
    const double way = find_way(island);
    for (int64_t k = 0; k < island->tree_count; k++) {
        for (int j = 0; j < IL_TREE_MOST; j++) {
            island->v[island->trees[k] * IL_TREE_MOST + j] +=
                way * island->dv[k * IL_TREE_MOST + j];
        }
    }
    return 0;
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

/* Springs in balance with masses, as well as `enough` [m/s], in at most so many steps; returns those that
   were needed, or -1 if they were not enough. */
static int balance_springs(const il_island *island, double enough, int most)
{
    find_imbalance(island);
    for (int k = 0; k < most; k++) {
        const double left = imbalance(island);
        if (left <= enough) {
            return k;
        }
        if (newton(island)) {
            return -1;
        }
        find_imbalance(island);
    }
    return imbalance(island) <= enough ? most : -1;
}

/* Let springs begin from impulses r, with this compliance. */
static void set_springs(const il_island *island, double softness)
{
    for (int64_t i = 0; i < island->count; i++) {
        il_pile_contact *contact = island->contacts + island->members[i];
        if (contact->turns) {
            il_turning_spring(contact, softness);
            continue;
        }
        contact->per = 1.0 / (softness * contact->weight + contact->soft);
        contact->bound = contact->mu * fmax(contact->r[0], 0.0);
    }
}

/* Judge the impulses of springs with friction for the force that presses now; springs go on. */
static double compare_springs(const il_island *island, double *best)
{
    for (int64_t k = 0; k < island->tree_count; k++) {
        memcpy(island->dv + k * IL_TREE_MOST, island->v + island->trees[k] * IL_TREE_MOST,
               IL_TREE_MOST * sizeof *island->dv);
    }
    for (int64_t i = 0; i < island->count; i++) {
        il_pile_contact *contact = island->contacts + island->members[i];
        const double *y = contact->y, most = contact->mu * y[0];
        if (contact->turns) {
            /* the contact before has its new force already */
            il_turning_bound(contact, contact->r);
            continue;
        }
        const double length = sqrt(y[1] * y[1] + y[2] * y[2]);
        const double share = length > most ? most / length : 1.0;
        contact->r[0] = y[0];
        contact->r[1] = share * y[1];
        contact->r[2] = share * y[2];
    }
    find_velocities(island);
    const double off = compare(island, best);
    for (int64_t i = 0; i < island->count; i++) {
        il_pile_contact *contact = island->contacts + island->members[i];
        memcpy(contact->r, contact->y, IL_PILE_ROWS * sizeof *contact->r);
    }
    for (int64_t k = 0; k < island->tree_count; k++) {
        memcpy(island->v + island->trees[k] * IL_TREE_MOST, island->dv + k * IL_TREE_MOST,
               IL_TREE_MOST * sizeof *island->dv);
    }
    return off;
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

/* Harder and harder springs, until impulses are found or no more than so much work is left. */
static void harden(const il_island *island, il_island_effort *effort, int64_t least, double *softness,
                   double *best)
{
    while (*best > effort->tolerance && effort->work > least) {
        set_springs(island, *softness);
        /* no more than what is left, so that a step ends in time */
        const int64_t left = 1 + effort->work / (NEWTON_VISITS * island->count);
        const int most = left < BALANCING ? (int)left : BALANCING;
        const int steps = balance_springs(island, balanced * *best, most);
        effort->work -= NEWTON_VISITS * island->count * (1 + (steps < 0 ? most : steps));
        if (steps >= 0) {
            compare_springs(island, best);
            *softness = steps < EASY ? fmax(least_softness, hardening * *softness) : *softness;
        } else {
            /* too hard to balance from so far away */
            *softness *= softening;
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
