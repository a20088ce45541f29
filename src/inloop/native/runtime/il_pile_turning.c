/* Rolling and drilling resistance in piles: moments that the normal impulse of a contact bounds; see
   il_pile_solver.h. */
#include <math.h>
#include <string.h>

#include "il_cone.h"
#include "il_pile_parts.h"

enum { SPIN = 2, ROUNDS = 3 }; /* the row of drilling; rounds between it and rolling */

/* moments over a length that moves less than this part of a contact have nothing that turns */
static const double negligible = 1e-20;

/* How easily they turn, in the mean of their rows; 0: they do not. */
static double ease(const il_pile_contact *moments, int spin)
{
    const double *W = moments->W;
    const double own = spin ? W[8] : 0.5 * (W[0] + W[4]);
    return own > negligible * moments[-1].weight ? own : 0.0;
}

static double bound_of(const il_pile_contact *moments)
{
    return fmax(0.0, moments[-1].r[0]);
}

/* x within a disc of the first two entries and a bound of the third. */
static void clip(double rolling, double spinning, double *x)
{
    const double length = sqrt(x[0] * x[0] + x[1] * x[1]);
    const double share = length > rolling ? rolling / length : 1.0;
    x[0] *= share;
    x[1] *= share;
    x[SPIN] = fmax(-spinning, fmin(spinning, x[SPIN]));
}

/* Friction whose normal impulse is known: `size` rows from `first` on. */
static void solve_disc(const il_pile_contact *moments, int first, int size, const double *b,
                       double *r)
{
    double W[IL_PILE_SQUARE] = {1.0}, q[IL_PILE_ROWS] = {-bound_of(moments)}, found[IL_PILE_ROWS];

    for (int k = 0; k < size; k++) {
        q[1 + k] = b[first + k];
        for (int j = 0; j < IL_PILE_ROWS; j++) {
            const double w = moments->W[IL_PILE_ROWS * (first + k) + j];
            if (j >= first && j < first + size) {
                W[(1 + k) * (1 + size) + 1 + j - first] = w;
            } else {
                q[1 + k] += w * r[j];
            }
        }
    }
    il_cone_solve(1 + size, 1.0, W, 1 + size, q, found);
    memcpy(r + first, found + 1, (size_t)size * sizeof *r);
}

void il_turning_visit(const il_pile_contact *moments, double *r)
{
    double b[IL_PILE_ROWS];

    memset(r, 0, IL_PILE_ROWS * sizeof *r);
    if (!(bound_of(moments) > 0.0)) {
        return;
    }
    for (int k = 0; k < IL_PILE_ROWS; k++) {
        const double *W = moments->W + IL_PILE_ROWS * k, *old = moments->r;
        b[k] = moments->u[k] - W[0] * old[0] - W[1] * old[1] - W[2] * old[2];
    }
    for (int round = 0; round < ROUNDS; round++) {
        if (ease(moments, 0) > 0.0) {
            solve_disc(moments, 0, SPIN, b, r);
        }
        if (ease(moments, 1) > 0.0) {
            solve_disc(moments, SPIN, 1, b, r);
        }
    }
}

double il_turning_deviation(const il_pile_contact *moments)
{
    const double bound = bound_of(moments), w[2] = {ease(moments, 0), ease(moments, 1)};
    double y[IL_PILE_ROWS], square = 0.0;

    for (int k = 0; k < IL_PILE_ROWS; k++) {
        y[k] = w[k == SPIN] * moments->r[k] - moments->u[k];
    }
    clip(w[0] * bound, w[1] * bound, y);
    for (int k = 0; k < IL_PILE_ROWS; k++) {
        /* as if they moved as easily as the contact does */
        const double own = w[k == SPIN], off = own * moments->r[k] - y[k];
        square += own > 0.0 ? moments[-1].weight / own * off * off : 0.0;
    }
    return square;
}

void il_turning_stretch(const il_pile_contact *moments, const double *u, double *r, double *D)
{
    const double per = moments->per, bound = moments->bound;
    double y[IL_PILE_ROWS];

    for (int k = 0; k < IL_PILE_ROWS; k++) {
        y[k] = moments->r[k] - (k == SPIN ? moments->per_spin : per) * u[k];
    }
    const double length = sqrt(y[0] * y[0] + y[1] * y[1]);
    const double share = length > bound ? bound / length : 1.0;
    memcpy(r, y, sizeof y);
    clip(bound, bound, r);
    if (!D) {
        return;
    }
    memset(D, 0, IL_PILE_SQUARE * sizeof *D);
    D[0] = D[4] = share * per;
    if (length > bound) {
        const double t1 = y[0] / length, t2 = y[1] / length;
        D[0] -= share * per * t1 * t1;
        D[4] -= share * per * t2 * t2;
        D[1] = D[3] = -share * per * t1 * t2;
    }
    D[8] = fabs(y[SPIN]) > bound ? 0.0 : moments->per_spin;
}

void il_turning_spring(il_pile_contact *moments, double softness)
{
    const double rolls = ease(moments, 0), drills = ease(moments, 1);

    moments->per = rolls > 0.0 ? 1.0 / (softness * rolls) : 0.0;
    moments->per_spin = drills > 0.0 ? 1.0 / (softness * drills) : 0.0;
    moments->bound = bound_of(moments);
}

void il_turning_bound(il_pile_contact *moments, double *r)
{
    const double bound = bound_of(moments);

    memcpy(r, moments->y, IL_PILE_ROWS * sizeof *r);
    clip(bound, bound, r);
}

void il_turning_rows(const il_pile *pile, const il_pile_parts *p, int64_t member, double sign,
                     double axes[3][IL_PILE_LANES], double H[IL_TREE_MOST][IL_PILE_LANES])
{
    const int64_t tree = pile->trees[member];
    const double rolling = sign * p->found[3], spinning = sign * p->found[4];

    if (tree < 0) {
        return;
    }
    const int64_t n = pile->first[tree + 1] - pile->first[tree];
    for (int64_t j = 0; j < n; j++) {
        const double *w = p->members[member].twist + 3 * n + j;
        for (int c = 0; c < 3; c++) {
            H[j][0] += rolling * w[c * n] * axes[c][1];
            H[j][1] += rolling * w[c * n] * axes[c][2];
            H[j][2] += spinning * w[c * n] * axes[c][0];
        }
    }
}
