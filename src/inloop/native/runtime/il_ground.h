/* Points and edges against ground of triangles; shared by the shapes that touch it. Not for users. */
#ifndef IL_GROUND_H
#define IL_GROUND_H

#include "il_collision.h"

/* The triangles near a shape. */
typedef struct il_near {
    il_triangle list[IL_TERRAIN_MOST];
    int64_t count;
    il_region region; /* where they were looked for */
    int may_turn_back; /* not 0: of a mesh, which may have an underside */
    double gaps[IL_TERRAIN_MOST]; /* of the shape over the planes of the triangles; il_near_gaps */
} il_near;

/* An edge over which the ground bends away from what is above, or at which it ends. */
typedef struct il_ridge {
    const double *from, *to;    /* its corners */
    int64_t numbers[2];         /* of them */
    const il_triangle *side[2]; /* the triangles that meet in it; the second is NULL where it ends */
} il_ridge;

/* All triangles that may reach into a box and a ball about the shape, grown by the margin. */
void il_near_shape(const il_shape *ground, const il_shape *shape, const il_pose *pose,
                   double margin, il_near *near);

/* How far the shape is above the plane of each triangle: no less than from the triangle itself. */
void il_near_gaps(const il_shape *shape, const il_pose *pose, il_near *near);

/* Not 0: a point that is below a triangle by -gap is beyond it: a face that looks the other way is
   nearer, such as the upper side of a plate to what lies on it, seen from below. */
int il_near_is_behind(const il_near *near, const double *point, const il_triangle *triangle,
                      double gap);

/* A corner of a shape, up to `depth` below the ground. */
void il_near_corner(const il_near *near, const double *corner, double depth, int64_t feature,
                    il_spots *found);

/* A point below the ground, by `depth` at most, touches what is nearest to it. */
void il_near_inside(const il_near *near, const double *point, double depth, int64_t feature,
                    il_spots *found);

/* A ball against the triangles. */
void il_near_sphere(const il_near *near, const double *center, double radius, int64_t feature,
                    il_spots *found);

/* The edge of a triangle that begins at this corner; not 0: it reaches into the box. */
int il_near_edge(const il_near *near, const il_triangle *triangle, int corner, il_ridge *edge);

/* The triangle on the other side of an edge; not 0: the ground bends away over it, or ends. Of two
   triangles with the same edge one is told so. */
int il_near_ridge(const il_near *near, il_ridge *edge);

/* Not 0: a shape that touches the ridge at a part of its length, 0 to 1, with this normal, comes
   closer to no other place around. */
int il_ridge_is_nearest(const il_near *near, const il_ridge *ridge, double part,
                        const double *normal);

/* The face beside the ridge that this normal leans past; NULL: it lies between both. */
const il_triangle *il_ridge_leans_past(const il_ridge *ridge, const double *normal);

/* A wheel, a cone or a box against all ridges. */
void il_ground_ridges(const il_near *near, const il_shape *solid, const il_pose *pose,
                      int64_t feature, il_spots *found);

#endif
