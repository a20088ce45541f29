/* A box or a convex hull on ground of triangles: its corners over faces, and a box at ridges. */
#include "il_ground.h"
#include "il_vector3.h"

/* A corner below the ground touches the face that it is least below, one above it all it is near. */
static void corner_on_faces(const il_near *near, const double *corner, double depth,
                            int64_t feature, il_spots *found)
{
    const il_triangle *least = NULL;
    double least_height = -depth;

    for (int64_t k = 0; k < near->count; k++) {
        const il_triangle *triangle = near->list + k;
        double from[3];
        il_sub3(corner, triangle->corners[0], from);
        const double height = il_dot3(from, triangle->normal);
        if (height < -depth || height > found->margin ||
            !il_triangle_below(triangle, corner)) {
            continue;
        }
        if (height > 0.0) {
            il_spot_add(found, corner, 0, triangle->normal, height, feature);
        } else if (height > least_height) {
            least_height = height;
            least = triangle;
        }
    }
    if (least) {
        il_spot_add(found, corner, 0, least->normal, least_height, feature);
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
        corner_on_faces(&near, corner, 0.5 * b->radius, 1 + k, found);
    }
    if (b->kind == IL_BOX) {
        il_near_gaps(b, pose, &near);
        il_ground_ridges(&near, b, pose, b->corner_count + 1, found);
    }
}
