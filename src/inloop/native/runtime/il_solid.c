/* Farthest points of convex shapes; see il_solid.h. */
#include "il_solid.h"

#include <string.h>

#include "il_vector3.h"

/* cosine of the angle between a face and the direction it is looked for in, at least: 2.5 degrees */
static const double aligned = 0.999;

/* a face is flat to this part of its size */
static const double flat = 1e-9;

/* Of what is around the core, unless it is the axis of a cylinder [m]. */
static double radius_around(const il_shape *shape)
{
    const int round = shape->kind == IL_SPHERE || shape->kind == IL_CAPSULE;
    return round ? shape->radius : shape->kind == IL_TORUS ? shape->tube : 0.0;
}

double il_solid_radius(const il_solid *solid)
{
    return solid->as_line ? solid->shape->radius : radius_around(solid->shape);
}

double il_solid_size(const il_solid *solid)
{
    const il_shape *shape = solid->shape;
    const double half = shape->half;
    return shape->kind == IL_CAPSULE ? shape->radius + half
                                     : sqrt(shape->radius * shape->radius + half * half) + shape->tube;
}

/* From axes of the shape to the common ones, and back. */
static void outward(const il_solid *solid, const double *own, double *common)
{
    if (solid->pose) {
        il_turn3(solid->pose->R, own, common);
    } else {
        memcpy(common, own, 3 * sizeof *own);
    }
}

static void inward(const il_solid *solid, const double *common, double *own)
{
    if (solid->pose) {
        il_turn_back3(solid->pose->R, common, own);
    } else {
        memcpy(own, common, 3 * sizeof *own);
    }
}

/* A point of the shape in the common frame. */
static void place(const il_solid *solid, const double *own, double *point)
{
    outward(solid, own, point);
    if (solid->pose) {
        il_along3(solid->pose->p, 1.0, point, point);
    }
}

void il_solid_axis(const il_solid *solid, double *axis)
{
    outward(solid, solid->shape->axis, axis);
}

static void farthest_corner(const il_shape *shape, const double *direction, double *point)
{
    double most = -INFINITY;
    int64_t best = 0;

    for (int64_t k = 0; k < shape->corner_count; k++) {
        const double reach = il_dot3(shape->corners + 3 * k, direction);
        if (reach > most) {
            most = reach;
            best = k;
        }
    }
    memcpy(point, shape->corners + 3 * best, 3 * sizeof *point);
}

/* The tip of a cone, or a point of its rim. */
static void farthest_of_cone(const il_shape *shape, const double *direction, double *point)
{
    const double along = il_dot3(shape->axis, direction);
    double across[3];

    il_along3(direction, -along, shape->axis, across);
    const double aside = il_unit3(across);
    memset(point, 0, 3 * sizeof *point);
    if (2.0 * shape->half * along > shape->radius * aside) {
        il_along3(point, shape->half, shape->axis, point);
        return;
    }
    il_along3(point, -shape->half, shape->axis, point);
    if (aside > 0.0) {
        il_along3(point, shape->radius, across, point);
    }
}

/* The point of the core in axes of the shape. */
static void farthest_own(const il_solid *solid, const double *direction, double *point)
{
    const il_shape *shape = solid->shape;

    memset(point, 0, 3 * sizeof *point);
    if (shape->kind == IL_BOX || shape->kind == IL_HULL) {
        farthest_corner(shape, direction, point);
    } else if (shape->kind == IL_CONE) {
        farthest_of_cone(shape, direction, point);
    } else if (shape->kind != IL_SPHERE) {
        const double along = il_dot3(shape->axis, direction);
        il_along3(point, along < 0.0 ? -shape->half : shape->half, shape->axis, point);
        if (shape->kind == IL_TORUS || (shape->kind == IL_CYLINDER && !solid->as_line)) {
            double across[3];
            il_along3(direction, -along, shape->axis, across);
            if (il_unit3(across) > 0.0) {
                il_along3(point, shape->radius, across, point);
            }
        }
    }
}

void il_solid_farthest(const il_solid *solid, const double *direction, double *point)
{
    double own[3], found[3];

    inward(solid, direction, own);
    farthest_own(solid, own, found);
    place(solid, found, point);
}

double il_solid_reach(const il_solid *solid, const double *normal)
{
    double point[3];

    il_solid_farthest(solid, normal, point);
    return il_dot3(point, normal) + il_solid_radius(solid);
}

/* ---- what may touch ---- */

/* Points of the core of a shape that may be farthest, in its axes. */
typedef struct candidates {
    double points[IL_FEATURE_MOST][3];
    int numbers[IL_FEATURE_MOST]; /* which of all points of the shape each is */
    int count;
} candidates;

static void add_candidate(candidates *c, const double *from, double along, const double *way,
                          int number)
{
    il_along3(from, along, way, c->points[c->count]);
    c->numbers[c->count++] = number;
}

/* Points of a rim: the farthest one, unless it is level; and where others are less far by `slack` at
   most, some of the shape in equal angles, which stay where they are while it rests. */
static void add_rim(const il_shape *shape, const double *center, const double *normal, double slack,
                    int number, candidates *c)
{
    static const double pi = 3.14159265358979323846, level = 1e-9;
    double farthest[3], first[3], second[3];

    il_along3(normal, -il_dot3(shape->axis, normal), shape->axis, farthest);
    const double steepness = il_unit3(farthest);
    if (steepness >= level) {
        add_candidate(c, center, shape->radius, farthest, number);
    }
    if (shape->radius * steepness > slack) {
        return;
    }
    il_any_across3(shape->axis, first);
    il_cross3(shape->axis, first, second);
    for (int k = 1; k <= IL_RIM_POINTS; k++) {
        const double angle = 2.0 * pi * k / IL_RIM_POINTS;
        double foot[3];
        il_along3(center, shape->radius * cos(angle), first, foot);
        add_candidate(c, foot, shape->radius * sin(angle), second, number + k);
    }
}

/* Ends of the axis, rims or corners. */
static void add_candidates(const il_shape *shape, const double *normal, double slack, candidates *c)
{
    static const double origin[3] = {0.0, 0.0, 0.0};
    const int cornered = shape->kind == IL_BOX || shape->kind == IL_HULL;
    double end[3];

    for (int k = 0; cornered && k < shape->corner_count; k++) {
        add_candidate(c, shape->corners + 3 * k, 0.0, origin, k);
    }
    for (int k = 0; !cornered && k < (shape->half > 0.0 ? 2 : 1); k++) {
        il_along3(origin, k ? shape->half : -shape->half, shape->axis, end);
        if (shape->kind == IL_CYLINDER || shape->kind == IL_TORUS ||
            (shape->kind == IL_CONE && k == 0)) {
            add_rim(shape, end, normal, slack, k * (1 + IL_RIM_POINTS), c);
        } else {
            add_candidate(c, end, 0.0, origin, k * (1 + IL_RIM_POINTS));
        }
    }
}

/* The farthest points of the surface, and others that are less far by `slack` at most; of rims those
   beside the farthest one only if they are less far by `lying`. */
static int farthest_points(const il_solid *solid, const double *normal, double slack, double lying,
                           double points[IL_FEATURE_MOST][3], int numbers[IL_FEATURE_MOST])
{
    const double radius = radius_around(solid->shape);
    double own[3], most = -INFINITY;
    candidates all = {.count = 0};
    int left = 0;

    inward(solid, normal, own);
    add_candidates(solid->shape, own, lying, &all);
    for (int k = 0; k < all.count; k++) {
        most = il_most(most, il_dot3(all.points[k], own));
    }
    for (int k = 0; k < all.count; k++) {
        if (il_dot3(all.points[k], own) >= most - slack) {
            il_along3(all.points[k], radius, own, all.points[k]);
            numbers[left] = all.numbers[k];
            place(solid, all.points[k], points[left++]);
        }
    }
    return left;
}

int il_solid_feature(const il_solid *solid, const double *normal, double slack,
                     double points[IL_FEATURE_MOST][3], int numbers[IL_FEATURE_MOST])
{
    return farthest_points(solid, normal, slack, slack, points, numbers);
}

int il_solid_line(const il_solid *solid, const double *normal, double slack, double ends[2][3])
{
    double points[IL_FEATURE_MOST][3];
    int numbers[IL_FEATURE_MOST];

    if (farthest_points(solid, normal, slack, -1.0, points, numbers) != 2) {
        return 0;
    }
    memcpy(ends, points, 2 * sizeof points[0]);
    return 1;
}

/* The face through three of the farthest corners that are far apart, if no corner is beyond it. */
static int hull_face(const il_solid *solid, const double *own, double slack, double *face)
{
    const il_shape *shape = solid->shape;
    const il_solid here = {shape, NULL, 0};
    double corners[IL_FEATURE_MOST][3], largest = 0.0;
    int numbers[IL_FEATURE_MOST];
    const int count = il_solid_feature(&here, own, slack, corners, numbers);

    for (int i = 1; i < count; i++) {
        for (int j = i + 1; j < count; j++) {
            double u[3], v[3], normal[3];
            il_sub3(corners[i], corners[0], u);
            il_sub3(corners[j], corners[0], v);
            il_cross3(u, v, normal);
            const double area = il_unit3(normal);
            if (area > largest) {
                largest = area;
                memcpy(face, normal, sizeof normal);
            }
        }
    }
    if (!(largest > slack * shape->radius)) {
        return 0;
    }
    if (il_dot3(face, own) < 0.0) {
        il_along3(face, -2.0, face, face);
    }
    return il_solid_reach(&here, face) - il_dot3(face, corners[0]) <= flat * shape->radius;
}

int il_solid_face(const il_solid *solid, const double *normal, double slack, double *face)
{
    const il_shape *shape = solid->shape;
    double own[3], found[3] = {0.0, 0.0, 0.0};

    inward(solid, normal, own);
    if (shape->kind == IL_BOX) {
        int along = fabs(own[1]) > fabs(own[0]) ? 1 : 0;
        along = fabs(own[2]) > fabs(own[along]) ? 2 : along;
        found[along] = own[along] < 0.0 ? -1.0 : 1.0;
    } else if (shape->kind == IL_CYLINDER || shape->kind == IL_TORUS) {
        il_along3(found, il_dot3(shape->axis, own) < 0.0 ? -1.0 : 1.0, shape->axis, found);
    } else if (shape->kind == IL_CONE) {
        il_along3(found, -1.0, shape->axis, found);
    } else if (shape->kind != IL_HULL || !hull_face(solid, own, slack, found)) {
        return 0;
    }
    outward(solid, found, face);
    return il_dot3(own, found) >= aligned;
}
