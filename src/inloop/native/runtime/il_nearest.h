/* The nearest points of two convex cores, and the direction in which they overlap least. Not for
 * users.
 *
 * Both look at the set of all differences x_B - x_A, whose distance from the origin is that of the
 * cores: from outside by simplices that come ever nearer (Gilbert, Johnson & Keerthi 1988,
 * doi:10.1109/56.2083), from inside by a polytope that grows where it is nearest (van den Bergen
 * 2001). Both are bounded, without allocation.
 */
#ifndef IL_NEAREST_H
#define IL_NEAREST_H

#include "il_solid.h"

typedef struct il_nearest {
    double on_a[3], on_b[3]; /* points of the cores [m] */
    double normal[3];        /* unit vector from a to b */
    double distance;         /* of the cores along it; negative where they overlap [m] */
} il_nearest;

/* A difference of points, and the points. */
typedef struct il_difference {
    double w[3], a[3], b[3];
} il_difference;

/* The farthest difference along a direction. */
static inline il_difference il_farthest_difference(const il_solid *a, const il_solid *b,
                                                   const double *direction)
{
    const double back[3] = {-direction[0], -direction[1], -direction[2]};
    il_difference found;

    il_solid_farthest(a, back, found.a);
    il_solid_farthest(b, direction, found.b);
    for (int k = 0; k < 3; k++) {
        found.w[k] = found.b[k] - found.a[k];
    }
    return found;
}

/* Cores that are apart by more than `touching` [m]. Not 0: they are not. */
int il_nearest_apart(const il_solid *a, const il_solid *b, double touching, il_nearest *found);

/* Cores that overlap or touch: the normal of the face of differences that is nearest to the origin,
   to `tolerance` [m]; of those that are apart, one along which they are apart. Not 0: there is
   none, because all differences lie on a line. */
int il_nearest_within(const il_solid *a, const il_solid *b, double tolerance, il_nearest *found);

#endif
