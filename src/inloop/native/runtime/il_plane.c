/* Shapes on a plane through the origin of A: the points of each that are deepest. */
#include "il_collision.h"

#include "il_vector3.h"

/* points of a rim beside the deepest one, so that what lies on its side rests: 120 degrees off */
enum { AROUND = 3 };

static void add_point(const il_shape *plane, const double *point, int64_t feature,
                      il_spots *found)
{
    il_spot_add(found, point, 0, plane->axis, il_dot3(plane->axis, point), feature);
}

void il_plane_sphere(const il_shape *a, const il_shape *b, const il_pose *pose, il_spots *found)
{
    double lowest[3];

    il_along3(pose->p, -b->radius, a->axis, lowest);
    add_point(a, lowest, 1, found);
}

void il_plane_capsule(const il_shape *a, const il_shape *b, const il_pose *pose, il_spots *found)
{
    double axis[3], lowest[3];

    il_turn3(pose->R, b->axis, axis);
    for (int end = 0; end < 2; end++) {
        il_along3(pose->p, end ? b->half : -b->half, axis, lowest);
        il_along3(lowest, -b->radius, a->axis, lowest);
        add_point(a, lowest, 1 + end, found);
    }
}

/* A unit vector across the axis, downhill; any fixed one of the shape where the rim is level. */
static void downhill(const il_shape *plane, const il_shape *b, const il_pose *pose,
                     const double *axis, double *down)
{
    const double tilt = il_dot3(plane->axis, axis);

    for (int k = 0; k < 3; k++) {
        down[k] = tilt * axis[k] - plane->axis[k];
    }
    if (il_unit3(down) < 1e-9) {
        const int least = fabs(b->axis[0]) < 0.7 ? 0 : 1;
        const double column[3] = {pose->R[least], pose->R[3 + least], pose->R[6 + least]};
        il_along3(column, -il_dot3(column, axis), axis, down);
        il_unit3(down);
    }
}

/* Points around a circle of b, `along` its axis: the lowest one, and two beside it. */
static void add_circle(const il_shape *a, const il_shape *b, const il_pose *pose, double along,
                       int64_t feature, il_spots *found)
{
    static const double cosine = -0.5, sine = 0.8660254037844386;
    double axis[3], down[3], aside[3];

    il_turn3(pose->R, b->axis, axis);
    downhill(a, b, pose, axis, down);
    il_cross3(axis, down, aside);
    for (int k = 0; k < AROUND; k++) {
        double point[3];
        il_along3(pose->p, along, axis, point);
        il_along3(point, b->radius * (k ? cosine : 1.0), down, point);
        il_along3(point, b->radius * (k == 0 ? 0.0 : k == 1 ? sine : -sine), aside, point);
        il_along3(point, -b->tube, a->axis, point);
        add_point(a, point, feature + k, found);
    }
}

/* The rims of a cylinder, or the circle inside a torus. */
void il_plane_wheel(const il_shape *a, const il_shape *b, const il_pose *pose, il_spots *found)
{
    const int rims = b->kind == IL_TORUS ? 1 : 2;

    for (int rim = 0; rim < rims; rim++) {
        const double along = rims == 1 ? 0.0 : rim ? b->half : -b->half;
        add_circle(a, b, pose, along, 1 + AROUND * rim, found);
    }
}

/* The rim of a cone, and its tip. */
void il_plane_cone(const il_shape *a, const il_shape *b, const il_pose *pose, il_spots *found)
{
    double tip[3];

    add_circle(a, b, pose, -b->half, 1, found);
    il_turn3(pose->R, b->axis, tip);
    il_along3(pose->p, b->half, tip, tip);
    add_point(a, tip, 1 + AROUND, found);
}

void il_plane_corners(const il_shape *a, const il_shape *b, const il_pose *pose, il_spots *found)
{
    for (int64_t k = 0; k < b->corner_count; k++) {
        double corner[3];
        il_turn3(pose->R, b->corners + 3 * k, corner);
        il_along3(pose->p, 1.0, corner, corner);
        add_point(a, corner, 1 + k, found);
    }
}
