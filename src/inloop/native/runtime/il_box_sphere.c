/* A sphere beside a box or, with its center, inside it. */
#include "il_collision.h"

#include "il_vector3.h"

void il_box_sphere(const il_shape *a, const il_shape *b, const il_pose *pose, il_spots *found)
{
    double nearest[3], normal[3];
    int face = 0;

    for (int k = 0; k < 3; k++) {
        nearest[k] = fmax(-a->edges[k], fmin(a->edges[k], pose->p[k]));
        face = fabs(pose->p[k]) - a->edges[k] > fabs(pose->p[face]) - a->edges[face] ? k : face;
    }
    il_sub3(pose->p, nearest, normal);
    double distance = il_unit3(normal);
    if (!(distance > 0.0)) {
        /* out through the nearest face */
        const double side = pose->p[face] < 0.0 ? -1.0 : 1.0;
        normal[face] = side;
        nearest[face] = side * a->edges[face];
        distance = side * (pose->p[face] - nearest[face]);
    }
    il_spot_add(found, nearest, 1, normal, distance - b->radius, 1);
}
