/* Two convex shapes of any kind: their common normal, and from it where they touch.
 *
 * Cores that are apart have their nearest points, others the direction in which they overlap least
 * (il_nearest.h). A face of either shape that is as good, or nearly so, gives the normal instead,
 * so that shapes that lie on each other do not change between faces and edges; the points of the
 * other shape over that face touch, and where it ends, what it cuts. Else lines beside each other
 * touch at both ends, and all else at its nearest points. */
#include <math.h>
#include <string.h>

#include "il_collision.h"
#include "il_nearest.h"
#include "il_polygon.h"
#include "il_vector3.h"

/* touches of two shapes: those that are far from each other; of a rim all */
enum { SPREAD_MOST = IL_RIM_POINTS + 1, LINE_MOST = 4 };

/* what touches: where the border of a face of either shape cuts the other, an end of a line, the
   nearest points, or a point of either shape over a face of the other, by its number */
enum feature { CUT = 1, LINE = 3, NEAREST, POINT };

/* in parts of the size of the smaller shape: */
static const double
    near = 1e-4,       /* cores that are nearer have a normal from their faces, not a distance */
    handicap = 1e-4,   /* what a face may be worse */
    exact = 1e-12,     /* of the distance of shapes with corners, */
    curved = 1e-9,     /* and with rims */
    same = 1e-6;       /* lengths that differ by less are the same */

/* sine of the angle between lines that lie beside each other, at most */
static const double parallel = 1e-3;

/* the axis of a cylinder is met within its ends by this part of its length */
static const double inside = 1e-9;

typedef struct contact {
    il_solid solids[2];
    double normal[3]; /* from a to b */
    double gap;
    double points[2][3]; /* the nearest points of both surfaces, */
    double nearest;      /* and their gap, whatever face gives the normal */
    double size;         /* of the smaller shape [m] */
} contact;

/* ---- the common normal ---- */

/* How far the shapes are apart along a unit vector. */
static double gap_along(const contact *c, const double *normal)
{
    const double back[3] = {-normal[0], -normal[1], -normal[2]};
    return -il_solid_reach(c->solids + 1, back) - il_solid_reach(c->solids, normal);
}

/* Take what was found of the cores. */
static void take(contact *c, const il_nearest *found)
{
    const double radii[2] = {il_solid_radius(c->solids), il_solid_radius(c->solids + 1)};

    memcpy(c->normal, found->normal, sizeof c->normal);
    c->gap = found->distance - radii[0] - radii[1];
    il_along3(found->on_a, radii[0], found->normal, c->points[0]);
    il_along3(found->on_b, -radii[1], found->normal, c->points[1]);
}

/* Not 0: a point on the axis of a solid lies between its ends. */
static int between_ends(const il_solid *solid, const double *point)
{
    double axis[3], from[3] = {0.0, 0.0, 0.0};

    il_solid_axis(solid, axis);
    if (solid->pose) {
        il_along3(from, 1.0, solid->pose->p, from);
    }
    il_sub3(point, from, from);
    return fabs(il_dot3(axis, from)) < (1.0 - inside) * solid->shape->half;
}

/* Cylinders as lines where that is what touches. Not 0: found, all lines are met between ends. */
static int find_beside_lines(contact *c, il_nearest *found)
{
    if (il_nearest_apart(c->solids, c->solids + 1, near * c->size, found)) {
        return 0;
    }
    const double *points[2] = {found->on_a, found->on_b};
    int held = 1;
    for (int k = 0; k < 2; k++) {
        il_solid *solid = c->solids + k;
        if (solid->as_line && !between_ends(solid, points[k])) {
            solid->as_line = held = 0;
        }
    }
    return held;
}

/* Not 0: cylinders overlap less along their axis, so that it is not their side that touches. */
static int ends_are_nearer(const contact *c)
{
    for (int k = 0; k < 4 && c->gap < 0.0; k++) {
        double axis[3];
        if (c->solids[k / 2].shape->kind == IL_CYLINDER) {
            il_solid_axis(c->solids + k / 2, axis);
            for (int i = 0; i < 3 && k % 2; i++) {
                axis[i] = -axis[i];
            }
            const contact whole = {.solids = {{c->solids[0].shape, NULL, 0},
                                              {c->solids[1].shape, c->solids[1].pose, 0}}};
            if (gap_along(&whole, axis) > c->gap) {
                return 1;
            }
        }
    }
    return 0;
}

/* Normal, gap and nearest points. Not 0: there are none. */
static int find_normal(contact *c)
{
    il_nearest apart = {.distance = 0.0}, within;
    int rims = 0;

    for (int k = 0; k < 2; k++) {
        c->solids[k].as_line = c->solids[k].shape->kind == IL_CYLINDER;
        rims += c->solids[k].as_line || c->solids[k].shape->kind == IL_CONE ||
                c->solids[k].shape->kind == IL_TORUS;
    }
    /* where an end is met that cylinder is a solid, and the other one may still be a line */
    const int sides = c->solids[0].as_line + c->solids[1].as_line;
    for (int lines = sides; lines > 0; lines = c->solids[0].as_line + c->solids[1].as_line) {
        if (find_beside_lines(c, &apart)) {
            take(c, &apart);
            if (!ends_are_nearer(c)) {
                return 0;
            }
            break;
        }
        if (c->solids[0].as_line + c->solids[1].as_line == lines) {
            break;
        }
    }
    c->solids[0].as_line = c->solids[1].as_line = 0;
    const int touch = il_nearest_apart(c->solids, c->solids + 1, exact * c->size, &apart);
    if (!touch) {
        take(c, &apart);
        if (apart.distance > near * c->size) {
            return 0;
        }
    }
    const double tolerance = c->size * (rims ? curved : exact);
    if (il_nearest_within(c->solids, c->solids + 1, tolerance, &within)) {
        return touch;
    }
    if (touch || within.distance > apart.distance - tolerance) {
        take(c, &within);
    }
    return 0;
}

/* The solid whose face gives the normal from now on; -1: none has one, or a sphere, which touches at
   one point, needs none. */
static int take_face(contact *c)
{
    const double slack = handicap * c->size;
    double best = c->gap - slack;
    int owner = -1;

    c->nearest = c->gap;
    if (c->solids[0].shape->kind == IL_SPHERE || c->solids[1].shape->kind == IL_SPHERE) {
        return owner;
    }
    const double along[3] = {c->normal[0], c->normal[1], c->normal[2]};
    /* of faces on each other that of the larger shape, which is the better one as soon as they tilt */
    const int larger = il_solid_size(c->solids + 1) > il_solid_size(c->solids);
    for (int tried = 0; tried < 2; tried++) {
        const int k = tried ? 1 - larger : larger;
        const double outward[3] = {k ? -along[0] : along[0], k ? -along[1] : along[1],
                                   k ? -along[2] : along[2]};
        double face[3];
        if (!il_solid_face(c->solids + k, outward, slack, face)) {
            continue;
        }
        for (int i = 0; i < 3 && k; i++) {
            face[i] = -face[i];
        }
        const double gap = gap_along(c, face);
        if (gap >= best) {
            /* that of the other one must be a little better */
            best = gap + same * c->size;
            owner = k;
            c->gap = gap;
            memcpy(c->normal, face, sizeof face);
        }
    }
    return owner;
}

/* ---- where they touch ---- */

/* Touches that are found, before some of them are chosen. */
typedef struct spread {
    double points[2 * IL_FEATURE_MOST][3];
    double gaps[2 * IL_FEATURE_MOST];
    int64_t features[2 * IL_FEATURE_MOST];
    int count;
} spread;

static void spread_add(spread *s, const double *point, double gap, int64_t feature, double margin)
{
    if (gap <= margin && s->count < 2 * IL_FEATURE_MOST) {
        memcpy(s->points[s->count], point, sizeof s->points[0]);
        s->features[s->count] = feature;
        s->gaps[s->count++] = gap;
    }
}

/* Tell the deepest one, then ever those that are farthest from all that were told. */
static void spread_tell(const spread *s, const contact *c, int of_a, il_spots *found)
{
    double distances[2 * IL_FEATURE_MOST];
    int next = 0;

    for (int k = 0; k < s->count; k++) {
        distances[k] = INFINITY;
        next = s->gaps[k] < s->gaps[next] - same * c->size ? k : next;
    }
    for (int told = 0; told < SPREAD_MOST && told < s->count; told++) {
        if (!(distances[next] > same * same * c->size * c->size)) {
            return;
        }
        il_spot_add(found, s->points[next], of_a, c->normal, s->gaps[next],
                    s->features[next]);
        const double *last = s->points[next];
        int farthest = 0;
        for (int k = 0; k < s->count; k++) {
            double way[3];
            il_sub3(s->points[k], last, way);
            distances[k] = il_least(distances[k], il_dot3(way, way));
            farthest = distances[k] > distances[farthest] * (1.0 + same) ? k : farthest;
        }
        next = farthest;
    }
}

/* Cut a polygon to the part over another one, whose corners are ordered around the normal. */
static int cut_to(double border[][3], int sides, const double *normal, double slack, int count,
                  double polygon[][3])
{
    for (int k = 0; k < sides; k++) {
        double way[3], outward[3];
        il_sub3(border[k + 1 < sides ? k + 1 : 0], border[k], way);
        il_cross3(way, normal, outward);
        il_unit3(outward);
        count = il_polygon_cut(count, polygon, outward, il_dot3(outward, border[k]), slack,
                               IL_FEATURE_MOST);
    }
    return count;
}

/* The points of one shape over a face of the other. */
static void touch_face(const contact *c, int owner, il_spots *found)
{
    const int other = 1 - owner;
    const double *n = c->normal, sign = owner ? -1.0 : 1.0;
    const double outward[3] = {sign * n[0], sign * n[1], sign * n[2]};
    const double inward[3] = {-outward[0], -outward[1], -outward[2]};
    const double level = il_solid_reach(c->solids + owner, outward), slack = same * c->size;
    double border[IL_FEATURE_MOST][3], points[IL_FEATURE_MOST][3], polygon[IL_FEATURE_MOST][3];
    int numbers[IL_FEATURE_MOST];
    spread s = {.count = 0};

    int sides = il_solid_feature(c->solids + owner, outward, slack, border, numbers);
    sides = il_polygon_around(sides, border, outward);
    const int count =
        il_solid_feature(c->solids + other, inward, found->margin + slack, points, numbers);
    /* points of the shape itself over the face, each of which is a feature */
    for (int k = 0; k < count; k++) {
        double one[1][3];
        memcpy(one[0], points[k], sizeof one[0]);
        if (cut_to(border, sides, outward, slack, 1, one)) {
            spread_add(&s, points[k], il_dot3(outward, points[k]) - level,
                       POINT + 2 * numbers[k] + owner, found->margin);
        }
    }
    /* and where the border of the face cuts it */
    memcpy(polygon, points, sizeof polygon);
    int corners = il_polygon_around(count, polygon, outward);
    corners = cut_to(border, sides, outward, slack, corners, polygon);
    for (int k = 0; k < corners; k++) {
        spread_add(&s, polygon[k], il_dot3(outward, polygon[k]) - level, CUT + owner,
                   found->margin);
    }
    double least = INFINITY;
    for (int k = 0; k < s.count; k++) {
        least = il_least(least, s.gaps[k]);
    }
    if (least > c->nearest + handicap * c->size) {
        /* they touch beside the face */
        spread_add(&s, c->points[other], c->nearest, CUT + owner, found->margin);
    }
    spread_tell(&s, c, owner, found);
}

/* Lines of both shapes that lie beside each other touch from end to end. Not 0: so they do. */
static int touch_lines(const contact *c, il_spots *found)
{
    const double back[3] = {-c->normal[0], -c->normal[1], -c->normal[2]}, slack = same * c->size;
    double lines[2][LINE_MOST][3], ways[2][3], across[3];
    spread s = {.count = 0};

    for (int k = 0; k < 2; k++) {
        if (!il_solid_line(c->solids + k, k ? back : c->normal, slack, lines[k])) {
            return 0;
        }
        il_sub3(lines[k][1], lines[k][0], ways[k]);
        il_unit3(ways[k]);
    }
    il_cross3(ways[0], ways[1], across);
    if (il_dot3(across, across) > parallel * parallel) {
        return 0;
    }
    int count = 2;
    for (int end = 0; end < 2; end++) {
        double beyond[3] = {0.0, 0.0, 0.0};
        il_along3(beyond, end ? 1.0 : -1.0, ways[0], beyond);
        count = il_polygon_cut(count, lines[1], beyond, il_dot3(beyond, lines[0][end]), slack,
                               LINE_MOST);
    }
    for (int k = 0; k < count; k++) {
        /* the point of the first line beside it */
        double foot[3];
        il_sub3(lines[1][k], lines[0][0], foot);
        il_along3(lines[0][0], il_dot3(foot, ways[0]), ways[0], foot);
        il_sub3(lines[1][k], foot, foot);
        spread_add(&s, lines[1][k], il_dot3(foot, c->normal), LINE, found->margin);
    }
    spread_tell(&s, c, 0, found);
    return s.count > 0;
}

void il_convex(const il_shape *a, const il_shape *b, const il_pose *pose, il_spots *found)
{
    contact c = {.solids = {{a, NULL, 0}, {b, pose, 0}}};
    const double sizes[2] = {il_solid_size(c.solids), il_solid_size(c.solids + 1)};

    c.size = il_least(sizes[0], sizes[1]);
    if (sqrt(il_dot3(pose->p, pose->p)) > sizes[0] + sizes[1] + found->margin || find_normal(&c) ||
        c.gap > found->margin) {
        return;
    }
    const int owner = take_face(&c);
    if (owner >= 0) {
        touch_face(&c, owner, found);
    } else if (!touch_lines(&c, found)) {
        il_spot_add(found, c.points[0], 1, c.normal, c.gap, NEAREST);
    }
}
