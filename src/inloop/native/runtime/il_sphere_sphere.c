/* Two spheres; see il_collision.h. */
#include "il_collision.h"

#include "il_vector3.h"

void il_sphere_sphere(const il_shape *a, const il_shape *b, const il_pose *pose, il_spots *found)
{
    double normal[3] = {pose->p[0], pose->p[1], pose->p[2]}, surface[3];
    const double apart = il_unit3(normal);

    if (!(apart > 0.0)) {
        /* one in the other: any direction leads out */
        normal[2] = 1.0;
    }
    il_along3(pose->p, -b->radius, normal, surface);
    il_spot_add(found, surface, 0, normal, apart - a->radius - b->radius, 1);
}
