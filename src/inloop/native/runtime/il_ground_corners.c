/* A box or a convex hull on ground of triangles: its corners over faces, and of a box also the parts
   of ridges that are inside it, which press on the face they are nearest to. */
#include "il_ground.h"
#include "il_vector3.h"

/* A corner below the ground touches the face that it is least below, one above it all it is near. */
static void corner_on_faces(const il_near *near, const double *corner, double depth,
                            int64_t feature, il_spots *found)
{
    const il_triangle *least = NULL;
    double least_height = -depth, foot[3];
    int which[3];

    for (int64_t k = 0; k < near->count; k++) {
        const il_triangle *triangle = near->list + k;
        double from[3];
        il_sub3(corner, triangle->corners[0], from);
        const double height = il_dot3(from, triangle->normal);
        if (height < -depth || height > found->margin ||
            il_triangle_closest(triangle, corner, foot, which) < 3) {
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

/* The part of a line from p along d that is in the box grown by a margin; 0: none. */
static int clip(const double *edges, double margin, const double *p, const double *d, double *low,
                double *high)
{
    *low = 0.0;
    *high = 1.0;
    for (int k = 0; k < 3; k++) {
        const double most = edges[k] + margin;
        if (fabs(d[k]) > 0.0) {
            const double one = (-most - p[k]) / d[k], other = (most - p[k]) / d[k];
            *low = fmax(*low, fmin(one, other));
            *high = fmin(*high, fmax(one, other));
        } else if (fabs(p[k]) > most) {
            return 0;
        }
    }
    return *low < *high;
}

/* The face of the box that a point is nearest to: its axis, with a sign from 1. */
static int nearest_face(const double *edges, const double *point)
{
    int face = 0;

    for (int k = 1; k < 3; k++) {
        face = fabs(point[k]) - edges[k] > fabs(point[face]) - edges[face] ? k : face;
    }
    return point[face] < 0.0 ? -(face + 1) : face + 1;
}

static void ridge_in_box(const il_near *near, const il_ridge *ridge, const il_shape *b,
                         const il_pose *pose, il_spots *found)
{
    double from[3], to[3], p[3], d[3], middle[3], low, high;

    il_sub3(ridge->from, pose->p, from);
    il_sub3(ridge->to, pose->p, to);
    il_turn_back3(pose->R, from, p);
    il_turn_back3(pose->R, to, d);
    il_sub3(d, p, d);
    if (!clip(b->edges, found->margin, p, d, &low, &high)) {
        return;
    }
    il_along3(p, 0.5 * (low + high), d, middle);
    const int face = nearest_face(b->edges, middle), axis = (face < 0 ? -face : face) - 1;
    const double side = face < 0 ? -1.0 : 1.0;
    /* from the ground into the box */
    const double normal[3] = {-side * pose->R[axis], -side * pose->R[3 + axis],
                              -side * pose->R[6 + axis]};
    for (int end = 0; end < 2; end++) {
        const double part = end ? high : low;
        double inside[3], place[3];
        il_along3(p, part, d, inside);
        il_sub3(ridge->to, ridge->from, place);
        il_along3(ridge->from, part, place, place);
        if (il_ridge_is_nearest(near, ridge, 0.5, normal)) {
            il_spot_add(found, place, 1, normal, side * inside[axis] - b->edges[axis],
                         b->corner_count + 1);
        }
    }
}

void il_ground_corners(const il_shape *a, const il_shape *b, const il_pose *pose, il_spots *found)
{
    il_near near;
    il_ridge ridge;

    il_near_ball(a, pose->p, b->radius + found->margin, &near);
    for (int64_t k = 0; k < b->corner_count; k++) {
        double corner[3];
        il_turn3(pose->R, b->corners + 3 * k, corner);
        il_along3(pose->p, 1.0, corner, corner);
        corner_on_faces(&near, corner, 0.5 * b->radius, 1 + k, found);
    }
    for (int64_t k = 0; k < near.count && b->kind == IL_BOX; k++) {
        for (int edge = 0; edge < 3; edge++) {
            if (il_near_ridge(&near, k, edge, &ridge)) {
                ridge_in_box(&near, &ridge, b, pose, found);
            }
        }
    }
}
