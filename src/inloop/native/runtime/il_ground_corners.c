/* A box or a convex hull on ground of triangles: its corners over faces, and a box at ridges. */
#include "il_ground.h"
#include "il_vector3.h"

/* Not 0: a triangle that looks up is straight above a point, or below it. */
static int is_over(const il_triangle *triangle, const double *point)
{
    for (int k = 0; k < 3; k++) {
        const double *from = triangle->corners[k], *to = triangle->corners[k == 2 ? 0 : k + 1];
        if ((to[0] - from[0]) * (point[1] - from[1]) < (to[1] - from[1]) * (point[0] - from[0])) {
            return 0;
        }
    }
    return triangle->normal[2] > 0.0;
}

/* Below the ground it touches the face that it is least below, above it all it is near. Below a valley
   it may be below no face: then its edge is nearest. */
void il_near_corner(const il_near *near, const double *corner, double depth, int64_t feature,
                    il_spots *found)
{
    const il_triangle *least = NULL;
    double least_height = -depth;
    int over = 0, below = 0;

    for (int64_t k = 0; k < near->count; k++) {
        const il_triangle *triangle = near->list + k;
        double from[3];
        il_sub3(corner, triangle->corners[0], from);
        const double height = il_dot3(from, triangle->normal);
        if (height < -depth || height > found->margin) {
            continue;
        }
        if (!il_triangle_below(triangle, corner)) {
            below = below || (height < 0.0 && is_over(triangle, corner));
            continue;
        }
        over = 1;
        if (height > 0.0) {
            il_spot_add(found, corner, 0, triangle->normal, height, feature);
        } else if (height > least_height) {
            least_height = height;
            least = triangle;
        }
    }
    if (least && !il_near_is_behind(near, corner, least, least_height)) {
        il_spot_add(found, corner, 0, least->normal, least_height, feature);
    } else if (below && !over) {
        il_near_inside(near, corner, depth, feature, found);
    }
}

void il_ground_corners(const il_shape *a, const il_shape *b, const il_pose *pose, il_spots *found)
{
    il_near near;

    il_near_shape(a, b, pose, found->margin, &near);
    for (int64_t k = 0; k < b->corner_count; k++) {
        double corner[3];
        il_turn3(pose->R, b->corners + 3 * k, corner);
        il_along3(pose->p, 1.0, corner, corner);
        il_near_corner(&near, corner, 0.5 * b->radius, 1 + k, found);
    }
    if (b->kind == IL_BOX) {
        il_near_gaps(b, pose, &near);
        il_ground_ridges(&near, b, pose, b->corner_count + 1, found);
    }
}
