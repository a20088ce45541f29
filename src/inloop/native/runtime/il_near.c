/* The triangles near a shape; see il_ground.h. */
#include "il_ground.h"
#include "il_vector3.h"

/* Half the extent of a shape along a direction, in axes of B; a cone has that of a cylinder. */
static double extent(const il_shape *shape, const double *direction)
{
    switch (shape->kind) {
    case IL_BOX:
        return shape->edges[0] * fabs(direction[0]) + shape->edges[1] * fabs(direction[1]) +
               shape->edges[2] * fabs(direction[2]);
    case IL_CAPSULE:
        return shape->radius + shape->half * fabs(il_dot3(direction, shape->axis));
    case IL_CYLINDER:
    case IL_CONE:
    case IL_TORUS: {
        const double along = il_dot3(direction, shape->axis);
        return shape->radius * sqrt(fmax(0.0, 1.0 - along * along)) + shape->half * fabs(along) +
               shape->tube;
    }
    default:
        return shape->radius;
    }
}

/* How far a shape reaches against a direction, in axes of B. */
static double reach_back(const il_shape *shape, const double *direction)
{
    if (shape->kind != IL_CONE) {
        return extent(shape, direction);
    }
    const double along = il_dot3(direction, shape->axis);
    const double rim = shape->half * along + shape->radius * sqrt(fmax(0.0, 1.0 - along * along));
    return il_most(rim, -shape->half * along);
}

/* Radius of a ball about a shape. */
static double ball(const il_shape *shape)
{
    switch (shape->kind) {
    case IL_CAPSULE:
        return shape->radius + shape->half;
    case IL_CYLINDER:
    case IL_CONE:
        return sqrt(shape->radius * shape->radius + shape->half * shape->half);
    default:
        return shape->radius + shape->tube;
    }
}

void il_near_shape(const il_shape *ground, const il_shape *shape, const il_pose *pose,
                   double margin, il_near *near)
{
    for (int k = 0; k < 3; k++) {
        const double half = extent(shape, pose->R + 3 * k) + margin;
        near->region.box.low[k] = pose->p[k] - half;
        near->region.box.high[k] = pose->p[k] + half;
        near->region.center[k] = pose->p[k];
    }
    near->region.reach = ball(shape) + margin;
    near->may_turn_back = ground->ground->heights == NULL;
    near->count = il_terrain_near(ground->ground, &near->region, near->list);
}

int il_near_is_behind(const il_near *near, const double *point, const il_triangle *triangle,
                      double gap)
{
    for (int64_t k = 0; k < near->count && near->may_turn_back; k++) {
        const il_triangle *other = near->list + k;
        double from[3];
        if (il_dot3(other->normal, triangle->normal) >= 0.0) {
            continue;
        }
        il_sub3(point, other->corners[0], from);
        if (fabs(il_dot3(from, other->normal)) < -gap && il_triangle_below(other, point)) {
            return 1;
        }
    }
    return 0;
}

void il_near_gaps(const il_shape *shape, const il_pose *pose, il_near *near)
{
    for (int64_t k = 0; k < near->count; k++) {
        const il_triangle *triangle = near->list + k;
        double from[3], direction[3];
        il_sub3(pose->p, triangle->corners[0], from);
        il_turn_back3(pose->R, triangle->normal, direction);
        near->gaps[k] = il_dot3(from, triangle->normal) - reach_back(shape, direction);
    }
}
