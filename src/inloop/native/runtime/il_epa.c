/* How convex cores that overlap are parted with the least motion; see il_nearest.h. */
#include <math.h>
#include <string.h>

#include "il_nearest.h"
#include "il_vector3.h"

enum { CORNERS_MOST = 100, FACES_MOST = 2 * CORNERS_MOST, EDGES_MOST = FACES_MOST };

/* corners count as being in one plane if they are off it by less than this part of the size */
static const double flat = 1e-12;

/* a corner sees a face from this part of the size above it */
static const double rounding = 1e-15;

typedef struct face {
    int corners[3];   /* counterclockwise seen from outside */
    double normal[3]; /* outwards */
    double offset;    /* of its plane from the origin, along the normal */
} face;

typedef struct polytope {
    il_difference corners[CORNERS_MOST];
    face faces[FACES_MOST];
    int corner_count, face_count;
} polytope;

/* Not 0: it has an area. */
static int make_face(const polytope *p, int i, int j, int k, face *made)
{
    const double *base = p->corners[i].w;
    double u[3], v[3];

    il_sub3(p->corners[j].w, base, u);
    il_sub3(p->corners[k].w, base, v);
    il_cross3(u, v, made->normal);
    made->corners[0] = i;
    made->corners[1] = j;
    made->corners[2] = k;
    const double area = il_unit3(made->normal);
    made->offset = il_dot3(made->normal, base);
    return area > 0.0;
}

static void cross_of_corners(const polytope *p, double *normal)
{
    double u[3], v[3];

    il_sub3(p->corners[1].w, p->corners[0].w, u);
    il_sub3(p->corners[2].w, p->corners[0].w, v);
    il_cross3(u, v, normal);
}

/* The difference that is farthest from a point along a direction or against it, and how far. */
static double farther(const il_solid *a, const il_solid *b, const double *from,
                      const double *direction, il_difference *found)
{
    const double back[3] = {-direction[0], -direction[1], -direction[2]};
    const il_difference ahead = il_farthest_difference(a, b, direction);
    const il_difference behind = il_farthest_difference(a, b, back);
    double way[3], other[3];

    il_sub3(ahead.w, from, way);
    il_sub3(behind.w, from, other);
    const double there = il_dot3(way, direction), here = -il_dot3(other, direction);
    *found = there >= here ? ahead : behind;
    return there >= here ? there : here;
}

/* Four differences that are not in one plane; 3 if all differences are, 0 if they are on a line. */
static int begin(const il_solid *a, const il_solid *b, double size, polytope *p)
{
    static const double x[3] = {1.0, 0.0, 0.0}, back[3] = {-1.0, 0.0, 0.0};
    double line[3], across[3] = {0.0, 0.0, 0.0}, normal[3];

    p->corners[0] = il_farthest_difference(a, b, x);
    p->corners[1] = il_farthest_difference(a, b, back);
    il_sub3(p->corners[1].w, p->corners[0].w, line);
    if (!(il_unit3(line) > flat * size)) {
        return 0;
    }
    /* across the line, along the axis that is least along it */
    int least = fabs(line[1]) < fabs(line[0]) ? 1 : 0;
    least = fabs(line[2]) < fabs(line[least]) ? 2 : least;
    across[least] = 1.0;
    il_along3(across, -il_dot3(across, line), line, across);
    il_unit3(across);
    if (!(farther(a, b, p->corners[0].w, across, p->corners + 2) > flat * size)) {
        return 0;
    }
    cross_of_corners(p, normal);
    il_unit3(normal);
    if (!(farther(a, b, p->corners[0].w, normal, p->corners + 3) > flat * size)) {
        return 3;
    }
    double up[3];
    il_sub3(p->corners[3].w, p->corners[0].w, up);
    const int left = il_dot3(up, normal) > 0.0;
    static const int sides[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    for (int k = 0; k < 4; k++) {
        const int *side = sides[k];
        (void)make_face(p, side[0], side[left ? 1 : 2], side[left ? 2 : 1], p->faces + k);
    }
    p->corner_count = p->face_count = 4;
    return 4;
}

/* The face whose plane the origin is farthest outside of, or least inside. */
static int nearest_face(const polytope *p)
{
    int best = 0;

    for (int k = 1; k < p->face_count; k++) {
        best = p->faces[k].offset < p->faces[best].offset ? k : best;
    }
    return best;
}

/* An edge that is met twice lies between faces that are both taken away. */
static int toggle_edge(int edges[][2], int count, int from, int to)
{
    for (int k = 0; k < count; k++) {
        if (edges[k][0] == to && edges[k][1] == from) {
            edges[k][0] = edges[count - 1][0];
            edges[k][1] = edges[count - 1][1];
            return count - 1;
        }
    }
    if (count < EDGES_MOST) {
        edges[count][0] = from;
        edges[count][1] = to;
    }
    return count + 1;
}

static int share_edge(const face *f, const face *g)
{
    int shared = 0;

    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            shared += f->corners[i] == g->corners[j];
        }
    }
    return shared == 2;
}

/* Mark the faces that a corner sees, from one of them to its neighbors: rounding may let others be
   seen too, whose removal would leave holes. */
static void mark_seen(const polytope *p, const double *w, double slack, int first, char *seen)
{
    int waiting[FACES_MOST], count = 1;

    memset(seen, 0, FACES_MOST);
    seen[first] = 1;
    waiting[0] = first;
    while (count > 0) {
        const face *f = p->faces + waiting[--count];
        for (int k = 0; k < p->face_count; k++) {
            const face *g = p->faces + k;
            if (!seen[k] && il_dot3(g->normal, w) - g->offset > slack && share_edge(f, g)) {
                seen[k] = 1;
                waiting[count++] = k;
            }
        }
    }
}

/* Take away the faces that a new corner sees, one of which is known, and join it with their border.
   Not 0: there is no room, or rounding spoils it. */
static int grow(polytope *p, const il_difference *next, double slack, int first)
{
    char seen[FACES_MOST];
    int edges[EDGES_MOST][2], count = 0, left = 0;

    if (p->corner_count == CORNERS_MOST) {
        return 1;
    }
    const int corner = p->corner_count++;
    p->corners[corner] = *next;
    mark_seen(p, next->w, slack, first, seen);
    for (int k = 0; k < p->face_count; k++) {
        const face kept = p->faces[k];
        if (!seen[k]) {
            p->faces[left++] = kept;
            continue;
        }
        for (int i = 0; i < 3 && count < EDGES_MOST; i++) {
            count = toggle_edge(edges, count, kept.corners[i], kept.corners[(i + 1) % 3]);
        }
    }
    if (count < 3 || left + count > FACES_MOST || count >= EDGES_MOST) {
        return 1;
    }
    for (int k = 0; k < count; k++) {
        if (!make_face(p, edges[k][0], edges[k][1], corner, p->faces + left)) {
            return 1;
        }
        left++;
    }
    p->face_count = left;
    return 0;
}

/* The points of both cores at the foot of the origin on a face. */
static void tell(const polytope *p, const face *best, il_nearest *found)
{
    const il_difference *c[3];
    double foot[3] = {0.0, 0.0, 0.0}, u[3], v[3], x[3], weights[3];

    for (int k = 0; k < 3; k++) {
        c[k] = p->corners + best->corners[k];
        found->normal[k] = -best->normal[k];
        found->on_a[k] = found->on_b[k] = 0.0;
    }
    il_along3(foot, best->offset, best->normal, foot);
    il_sub3(c[1]->w, c[0]->w, u);
    il_sub3(c[2]->w, c[0]->w, v);
    il_sub3(foot, c[0]->w, x);
    const double uu = il_dot3(u, u), uv = il_dot3(u, v), vv = il_dot3(v, v);
    const double ux = il_dot3(u, x), vx = il_dot3(v, x), scale = uu * vv - uv * uv;
    weights[1] = (vv * ux - uv * vx) / scale;
    weights[2] = (uu * vx - uv * ux) / scale;
    weights[0] = 1.0 - weights[1] - weights[2];
    for (int k = 0; k < 3; k++) {
        il_along3(found->on_a, weights[k], c[k]->a, found->on_a);
        il_along3(found->on_b, weights[k], c[k]->b, found->on_b);
    }
}

/* Differences that are all in one plane, as of a disc and a point: across it. Not 0: it has no area. */
static int tell_flat(const polytope *p, il_nearest *found)
{
    face plane;

    if (!make_face(p, 0, 1, 2, &plane) || (plane.offset > 0.0 && !make_face(p, 0, 2, 1, &plane))) {
        return 1;
    }
    tell(p, &plane, found);
    found->distance = -plane.offset;
    return 0;
}

int il_nearest_within(const il_solid *a, const il_solid *b, double tolerance, il_nearest *found)
{
    const double size = il_solid_size(a) + il_solid_size(b);
    polytope p;

    const int corners = begin(a, b, size, &p);
    if (corners < 4) {
        return !corners || tell_flat(&p, found);
    }
    face best = p.faces[0];
    double least = INFINITY;
    for (int k = 0; k < CORNERS_MOST; k++) {
        const int nearest = nearest_face(&p);
        const face tried = p.faces[nearest];
        const il_difference next = il_farthest_difference(a, b, tried.normal);
        /* whatever becomes of the polytope, no difference is beyond this along its normal */
        const double reach = il_dot3(tried.normal, next.w);
        if (reach < least) {
            least = reach;
            best = tried;
        }
        if (least - tried.offset <= tolerance || grow(&p, &next, rounding * size, nearest)) {
            break;
        }
    }
    tell(&p, &best, found);
    found->distance = -least;
    return 0;
}
