/* Round shapes on ground of triangles: a cylinder, a torus as far as its outside goes, or a cone. Over
   faces the deepest points of its rims touch, or that of the circle inside a torus; and the tip of a
   cone. */
#include "il_ground.h"
#include "il_vector3.h"

/* points of a rim: the deepest one, and two at 120 degrees from it, so that what lies on its side
   rests */
enum { AROUND = 3 };

/* In axes of the ground. */
typedef struct wheel {
    const il_shape *shape;
    double center[3], axis[3];
    int rims;
    double along[2]; /* where they are on the axis [m] */
} wheel;

/* The points of a rim that are over a face. */
static void over_face(const wheel *w, const il_near *near, const il_triangle *triangle,
                      il_spots *found)
{
    static const double cosine = -0.5, sine = 0.8660254037844386;
    const double *n = triangle->normal, tilt = il_dot3(n, w->axis);
    double down[3], aside[3];

    for (int k = 0; k < 3; k++) {
        down[k] = tilt * w->axis[k] - n[k];
    }
    const double steepness = il_unit3(down);
    if (steepness < 1e-9) {
        /* level: any direction */
        const double other[3] = {fabs(n[0]) < 0.7, fabs(n[0]) >= 0.7, 0.0};
        il_along3(other, -il_dot3(other, w->axis), w->axis, down);
        il_unit3(down);
    }
    il_cross3(w->axis, down, aside);
    /* what is 1.5 radii up the rim is far unless it lies on its side */
    const int lies = 1.5 * w->shape->radius * steepness < found->margin + w->shape->radius;
    for (int k = 0; k < AROUND * w->rims; k += lies ? 1 : AROUND) {
        const int around = k % AROUND, rim = k / AROUND;
        double point[3], from[3];
        il_along3(w->center, w->along[rim], w->axis, point);
        il_along3(point, w->shape->radius * (around ? cosine : 1.0), down, point);
        if (around) {
            il_along3(point, w->shape->radius * (around == 1 ? sine : -sine), aside, point);
        }
        il_along3(point, -w->shape->tube, n, point);
        il_sub3(point, triangle->corners[0], from);
        const double gap = il_dot3(from, n);
        if (gap > -w->shape->radius && gap <= found->margin &&
            il_triangle_below(triangle, point) &&
            !(gap < 0.0 && il_near_is_behind(near, point, triangle, gap))) {
            il_spot_add(found, point, 0, n, gap, 1 + k);
        }
    }
}

void il_ground_wheel(const il_shape *a, const il_shape *b, const il_pose *pose, il_spots *found)
{
    il_near near;
    const int cone = b->kind == IL_CONE, rims = cone || b->kind == IL_TORUS ? 1 : 2;
    wheel w = {.shape = b, .rims = rims, .along = {-b->half, b->half}};

    il_along3(pose->p, 0.0, pose->p, w.center);
    il_turn3(pose->R, b->axis, w.axis);
    il_near_shape(a, b, pose, found->margin, &near);
    il_near_gaps(b, pose, &near);
    for (int64_t k = 0; k < near.count; k++) {
        if (near.gaps[k] <= found->margin) {
            over_face(&w, &near, near.list + k, found);
        }
    }
    if (cone) {
        double tip[3];
        il_along3(w.center, b->half, w.axis, tip);
        il_near_corner(&near, tip, b->radius, 2 + AROUND, found);
    }
    il_ground_ridges(&near, b, pose, 1 + AROUND * rims, found);
}
