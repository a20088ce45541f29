/* The distance of a point from a solid, negative inside, in axes of the solid. Not for users.
 *
 * It is a convex function of the point; its gradient is a unit vector.
 */
#ifndef IL_DISTANCE_H
#define IL_DISTANCE_H

#include "il_collision.h"
#include "il_vector3.h"

static inline double il_box_distance(const il_shape *b, const double *point, double *gradient)
{
    double outside = 0.0;
    int face = 0;

    for (int k = 0; k < 3; k++) {
        const double beyond = fabs(point[k]) - b->edges[k];
        face = beyond > fabs(point[face]) - b->edges[face] ? k : face;
        gradient[k] = beyond > 0.0 ? copysign(beyond, point[k]) : 0.0;
        outside += gradient[k] * gradient[k];
    }
    if (outside > 0.0) {
        return il_unit3(gradient);
    }
    gradient[face] = copysign(1.0, point[face]);
    return fabs(point[face]) - b->edges[face];
}

/* A cylinder, or what is inside a torus as if it had no hole. */
static inline double il_round_distance(const il_shape *b, const double *point, double *gradient)
{
    const double along = il_dot3(point, b->axis);
    double radial[3];

    il_along3(point, -along, b->axis, radial);
    const double beyond = il_unit3(radial) - b->radius, above = fabs(along) - b->half;
    if (beyond <= 0.0 && above <= 0.0 && b->tube == 0.0) {
        for (int k = 0; k < 3; k++) {
            gradient[k] = beyond > above ? radial[k] : copysign(b->axis[k], along * b->axis[k]);
        }
        return il_most(beyond, above);
    }
    for (int k = 0; k < 3; k++) {
        gradient[k] = il_most(0.0, beyond) * radial[k] +
                      copysign(il_most(0.0, above), along) * b->axis[k];
    }
    const double distance = il_unit3(gradient);
    if (!(distance > 0.0)) {
        /* on the disc inside a torus: either side */
        il_along3(gradient, 1.0, b->axis, gradient);
    }
    return distance - b->tube;
}

/* What is outside the cone is nearest to its base, its rim, its side or its tip. */
static inline double il_cone_distance(const il_shape *b, const double *point, double *gradient)
{
    const double z = il_dot3(point, b->axis), below = -b->half - z;
    const double slant = sqrt(b->radius * b->radius + 4.0 * b->half * b->half);
    const double across = 2.0 * b->half / slant, up = b->radius / slant;
    double radial[3];

    il_along3(point, -z, b->axis, radial);
    const double rho = il_unit3(radial);
    if (!(rho > 0.0)) {
        /* on the axis: any direction */
        il_any_across3(b->axis, radial);
    }
    /* beyond the side, and up along it from the rim */
    const double beyond = (rho - b->radius) * across - below * up;
    const double along = -(rho - b->radius) * up - below * across;
    double to_radial = across, to_axis = up, distance = beyond;
    if (below > 0.0 ? rho <= b->radius : beyond <= below) {
        to_radial = 0.0;
        to_axis = -1.0;
        distance = below;
    } else if ((beyond > 0.0 || below > 0.0) && !(along > 0.0 && along < slant)) {
        const int rim = along <= 0.0;
        to_radial = rho - (rim ? b->radius : 0.0);
        to_axis = rim ? -below : z - b->half;
        distance = sqrt(to_radial * to_radial + to_axis * to_axis);
        to_radial = distance > 0.0 ? to_radial / distance : across;
        to_axis = distance > 0.0 ? to_axis / distance : up;
    }
    for (int k = 0; k < 3; k++) {
        gradient[k] = to_radial * radial[k] + to_axis * b->axis[k];
    }
    return distance;
}

/* A capsule, or a sphere. */
static inline double il_capsule_distance(const il_shape *b, const double *point, double *gradient)
{
    const double along = il_dot3(point, b->axis);

    il_along3(point, -il_most(-b->half, il_least(b->half, along)), b->axis, gradient);
    const double distance = il_unit3(gradient);
    if (!(distance > 0.0)) {
        il_any_across3(b->axis, gradient);
    }
    return distance - b->radius;
}

/* Of all but convex hulls; a torus has no hole. */
static inline double il_distance(const il_shape *solid, const double *point, double *gradient)
{
    switch (solid->kind) {
    case IL_BOX:
        return il_box_distance(solid, point, gradient);
    case IL_CONE:
        return il_cone_distance(solid, point, gradient);
    case IL_SPHERE:
    case IL_CAPSULE:
        return il_capsule_distance(solid, point, gradient);
    default:
        return il_round_distance(solid, point, gradient);
    }
}

#endif
