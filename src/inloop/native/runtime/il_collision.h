/* Where two shapes touch, found while a plant runs: without allocation, in bounded time.
 *
 * Shape a sits in a frame A, shape b in a frame B at p = p_AB with axes R = R_AB; everything is told in
 * axes of A. Each pair of kinds has one algorithm, in a file of its own.
 *
 * On ground of triangles only local minima of the distance count: a closest point on an edge or at a
 * corner is a touch only if no triangle around comes closer. So flat ground has the normal of the
 * ground wherever its triangles meet, and a shape is not caught by an edge it rolls over. The ground
 * has one side: what is deeper below a triangle than the size of the shape has nothing to do with it.
 */
#ifndef IL_COLLISION_H
#define IL_COLLISION_H

#include <stddef.h>

#include "il_export.h"
#include "il_terrain.h"

/* most touches of two shapes */
#define IL_SPOTS_MOST 16

enum il_shape_kind {
    IL_PLANE,
    IL_GROUND,
    IL_SPHERE,
    IL_CAPSULE,
    IL_CYLINDER,
    IL_TORUS,
    IL_BOX,
    IL_HULL,
    IL_CONE /* its tip is along the axis */
};

typedef struct il_shape {
    int64_t kind;
    double axis[3];        /* normal of a plane, axis of a round shape: unit vector */
    double radius;         /* of a torus that of the circle inside it [m] */
    double half;           /* half the length along the axis [m] */
    double tube;           /* of a torus, radius of its cross-section [m] */
    /* of a box or a convex hull */
    const double *corners; /* [m] */
    int64_t corner_count;
    double edges[3];       /* half edges of a box [m] */
    const il_terrain *ground;
} il_shape;

/* How two shapes lie. */
typedef struct il_pose {
    double p[3], R[9];
} il_pose;

typedef struct il_spot {
    double point[3];  /* half-way between the surfaces [m] */
    double normal[3]; /* from a to b */
    double gap;       /* negative where they overlap [m] */
    int64_t feature;  /* of b, or of both, from 1: contacts of one feature may be the same as before */
} il_spot;

typedef struct il_spots {
    il_spot list[IL_SPOTS_MOST];
    int64_t count;
    double margin; /* larger gaps are no touch [m] */
} il_spots;

/* Not 0: there is an algorithm for these kinds, in this order. */
IL_EXPORT int il_collides(int64_t kind_a, int64_t kind_b);

/* Find the touches with gaps up to the margin; of too many those with the least gaps. */
IL_EXPORT void il_collide(const il_shape *a, const il_shape *b, const il_pose *pose, double margin,
                          il_spots *found);

/* Add a touch with a contact point half-way between the surfaces: `surface` is a point of that of
   b, or of a if `of_a`. The same touch found twice counts once. */
void il_spot_add(il_spots *found, const double *surface, int of_a, const double *normal,
                  double gap, int64_t feature);

/* a plane: */
void il_plane_sphere(const il_shape *a, const il_shape *b, const il_pose *pose, il_spots *found);
void il_plane_capsule(const il_shape *a, const il_shape *b, const il_pose *pose, il_spots *found);
void il_plane_wheel(const il_shape *a, const il_shape *b, const il_pose *pose, il_spots *found);
void il_plane_cone(const il_shape *a, const il_shape *b, const il_pose *pose, il_spots *found);
void il_plane_corners(const il_shape *a, const il_shape *b, const il_pose *pose, il_spots *found);
/* ground of triangles: */
void il_ground_sphere(const il_shape *a, const il_shape *b, const il_pose *pose, il_spots *found);
void il_ground_capsule(const il_shape *a, const il_shape *b, const il_pose *pose, il_spots *found);
void il_ground_wheel(const il_shape *a, const il_shape *b, const il_pose *pose, il_spots *found);
void il_ground_corners(const il_shape *a, const il_shape *b, const il_pose *pose, il_spots *found);
/* solids: */
void il_solid_sphere(const il_shape *a, const il_shape *b, const il_pose *pose, il_spots *found);
void il_box_box(const il_shape *a, const il_shape *b, const il_pose *pose, il_spots *found);
void il_convex(const il_shape *a, const il_shape *b, const il_pose *pose, il_spots *found);

#endif
