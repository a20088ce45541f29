/* A wheel on ground of triangles: a cylinder, or a torus as far as its outside goes.
 *
 * Over faces the deepest points of its rims touch, or that of the circle inside a torus; at ridges
 * its tread does, which for a cylinder has a closed form. The distance of a torus from a point of the
 * ridge is that of the disc inside it, which is convex: its least is found by bisection. */
#include "il_ground.h"
#include "il_vector3.h"

/* a ridge along the axis but for this sine touches with both ends */
static const double parallel = 0.05;

enum { HALVINGS = 60 };

/* In axes of the ground. */
typedef struct wheel {
    const il_shape *shape;
    double center[3], axis[3];
    int rims;
} wheel;

/* The deepest points over a face, if they are over it. */
static void over_face(const wheel *w, const il_triangle *triangle, il_spots *found)
{
    const double *n = triangle->normal, tilt = il_dot3(n, w->axis);
    double down[3];

    for (int k = 0; k < 3; k++) {
        down[k] = tilt * w->axis[k] - n[k];
    }
    if (il_unit3(down) < 1e-9) {
        return;
    }
    for (int rim = 0; rim < w->rims; rim++) {
        const double along = w->rims == 1 ? 0.0 : rim ? w->shape->half : -w->shape->half;
        double point[3], from[3], foot[3];
        int which[3];
        il_along3(w->center, along, w->axis, point);
        il_along3(point, w->shape->radius, down, point);
        il_along3(point, -w->shape->tube, n, point);
        il_sub3(point, triangle->corners[0], from);
        const double gap = il_dot3(from, n);
        if (gap > -w->shape->radius && gap <= found->margin &&
            il_triangle_closest(triangle, point, foot, which) == 3) {
            il_spot_add(found, point, 0, n, gap, 1 + rim);
        }
    }
}

/* A place on a ridge as the wheel sees it. */
typedef struct seen {
    double point[3];  /* of the ridge */
    double radial[3]; /* from the axis, unit vector */
    double radius;    /* from the axis [m] */
    double along;     /* the axis, from the center [m] */
} seen;

static seen see(const wheel *w, const il_ridge *ridge, double part)
{
    seen s;
    double edge[3];

    il_sub3(ridge->to, ridge->from, edge);
    il_along3(ridge->from, part, edge, s.point);
    il_sub3(s.point, w->center, s.radial);
    s.along = il_dot3(s.radial, w->axis);
    il_along3(s.radial, -s.along, w->axis, s.radial);
    s.radius = il_unit3(s.radial);
    return s;
}

static void touch_tread(const wheel *w, const il_near *near, const il_ridge *ridge, double part,
                        il_spots *found)
{
    const seen s = see(w, ridge, part);
    const double normal[3] = {-s.radial[0], -s.radial[1], -s.radial[2]};

    if (s.radius > 0.5 * w->shape->radius && il_ridge_is_nearest(near, ridge, part, normal)) {
        il_spot_add(found, s.point, 1, normal, s.radius - w->shape->radius, 3);
    }
}

static double within(double x, double low, double high)
{
    return fmax(low, fmin(high, x));
}

/* A cylinder: where the ridge is under the tread, its place nearest to the axis. */
static void tread_at_ridge(const wheel *w, const il_near *near, const il_ridge *ridge,
                           il_spots *found)
{
    double edge[3], start[3], across[3], low = 0.0, high = 1.0;

    il_sub3(ridge->to, ridge->from, edge);
    il_sub3(ridge->from, w->center, start);
    const double begins = il_dot3(start, w->axis), runs = il_dot3(edge, w->axis);
    if (fabs(runs) > 0.0) {
        const double one = (-w->shape->half - begins) / runs;
        const double other = (w->shape->half - begins) / runs;
        low = fmax(low, fmin(one, other));
        high = fmin(high, fmax(one, other));
    } else if (fabs(begins) > w->shape->half) {
        return;
    }
    if (low > high) {
        return;
    }
    il_along3(edge, -runs, w->axis, across);
    const double square = il_dot3(across, across);
    if (square > 0.0) {
        const double nearest = -il_dot3(start, across) / square;
        touch_tread(w, near, ridge, within(nearest, low, high), found);
    }
    if (square <= parallel * parallel * il_dot3(edge, edge)) {
        touch_tread(w, near, ridge, low, found);
        touch_tread(w, near, ridge, high, found);
    }
}

/* Slope of half the square of the distance from the disc inside a torus, along the ridge. */
static double disc_slope(const wheel *w, const il_ridge *ridge, const double *edge, double part)
{
    const seen s = see(w, ridge, part);
    return fmax(0.0, s.radius - w->shape->radius) * il_dot3(s.radial, edge) +
           s.along * il_dot3(w->axis, edge);
}

static void torus_at_ridge(const wheel *w, const il_near *near, const il_ridge *ridge,
                           il_spots *found)
{
    double edge[3], low = 0.0, high = 1.0, part;

    il_sub3(ridge->to, ridge->from, edge);
    if (disc_slope(w, ridge, edge, 0.0) >= 0.0) {
        part = 0.0;
    } else if (disc_slope(w, ridge, edge, 1.0) <= 0.0) {
        part = 1.0;
    } else {
        for (int k = 0; k < HALVINGS; k++) {
            const double middle = 0.5 * (low + high);
            if (disc_slope(w, ridge, edge, middle) < 0.0) {
                low = middle;
            } else {
                high = middle;
            }
        }
        part = 0.5 * (low + high);
    }
    const seen s = see(w, ridge, part);
    double normal[3];
    /* from the place on the ridge to the nearest of the disc */
    for (int k = 0; k < 3; k++) {
        normal[k] = -fmax(0.0, s.radius - w->shape->radius) * s.radial[k] - s.along * w->axis[k];
    }
    const double distance = il_unit3(normal);
    if (distance > 0.0 && il_ridge_is_nearest(near, ridge, part, normal)) {
        il_spot_add(found, s.point, 1, normal, distance - w->shape->tube, 3);
    }
}

/* Not 0: the line through the ridge does not come near enough. */
static int is_far(const wheel *w, const il_ridge *ridge, double reach)
{
    double edge[3], start[3], nearest[3];

    il_sub3(ridge->to, ridge->from, edge);
    il_sub3(w->center, ridge->from, start);
    const double part = within(il_dot3(start, edge) / il_dot3(edge, edge), 0.0, 1.0);
    il_along3(start, -part, edge, nearest);
    return il_dot3(nearest, nearest) > reach * reach;
}

void il_ground_wheel(const il_shape *a, const il_shape *b, const il_pose *pose, il_spots *found)
{
    il_near near;
    il_ridge ridge;
    wheel w = {.shape = b, .rims = b->kind == IL_TORUS ? 1 : 2};
    const double outside = b->radius + b->tube + found->margin;
    const double reach = sqrt(outside * outside + b->half * b->half);

    il_along3(pose->p, 0.0, pose->p, w.center);
    il_turn3(pose->R, b->axis, w.axis);
    il_near_ball(a, w.center, reach, &near);
    for (int64_t k = 0; k < near.count; k++) {
        over_face(&w, near.list + k, found);
        for (int edge = 0; edge < 3; edge++) {
            if (!il_near_ridge(&near, k, edge, &ridge) || is_far(&w, &ridge, reach)) {
                continue;
            }
            if (b->kind == IL_TORUS) {
                torus_at_ridge(&w, &near, &ridge, found);
            } else {
                tread_at_ridge(&w, &near, &ridge, found);
            }
        }
    }
}
