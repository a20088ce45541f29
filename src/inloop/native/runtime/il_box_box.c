/* Two boxes: the axis along which they are farthest apart, or overlap least, among the normals of
 * their faces and the directions across an edge of each (separating axes; Gottschalk 1996). Along a
 * normal, the face of the other box that looks at it is cut to the sides of the face, and its corners
 * touch; across two edges, their nearest points do. */
#include "il_collision.h"

#include "il_polygon.h"
#include "il_vector3.h"

/* corners of a face after it is cut by four sides */
enum { CUT_MOST = 8 };

/* an axis across edges must be better than a face by this part of the size, so that boxes that lie
   on each other do not change between them */
static const double better = 1e-3;

/* lengths are the same if they differ by less than this part of the size */
static const double same = 1e-6;

typedef struct pair {
    const double *half[2];
    double axes[2][3][3]; /* axes[box][k]: in axes of A */
    double centers[2][3];
} pair;

/* An axis, from a to b. */
typedef struct separation {
    double normal[3];
    double gap;
    int face; /* 0 .. 5: box and axis of the face; 6 and more: across edges */
} separation;

/* Half the length of a box along a direction. */
static double reach(const pair *p, int box, const double *direction)
{
    double sum = 0.0;

    for (int k = 0; k < 3; k++) {
        sum += p->half[box][k] * fabs(il_dot3(p->axes[box][k], direction));
    }
    return sum;
}

/* Take the axis if the boxes are farther apart along it. */
static void try_axis(const pair *p, const double *direction, int face, double handicap,
                     separation *best)
{
    const double apart = il_dot3(p->centers[1], direction);
    const double gap = fabs(apart) - reach(p, 0, direction) - reach(p, 1, direction);

    if (gap - handicap > best->gap) {
        best->gap = gap;
        best->face = face;
        for (int k = 0; k < 3; k++) {
            best->normal[k] = apart < 0.0 ? -direction[k] : direction[k];
        }
    }
}

static separation separate(const pair *p)
{
    separation best = {.gap = -INFINITY};
    double size = INFINITY;

    for (int box = 0; box < 2; box++) {
        for (int k = 0; k < 3; k++) {
            size = fmin(size, p->half[box][k]);
            /* the faces of b must be a little better too */
            try_axis(p, p->axes[box][k], 3 * box + k, box ? better * better * size : 0.0, &best);
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double across[3];
            il_cross3(p->axes[0][i], p->axes[1][j], across);
            if (il_unit3(across) > better) {
                try_axis(p, across, 6 + 3 * i + j, better * size, &best);
            }
        }
    }
    return best;
}

static void touch_face(const pair *p, const separation *s, il_spots *found)
{
    const int own = s->face / 3, other = 1 - own, axis = s->face % 3;
    const double *n = s->normal;
    double polygon[CUT_MOST][3], center[3];
    int facing = 0;

    /* the face of the other box that looks most at this one */
    for (int k = 1; k < 3; k++) {
        facing = fabs(il_dot3(p->axes[other][k], n)) > fabs(il_dot3(p->axes[other][facing], n))
                     ? k
                     : facing;
    }
    /* the normal leads from a to b: b looks against it */
    const double toward = (other == 1 ? -1.0 : 1.0) * il_dot3(p->axes[other][facing], n);
    il_along3(p->centers[other], copysign(p->half[other][facing], toward),
              p->axes[other][facing], center);
    for (int k = 0; k < 4; k++) {
        const int u = (facing + 1) % 3, v = (facing + 2) % 3;
        const double along_u = k == 0 || k == 3 ? -1.0 : 1.0, along_v = k < 2 ? -1.0 : 1.0;
        il_along3(center, along_u * p->half[other][u], p->axes[other][u], polygon[k]);
        il_along3(polygon[k], along_v * p->half[other][v], p->axes[other][v], polygon[k]);
    }
    int count = 4;
    for (int k = 1; k < 3; k++) {
        const int side = (axis + k) % 3;
        for (int sign = -1; sign < 2; sign += 2) {
            double direction[3] = {0.0, 0.0, 0.0};
            il_along3(direction, sign, p->axes[own][side], direction);
            const double most = il_dot3(direction, p->centers[own]) + p->half[own][side];
            count = il_polygon_cut(count, polygon, direction, most, same * p->half[own][side],
                                   CUT_MOST);
        }
    }
    /* how far the corners that are left are outside the face */
    const double sign = own ? -1.0 : 1.0;
    const double top = sign * il_dot3(n, p->centers[own]) + p->half[own][axis];
    for (int k = 0; k < count; k++) {
        const double gap = sign * il_dot3(n, polygon[k]) - top;
        il_spot_add(found, polygon[k], own, n, gap, 1 + s->face);
    }
}

/* The middle of the edge of a box along an axis that is farthest in a direction. */
static void edge_middle(const pair *p, int box, int axis, const double *direction, double sign,
                        double *middle)
{
    il_along3(p->centers[box], 0.0, p->centers[box], middle);
    for (int k = 0; k < 3; k++) {
        if (k != axis) {
            const double along = sign * il_dot3(direction, p->axes[box][k]);
            il_along3(middle, copysign(p->half[box][k], along), p->axes[box][k], middle);
        }
    }
}

static void touch_edges(const pair *p, const separation *s, il_spots *found)
{
    const int i = (s->face - 6) / 3, j = (s->face - 6) % 3;
    const double *a = p->axes[0][i], *b = p->axes[1][j];
    double on_a[3], on_b[3], between[3];

    edge_middle(p, 0, i, s->normal, 1.0, on_a);
    edge_middle(p, 1, j, s->normal, -1.0, on_b);
    il_sub3(on_b, on_a, between);
    const double c = il_dot3(a, b), from_a = il_dot3(a, between);
    il_along3(on_a, (from_a - c * il_dot3(b, between)) / (1.0 - c * c), a, on_a);
    il_spot_add(found, on_a, 1, s->normal, s->gap, 1 + s->face);
}

void il_box_box(const il_shape *a, const il_shape *b, const il_pose *pose, il_spots *found)
{
    pair p = {.half = {a->edges, b->edges}};

    for (int k = 0; k < 3; k++) {
        p.axes[0][k][k] = 1.0;
        p.centers[1][k] = pose->p[k];
        for (int row = 0; row < 3; row++) {
            p.axes[1][k][row] = pose->R[3 * row + k];
        }
    }
    const separation s = separate(&p);
    if (s.gap > found->margin) {
        return;
    }
    if (s.face < 6) {
        touch_face(&p, &s, found);
    } else {
        touch_edges(&p, &s, found);
    }
}
