/* Touches that are found come from one face to another: there the rates of velocities jump.
 *
 * Where a sphere has come to the edge of a face it turns about it, and its velocities along the motion
 * have a kink. Differences across it would tell of neither side. Five velocities show it: of a smooth
 * curve their fourth difference is much less than the second ones, of a kink it is not. Then those
 * of the side count that is not bent, of second order; where both are alike, those that follow. A
 * touch that is not there on one side has those of the other.
 */
#include "il_touching.h"

#include <math.h>

/* fourth differences of a kink, in parts of second ones; and what rounding leaves of them, in parts of
   the velocities that rows add up; and how near a kink is there, in parts of h */
static const double sharp = 0.1, rounding = 1e-14, here = 1e-6;

/* the side whose differences count */
enum { BEHIND = -1, BOTH, AHEAD };

void il_touching_note(il_touching *touching, int side)
{
    const int64_t *first = touching->contacts.table->first;

    for (int64_t i = 0; i < touching->count; i++) {
        const int there = touching->p.gap[i] < INFINITY;
        for (int64_t k = first[i]; k < first[i + 1]; k++) {
            touching->along[IL_ALONG * k + side + 2] = there ? touching->still[k] : (double)NAN;
        }
    }
}

/* The side of a contact that is not bent; v: velocities of the mechanism. */
static int straight_side(const il_touching *touching, int64_t i, const double *v)
{
    const int64_t n = touching->free.n, *first = touching->contacts.table->first;
    double fourth = 0.0, middle = 0.0, left = 0.0, right = 0.0, added = 0.0;

    for (int64_t k = first[i]; k < first[i + 1]; k++) {
        const double *u = touching->along + IL_ALONG * k;
        double sum = 0.0;
        for (int64_t j = 0; j < n; j++) {
            sum += fabs(touching->p.H[k * n + j] * v[j]);
        }
        if (isnan(u[3] + u[4])) {
            return BEHIND;
        }
        if (isnan(u[0] + u[1])) {
            return AHEAD;
        }
        added = fmax(added, sum);
        left = fmax(left, fabs(u[0] - 2.0 * u[1] + u[2]));
        middle = fmax(middle, fabs(u[1] - 2.0 * u[2] + u[3]));
        right = fmax(right, fabs(u[2] - 2.0 * u[3] + u[4]));
        fourth = fmax(fourth, fabs(u[0] - 4.0 * u[1] + 6.0 * u[2] - 4.0 * u[3] + u[4]));
    }
    const double second = fmax(middle, fmax(left, right));
    if (fourth <= fmax(sharp * second, rounding * added)) {
        return BOTH;
    }
    return right > left + here * middle ? BEHIND : AHEAD;
}

int il_touching_bend(il_touching *touching, const double *v, double h)
{
    const il_contact_table *table = &touching->table;
    int bends = 0;

    for (int64_t i = 0; i < touching->count; i++) {
        const int side = touching->modes[i] == IL_OPEN_CONTACT ? BOTH : straight_side(touching, i, v);
        bends |= side != BOTH;
        for (int64_t k = table->first[i]; side != BOTH && k < table->first[i + 1]; k++) {
            const double *u = touching->along + IL_ALONG * k + 2;
            const double slope = 4.0 * u[side] - 3.0 * u[0] - u[2 * side];
            touching->bias[k] = isfinite(slope) ? side * slope / (2.0 * h) : 0.0;
            touching->p.pushed[k] = touching->bias[k];
        }
    }
    return bends;
}
