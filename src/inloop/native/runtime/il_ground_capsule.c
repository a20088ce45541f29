/* A capsule on ground of triangles: the balls at its ends, and between them ridges under its side. */
#include "il_ground.h"
#include "il_vector3.h"

/* The place of a ridge nearest to the axis between the ends, 0 to 1; negative if there is none. */
static double nearest_part(const double *from_center, const double *edge, const double *axis,
                           double half)
{
    const double runs = il_dot3(edge, axis), begins = il_dot3(from_center, axis);
    double across[3], start[3];

    il_along3(edge, -runs, axis, across);
    il_along3(from_center, -begins, axis, start);
    const double square = il_dot3(across, across);
    if (!(square > 0.0)) {
        return -1.0;
    }
    const double part = fmax(0.0, fmin(1.0, -il_dot3(start, across) / square));
    return fabs(begins + part * runs) < half ? part : -1.0;
}

void il_ground_capsule(const il_shape *a, const il_shape *b, const il_pose *pose, il_spots *found)
{
    il_near near;
    il_ridge ridge;
    double axis[3], end[3];

    il_turn3(pose->R, b->axis, axis);
    il_near_shape(a, b, pose, found->margin, &near);
    for (int k = 0; k < 2; k++) {
        il_along3(pose->p, k ? b->half : -b->half, axis, end);
        il_near_sphere(&near, end, b->radius, 1 + k, found);
    }
    for (int64_t k = 0; k < near.count; k++) {
        for (int edge = 0; edge < 3; edge++) {
            if (!il_near_edge(&near, near.list + k, edge, &ridge)) {
                continue;
            }
            double way[3], start[3], place[3], normal[3];
            il_sub3(ridge.to, ridge.from, way);
            il_sub3(ridge.from, pose->p, start);
            const double part = nearest_part(start, way, axis, b->half);
            if (part < 0.0) {
                continue;
            }
            il_along3(ridge.from, part, way, place);
            il_sub3(pose->p, place, normal);
            il_along3(normal, -il_dot3(normal, axis), axis, normal);
            const double distance = il_unit3(normal);
            if (distance > 0.0 && distance - b->radius <= found->margin &&
                il_near_ridge(&near, &ridge) &&
                il_ridge_is_nearest(&near, &ridge, part, normal)) {
                il_spot_add(found, place, 1, normal, distance - b->radius, 3);
            }
        }
    }
}
