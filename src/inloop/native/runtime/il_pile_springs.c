/* Springs in place of contacts, and their balance with masses; see il_pile_solver.h. */
#include <math.h>
#include <string.h>

#include "il_pile_matrix.h"
#include "il_pile_solver.h"

enum { MOST_WAYS = 6 }; /* lengths of a step that are tried */

/* How stretch changes with y_t where a contact slips, by tangent: the spring answers across its slip
   alone. */
static void slip(double per, double share, double t1, double t2, double *D)
{
    D[4] = share * per * (1.0 - t1 * t1);
    D[8] = share * per * (1.0 - t2 * t2);
    D[5] = D[7] = -share * per * t1 * t2;
}

/* Where the spring of a contact leads at velocity u: impulse r, and how that changes with u (D, if it
   is wanted). Friction is bounded by the normal impulse, and changes with it where it slips. */
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
    r[0] = y[0] > 0.0 ? y[0] : 0.0;
    const double bound = contact->mu * r[0], square = y[1] * y[1] + y[2] * y[2];
    const int slips = square > bound * bound;
    const double length = slips ? sqrt(square) : 0.0, share = slips ? bound / length : 1.0;
    r[1] = share * y[1];
    r[2] = share * y[2];
    if (!D) {
        return;
    }
    memset(D, 0, IL_PILE_SQUARE * sizeof *D);
    D[0] = r[0] > 0.0 ? per : 0.0;
    D[4] = D[8] = share * per;
    if (slips) {
        slip(per, share, y[1] / length, y[2] / length, D);
        D[3] = contact->mu * D[0] * y[1] / length;
        D[6] = contact->mu * D[0] * y[2] / length;
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
        il_island_velocity(island, contact);
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

/* What is left along dv of the balance of masses and springs: that of masses is a line, `mass` and
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

/* How far to go along dv: to where nothing is left along it, nearly (false position; Illinois). Without
   friction that is where the energy of masses and springs, which is convex, is least. */
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
    for (int k = 0; k < MOST_WAYS && first < 0.0 && slope_high > 0.0 && fabs(slope) > 0.2 * fabs(first);
         k++) {
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

/* Not 0: the friction of a spring follows its normal impulse. */
static int slips_with_friction(const il_pile_contact *contact)
{
    const double t1 = contact->r[1] - contact->per * contact->u[1];
    const double t2 = contact->r[2] - contact->per * contact->u[2];
    const double bound = contact->mu * contact->y[0];

    return !contact->turns && bound > 0.0 && t1 * t1 + t2 * t2 > bound * bound;
}

/* Add what springs change to the matrix: those of contacts that slip with friction, which make it
   unsymmetric, or all others. Returns how many of the former there are. */
static int64_t add_springs(const il_island *island, int skew)
{
    int64_t found = 0;

    for (int64_t i = 0; i < island->count; i++) {
        const il_pile_contact *contact = island->contacts + island->members[i];
        double r[IL_PILE_ROWS], D[IL_PILE_SQUARE];
        const int slips = slips_with_friction(contact);
        found += slips;
        if (slips != skew || (!contact->turns && contact->y[0] == 0.0)) {
            continue;
        }
        stretch(contact, contact->u, r, D);
        if (skew) {
            il_island_add_skew(island, contact, D);
        } else {
            il_island_add(island, contact, D);
        }
    }
    return found;
}

/* One step of Newton's method for v, from the imbalance; not 0: the matrix has no such factors. */
static int newton(const il_island *island)
{
    il_island_clear(island);
    const int skew = add_springs(island, 0) > 0;
    if (skew) {
        il_island_mirror(island);
        (void)add_springs(island, 1);
    }
    if (il_island_factor(island, skew)) {
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

int il_springs_balance(const il_island *island, double enough, int most)
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

void il_springs_begin(const il_island *island, double softness)
{
    for (int64_t i = 0; i < island->count; i++) {
        il_pile_contact *contact = island->contacts + island->members[i];
        if (contact->turns) {
            il_turning_spring(contact, softness);
            continue;
        }
        contact->per = 1.0 / (softness * contact->weight + contact->soft);
    }
}
