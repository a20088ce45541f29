/* A sphere on ground of triangles: the local minima of the distance of its center.
 *
 * A center that is on the ground or below it touches from inside: what is nearest to it says on which
 * side it is, faces by their normal, edges and corners by the normals around them, each weighted by
 * the angle of its triangle there (Baerentzen & Aanaes 2005, doi:10.1109/TVCG.2005.49). */
#include <string.h>

#include "il_ground.h"
#include "il_vector3.h"

/* squares of distances that are equal but for rounding, relatively */
static const double equal = 1e-11;

/* a center that is this near to the ground, in parts of its reach, is on it */
static const double on_it = 1e-9;

/* of the ground: BEYOND is below its plane where it ends */
enum side { OUTSIDE, INSIDE, BEYOND };

/* The closest point of a triangle. */
typedef struct candidate {
    const il_triangle *triangle;
    double closest[3];
    double height; /* of the center over the plane of the triangle [m] */
    double square; /* of the distance [m²] */
    int features;  /* corners of the feature: 1, 2 or 3 */
    int which[3];
} candidate;

/* All triangles that may touch. */
typedef struct gathered {
    candidate all[IL_TERRAIN_MOST];
    int64_t count;
    const double *center;
    double touching; /* squares that are no larger are those of a center on the ground [m²] */
    int below;       /* not 0: the center is below a face */
} gathered;

static int has_corner(const il_triangle *triangle, int64_t number)
{
    return triangle->numbers[0] == number || triangle->numbers[1] == number ||
           triangle->numbers[2] == number;
}

/* Not 0: the triangle of b has all corners of the feature of a. */
static int around(const candidate *a, const candidate *b)
{
    for (int k = 0; k < a->features; k++) {
        if (!has_corner(b->triangle, a->triangle->numbers[a->which[k]])) {
            return 0;
        }
    }
    return 1;
}

/* Not 0: a triangle around the feature comes closer, or tells of the same point; if none does, whether
   the center is above all of them. */
static int is_told_elsewhere(const gathered *g, int64_t own, int *is_above)
{
    const candidate *a = g->all + own;
    const double slack = equal * a->square + g->touching;

    *is_above = a->height > 0.0;

    for (int64_t k = 0; k < g->count; k++) {
        const candidate *b = g->all + k;
        if (k == own || !around(a, b)) {
            continue;
        }
        const double difference = b->square - a->square;
        if (difference < -slack) {
            return 1;
        }
        /* as close: the larger feature tells it, of equal ones the first */
        if (difference <= slack &&
            (b->features > a->features || (b->features == a->features && k < own))) {
            return 1;
        }
        *is_above &= b->height > 0.0;
    }
    return 0;
}

/* Triangles that are near enough to touch. */
static void gather(const il_near *near, const double *center, double reach, gathered *g)
{
    g->count = 0;
    g->below = 0;
    g->center = center;
    g->touching = on_it * on_it * reach * reach;
    for (int64_t k = 0; k < near->count; k++) {
        candidate *one = g->all + g->count;
        double from[3];
        one->triangle = near->list + k;
        il_sub3(center, one->triangle->corners[0], from);
        one->height = il_dot3(from, one->triangle->normal);
        if (!(fabs(one->height) <= reach)) {
            continue;
        }
        one->features = il_triangle_closest(one->triangle, center, one->closest, one->which);
        il_sub3(center, one->closest, from);
        one->square = il_dot3(from, from);
        if (one->features == 3) {
            one->which[0] = 0;
            one->which[1] = 1;
            one->which[2] = 2;
            g->below |= one->height < 0.0;
        }
        g->count += one->square <= reach * reach;
    }
}

/* The angle of a triangle at one of its corners [rad]. */
static double angle_at(const il_triangle *triangle, int64_t number)
{
    int corner = 0;
    double one[3], other[3], across[3];

    for (int k = 1; k < 3; k++) {
        corner = triangle->numbers[k] == number ? k : corner;
    }
    il_sub3(triangle->corners[(corner + 1) % 3], triangle->corners[corner], one);
    il_sub3(triangle->corners[(corner + 2) % 3], triangle->corners[corner], other);
    il_cross3(one, other, across);
    return atan2(sqrt(il_dot3(across, across)), il_dot3(one, other));
}

/* Not 0: no other triangle around the feature of a has this corner of the one of b. */
static int is_open(const gathered *g, const candidate *a, const candidate *b, int64_t number)
{
    for (int64_t k = 0; k < g->count; k++) {
        const candidate *other = g->all + k;
        if (other != b && around(a, other) && has_corner(other->triangle, number)) {
            return 0;
        }
    }
    return 1;
}

/* The unit vector to the outside at a feature; returns 0, not 0: the ground ends there. */
static int outward(const gathered *g, const candidate *a, double *out)
{
    const int64_t first = a->triangle->numbers[a->which[0]];
    int ends = 0;

    memset(out, 0, 3 * sizeof *out);
    for (int64_t k = 0; k < g->count; k++) {
        const candidate *b = g->all + k;
        if (!around(a, b)) {
            continue;
        }
        const double weight = a->features == 1 ? angle_at(b->triangle, first) : 1.0;
        il_along3(out, weight, b->triangle->normal, out);
        /* an edge needs two triangles, and so does each edge at a corner */
        for (int corner = 0; corner < 3 && a->features < 3; corner++) {
            const int64_t number = b->triangle->numbers[corner];
            ends |= a->features == 2 ? is_open(g, a, b, first)
                                     : number != first && is_open(g, a, b, number);
        }
    }
    il_unit3(out);
    return ends;
}

/* On which side of the ground the center is, as a feature says, and the way out from there. */
static enum side side_of(const gathered *g, const candidate *a, double *out)
{
    const int ends = outward(g, a, out);
    double way[3];

    il_sub3(g->center, a->closest, way);
    const double along = il_dot3(way, out);

    if (a->square <= g->touching) {
        return INSIDE;
    }
    if (along < 0.0 && ends) {
        return BEYOND;
    }
    for (int k = 0; k < 3; k++) {
        out[k] = along < 0.0 ? -way[k] : way[k];
    }
    il_unit3(out);
    return along < 0.0 ? INSIDE : OUTSIDE;
}

/* Touches from inside, if what is nearest to the center says that it is: those that lead out on the
   same side. */
static void touch_from_inside(const gathered *g, double radius, int64_t feature, il_spots *found)
{
    int64_t nearest = 0;
    int is_above;
    double way_out[3], out[3];

    for (int64_t k = 1; k < g->count; k++) {
        nearest = g->all[k].square < g->all[nearest].square ? k : nearest;
    }
    if (g->count == 0 || side_of(g, g->all + nearest, way_out) != INSIDE) {
        return;
    }
    for (int64_t k = 0; k < g->count; k++) {
        const candidate *one = g->all + k;
        if ((one->features == 3 || !is_told_elsewhere(g, k, &is_above)) &&
            side_of(g, one, out) == INSIDE && il_dot3(out, way_out) > 0.0) {
            il_spot_add(found, one->closest, 1, out, -sqrt(one->square) - radius, feature);
        }
    }
}

void il_near_sphere(const il_near *near, const double *center, double radius, int64_t feature,
                    il_spots *found)
{
    gathered g;
    double out[3];

    gather(near, center, radius + found->margin, &g);
    for (int64_t k = 0; k < g.count; k++) {
        const candidate *one = g.all + k;
        int is_above;
        if (one->features == 3) {
            if (one->height >= 0.0) {
                il_spot_add(found, one->closest, 1, one->triangle->normal, one->height - radius,
                            feature);
            }
            continue;
        }
        if (is_told_elsewhere(&g, k, &is_above)) {
            continue;
        }
        enum side side = OUTSIDE;
        if (is_above && one->square > g.touching) {
            il_sub3(center, one->closest, out);
            il_unit3(out);
        } else {
            side = side_of(&g, one, out);
        }
        g.below |= side == INSIDE;
        if (side == OUTSIDE) {
            il_spot_add(found, one->closest, 1, out, sqrt(one->square) - radius, feature);
        }
    }
    if (g.below) {
        touch_from_inside(&g, radius, feature, found);
    }
}

void il_near_inside(const il_near *near, const double *point, double depth, int64_t feature,
                    il_spots *found)
{
    gathered g;

    gather(near, point, depth, &g);
    touch_from_inside(&g, 0.0, feature, found);
}

void il_ground_sphere(const il_shape *a, const il_shape *b, const il_pose *pose, il_spots *found)
{
    il_near near;

    il_near_shape(a, b, pose, found->margin, &near);
    il_near_sphere(&near, pose->p, b->radius, 1, found);
}
