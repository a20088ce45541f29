/* A sphere beside a solid whose distance has a closed form or, with its center, inside it. */
#include "il_collision.h"
#include "il_distance.h"

void il_solid_sphere(const il_shape *a, const il_shape *b, const il_pose *pose, il_spots *found)
{
    double nearest[3], normal[3];
    const double distance = il_distance(a, pose->p, normal);

    il_along3(pose->p, -distance, normal, nearest);
    il_spot_add(found, nearest, 1, normal, distance - b->radius, 1);
}
