/* A sphere on ground of triangles: the local minima of the distance of its center. */
#include "il_ground.h"
#include "il_vector3.h"

/* squares of distances that are equal but for rounding, relatively */
static const double equal = 1e-11;

/* The closest point of a triangle, where it is on an edge or at a corner. */
typedef struct candidate {
    const il_triangle *triangle;
    double closest[3];
    double square; /* of the distance [m²] */
    int features;  /* corners of the feature: 1, 2 or 3 */
    int which[3];
} candidate;

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

/* Not 0: a triangle around the feature comes closer, or tells of the same point. */
static int is_told_elsewhere(const candidate *all, int64_t count, int64_t own)
{
    const candidate *a = all + own;

    for (int64_t k = 0; k < count; k++) {
        const candidate *b = all + k;
        if (k == own || !around(a, b)) {
            continue;
        }
        const double difference = b->square - a->square;
        if (difference < -equal * a->square) {
            return 1;
        }
        /* as close: the larger feature tells it, of equal ones the first */
        if (difference <= equal * a->square &&
            (b->features > a->features || (b->features == a->features && k < own))) {
            return 1;
        }
    }
    return 0;
}

/* Faces, told at once; the others are candidates. Returns how many there are. */
static int64_t gather(const il_near *near, const double *center, double radius, int64_t feature,
                      candidate *all, il_spots *found)
{
    const double reach = radius + found->margin;
    int64_t count = 0;

    for (int64_t k = 0; k < near->count; k++) {
        candidate *one = all + count;
        double from[3];
        one->triangle = near->list + k;
        il_sub3(center, one->triangle->corners[0], from);
        const double height = il_dot3(from, one->triangle->normal);
        if (!(fabs(height) <= reach)) {
            continue;
        }
        one->features = il_triangle_closest(one->triangle, center, one->closest, one->which);
        il_sub3(center, one->closest, from);
        one->square = il_dot3(from, from);
        if (one->features == 3) {
            one->which[0] = 0;
            one->which[1] = 1;
            one->which[2] = 2;
            il_spot_add(found, one->closest, 1, one->triangle->normal, height - radius, feature);
        }
        count += one->square <= reach * reach;
    }
    return count;
}

void il_near_sphere(const il_near *near, const double *center, double radius, int64_t feature,
                    il_spots *found)
{
    candidate all[IL_TERRAIN_MOST];
    const int64_t count = gather(near, center, radius, feature, all, found);

    for (int64_t k = 0; k < count && radius > 0.0; k++) {
        double normal[3];
        il_sub3(center, all[k].closest, normal);
        if (all[k].features < 3 && il_dot3(normal, all[k].triangle->normal) >= 0.0 &&
            il_unit3(normal) > 0.0 && !is_told_elsewhere(all, count, k)) {
            il_spot_add(found, all[k].closest, 1, normal, sqrt(all[k].square) - radius, feature);
        }
    }
}

void il_ground_sphere(const il_shape *a, const il_shape *b, const il_pose *pose, il_spots *found)
{
    il_near near;

    il_near_shape(a, b, pose, found->margin, &near);
    il_near_sphere(&near, pose->p, b->radius, 1, found);
}
