/* Points and edges against ground of triangles; shared by the shapes that touch it. Not for users. */
#ifndef IL_GROUND_H
#define IL_GROUND_H

#include "il_collision.h"

/* The triangles near a shape. */
typedef struct il_near {
    il_triangle list[IL_TERRAIN_MOST];
    int64_t count;
} il_near;

/* An edge over which the ground bends away from what is above, or at which it ends. */
typedef struct il_ridge {
    const double *from, *to;    /* its corners */
    int64_t numbers[2];         /* of them */
    const il_triangle *side[2]; /* the triangles that meet in it; the second is NULL where it ends */
} il_ridge;

/* All triangles that a ball of this size about a point reaches. */
void il_near_ball(const il_shape *ground, const double *center, double size, il_near *near);

/* A ball against the triangles; a radius of 0 is a point, which touches faces only. */
void il_near_sphere(const il_near *near, const double *center, double radius, int64_t feature,
                    il_spots *found);

/* The ridge along an edge of a triangle, told by the first of the two only; not 0: it is one. */
int il_near_ridge(const il_near *near, int64_t triangle, int edge, il_ridge *ridge);

/* Not 0: a shape that touches the ridge at a part of its length, 0 to 1, with this normal, comes
   closer to no other place around. */
int il_ridge_is_nearest(const il_near *near, const il_ridge *ridge, double part,
                        const double *normal);

#endif
