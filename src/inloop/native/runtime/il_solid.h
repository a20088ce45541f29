/* Convex shapes by their farthest points, in axes of one frame. Not for users.
 *
 * A solid is a core and all that is within a radius of it: spheres and capsules are a point and a
 * line with a radius, a torus whose hole is filled a disc with a radius; boxes, hulls and cones are
 * cores alone. Cylinders are cores alone too, or the line along their axis with a radius, which is the
 * same where they touch with their side.
 */
#ifndef IL_SOLID_H
#define IL_SOLID_H

#include "il_collision.h"

/* points of a shape that may touch at once; of a rim there are IL_RIM_POINTS and the farthest one */
enum { IL_FEATURE_MOST = 72, IL_RIM_POINTS = 8 };

typedef struct il_solid {
    const il_shape *shape;
    const il_pose *pose; /* NULL: its frame is the common one */
    int as_line;         /* of a cylinder: its axis with a radius */
} il_solid;

/* Of what is around the core [m]. */
double il_solid_radius(const il_solid *solid);

/* Of a ball around the shape [m]. */
double il_solid_size(const il_solid *solid);

/* Its axis, of capsules and cylinders. */
void il_solid_axis(const il_solid *solid, double *axis);

/* The point of the core that is farthest along a direction of any length. */
void il_solid_farthest(const il_solid *solid, const double *direction, double *point);

/* How far the whole of it reaches along a unit vector, from the origin [m]. */
double il_solid_reach(const il_solid *solid, const double *normal);

/* Points of the surface that are farthest along a unit vector, or less far by `slack` at most: all
   corners, both ends of a capsule, points of the rims of a cylinder, the tip of a cone and points of
   its rim. Returns how many; `numbers` tells which of all points of the shape each is. */
int il_solid_feature(const il_solid *solid, const double *normal, double slack,
                     double points[IL_FEATURE_MOST][3], int numbers[IL_FEATURE_MOST]);

/* Not 0: what is farthest along a unit vector is a line, such as the side of a cylinder; its ends. */
int il_solid_line(const il_solid *solid, const double *normal, double slack, double ends[2][3]);

/* The normal of a flat face that looks along a unit vector, or nearly so: corners may be off by
   `slack`. Not 0: there is one. */
int il_solid_face(const il_solid *solid, const double *normal, double slack, double *face);

#endif
