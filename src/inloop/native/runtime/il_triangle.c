/* The closest point of a triangle to a point: the regions of corners, edges and the inside, told
   apart by signs of scalar products (Ericson 2005, Real-Time Collision Detection, 5.1.5). */
#include "il_terrain.h"
#include "il_vector3.h"

/* what is beyond an edge by less than this part of its length is on it: a point exactly over an edge
   is over both triangles, not between them */
static const double border = 1e-9;

static int at_corner(const il_triangle *triangle, int corner, double *closest, int *which)
{
    il_along3(triangle->corners[corner], 0.0, triangle->corners[corner], closest);
    which[0] = corner;
    return 1;
}

static int on_edge(const il_triangle *triangle, int from, int to, double part, double *closest,
                   int *which)
{
    double edge[3];

    il_sub3(triangle->corners[to], triangle->corners[from], edge);
    il_along3(triangle->corners[from], part, edge, closest);
    which[0] = from;
    which[1] = to;
    return 2;
}

int il_triangle_closest(const il_triangle *triangle, const double *point, double *closest,
                        int *which)
{
    double ab[3], ac[3], ap[3], bp[3], cp[3];

    il_sub3(triangle->corners[1], triangle->corners[0], ab);
    il_sub3(triangle->corners[2], triangle->corners[0], ac);
    il_sub3(point, triangle->corners[0], ap);
    il_sub3(point, triangle->corners[1], bp);
    il_sub3(point, triangle->corners[2], cp);
    const double ab_a = il_dot3(ab, ap), ac_a = il_dot3(ac, ap);
    const double ab_b = il_dot3(ab, bp), ac_b = il_dot3(ac, bp);
    const double ab_c = il_dot3(ab, cp), ac_c = il_dot3(ac, cp);

    if (ab_a <= 0.0 && ac_a <= 0.0) {
        return at_corner(triangle, 0, closest, which);
    }
    if (ab_b >= 0.0 && ac_b <= ab_b) {
        return at_corner(triangle, 1, closest, which);
    }
    if (ac_c >= 0.0 && ab_c <= ac_c) {
        return at_corner(triangle, 2, closest, which);
    }
    /* twice the areas of the triangles with the point, over those edges */
    const double over_ab = ab_a * ac_b - ab_b * ac_a;
    const double over_ca = ab_c * ac_a - ab_a * ac_c;
    const double over_bc = ab_b * ac_c - ab_c * ac_b;
    if (over_ab <= 0.0 && ab_a >= 0.0 && ab_b <= 0.0) {
        return on_edge(triangle, 0, 1, ab_a / (ab_a - ab_b), closest, which);
    }
    if (over_ca <= 0.0 && ac_a >= 0.0 && ac_c <= 0.0) {
        return on_edge(triangle, 0, 2, ac_a / (ac_a - ac_c), closest, which);
    }
    const double from_b = ac_b - ab_b, from_c = ab_c - ac_c;
    if (over_bc <= 0.0 && from_b >= 0.0 && from_c >= 0.0) {
        return on_edge(triangle, 1, 2, from_b / (from_b + from_c), closest, which);
    }
    /* its foot; the height is more exact than weights of the corners */
    il_along3(point, -il_dot3(ap, triangle->normal), triangle->normal, closest);
    return 3;
}

int il_triangle_below(const il_triangle *triangle, const double *point)
{
    for (int k = 0; k < 3; k++) {
        double edge[3], from[3], inward[3];
        il_sub3(triangle->corners[k == 2 ? 0 : k + 1], triangle->corners[k], edge);
        il_sub3(point, triangle->corners[k], from);
        il_cross3(triangle->normal, edge, inward);
        const double inside = il_dot3(from, inward);
        if (!(inside > 0.0) && !(inside > -border * il_dot3(edge, edge))) {
            return 0;
        }
    }
    return 1;
}
