/* A solid against a ridge of the ground: a wheel or a box.
 *
 * The distance of a convex solid from a point, negative inside, is a convex function of the point, so
 * that along a ridge it has one least value, at which its slope changes sign: the slope is brought to
 * zero by the Illinois variant of regula falsi. Where a ridge runs along a face or a tread it touches
 * with both ends of the part that does. */
#include "il_ground.h"
#include "il_vector3.h"

enum { ITERATIONS = 60 };

/* the part of a ridge that runs along a face touches whole if its ends are this near to it, in parts
   of the margin */
static const double level = 0.1;

/* a distance that is known to this part of the margin is the least */
static const double exact = 1e-13;

/* A ridge as the solid sees it, in axes of B. */
typedef struct line {
    const il_shape *solid;
    double from[3], way[3];
} line;

/* Distance, its slope along the line, and its gradient. */
typedef struct value {
    double distance, slope, gradient[3];
} value;

static double box_distance(const il_shape *b, const double *point, double *gradient)
{
    double outside = 0.0;
    int face = 0;

    for (int k = 0; k < 3; k++) {
        const double beyond = fabs(point[k]) - b->edges[k];
        face = beyond > fabs(point[face]) - b->edges[face] ? k : face;
        gradient[k] = beyond > 0.0 ? copysign(beyond, point[k]) : 0.0;
        outside += gradient[k] * gradient[k];
    }
    if (outside > 0.0) {
        return il_unit3(gradient);
    }
    gradient[face] = copysign(1.0, point[face]);
    return fabs(point[face]) - b->edges[face];
}

/* A cylinder, or what is inside a torus as if it had no hole. */
static double round_distance(const il_shape *b, const double *point, double *gradient)
{
    const double along = il_dot3(point, b->axis);
    double radial[3];

    il_along3(point, -along, b->axis, radial);
    const double beyond = il_unit3(radial) - b->radius, above = fabs(along) - b->half;
    if (beyond <= 0.0 && above <= 0.0 && b->tube == 0.0) {
        for (int k = 0; k < 3; k++) {
            gradient[k] = beyond > above ? radial[k] : copysign(b->axis[k], along * b->axis[k]);
        }
        return fmax(beyond, above);
    }
    for (int k = 0; k < 3; k++) {
        gradient[k] = fmax(0.0, beyond) * radial[k] +
                      copysign(fmax(0.0, above), along) * b->axis[k];
    }
    return il_unit3(gradient) - b->tube;
}

static value look(const line *l, double part)
{
    value v;
    double point[3];

    il_along3(l->from, part, l->way, point);
    v.distance = l->solid->kind == IL_BOX ? box_distance(l->solid, point, v.gradient)
                                          : round_distance(l->solid, point, v.gradient);
    v.slope = il_dot3(v.gradient, l->way);
    return v;
}

/* A place on the line, and the distance there. */
typedef struct place {
    double part;
    value v;
} place;

/* No distance between two places is less: a convex function is above its tangents. */
static double lower_bound(const place *low, const place *high)
{
    const double length = high->part - low->part, down = low->v.slope, up = high->v.slope;
    const double meet = (high->v.distance - low->v.distance - up * length) / (down - up);
    return low->v.distance + down * meet;
}

/* Where the distance is least, between places at which it falls and rises; not 0: it is nowhere below
   the margin. */
static int descend(const line *l, double margin, place low, place high, place *least)
{
    double falls = low.v.slope, rises = high.v.slope;

    *least = low.v.distance < high.v.distance ? low : high;
    for (int k = 0, last = 0; k < ITERATIONS; k++) {
        const double bound = lower_bound(&low, &high);
        if (bound > margin) {
            return 1;
        }
        if (least->v.distance - bound <= exact * margin) {
            return 0;
        }
        place next = {.part = low.part + (high.part - low.part) * falls / (falls - rises)};
        next.v = look(l, next.part);
        if (next.v.distance <= least->v.distance) {
            *least = next;
        }
        if (next.v.slope < 0.0) {
            low = next;
            falls = next.v.slope;
            rises *= last < 0 ? 0.5 : 1.0;
            last = -1;
        } else {
            high = next;
            rises = next.v.slope;
            falls *= last > 0 ? 0.5 : 1.0;
            last = 1;
        }
    }
    return 0;
}

/* The place of the ridge that is nearest to the solid; not 0: it is no ridge, or farther than the
   margin. */
static int nearest(const line *l, const il_near *near, il_ridge *ridge, double margin, place *least)
{
    const place low = {0.0, look(l, 0.0)}, high = {1.0, look(l, 1.0)};

    if (low.v.slope >= 0.0 || high.v.slope <= 0.0) {
        *least = low.v.slope >= 0.0 ? low : high;
        return least->v.distance > margin || !il_near_ridge(near, ridge);
    }
    return lower_bound(&low, &high) > margin || !il_near_ridge(near, ridge) ||
           descend(l, margin, low, high, least);
}

/* Cut the line to |direction·x| <= half. */
static void cut(const line *l, const double *direction, double half, double *low, double *high)
{
    const double begins = il_dot3(l->from, direction), runs = il_dot3(l->way, direction);

    if (fabs(runs) > 0.0) {
        const double one = (-half - begins) / runs, other = (half - begins) / runs;
        *low = fmax(*low, fmin(one, other));
        *high = fmin(*high, fmax(one, other));
    }
}

/* The part of the line that is over the face or the tread that has this gradient. */
static void over_face(const line *l, const double *gradient, double *low, double *high)
{
    *low = 0.0;
    *high = 1.0;
    if (l->solid->kind != IL_BOX) {
        cut(l, l->solid->axis, l->solid->half, low, high);
        return;
    }
    for (int k = 0; k < 3; k++) {
        const double direction[3] = {k == 0, k == 1, k == 2};
        if (fabs(gradient[k]) < 0.5) {
            cut(l, direction, l->solid->edges[k], low, high);
        }
    }
}

static void touch_ridge(const il_near *near, il_ridge *ridge, const il_shape *solid,
                        const il_pose *pose, int64_t feature, il_spots *found)
{
    line l = {.solid = solid};
    double from[3], to[3], way[3];

    il_sub3(ridge->from, pose->p, from);
    il_sub3(ridge->to, pose->p, to);
    il_sub3(ridge->to, ridge->from, way);
    il_turn_back3(pose->R, from, l.from);
    il_turn_back3(pose->R, way, l.way);
    place least;
    if (nearest(&l, near, ridge, found->margin, &least)) {
        return;
    }
    double parts[3] = {least.part, 0.0, 1.0};
    over_face(&l, least.v.gradient, parts + 1, parts + 2);
    for (int k = 0; k < (parts[1] <= parts[2] ? 3 : 1); k++) {
        const value v = k ? look(&l, parts[k]) : least.v;
        double normal[3], place[3];
        il_turn3(pose->R, v.gradient, normal);
        il_along3(ridge->from, parts[k], way, place);
        for (int axis = 0; axis < 3; axis++) {
            normal[axis] = -normal[axis];
        }
        if (v.distance <= least.v.distance + (k ? level * found->margin : 0.0) &&
            il_ridge_is_nearest(near, ridge, parts[k], normal)) {
            il_spot_add(found, place, 1, normal, v.distance, feature);
        }
    }
}

void il_ground_ridges(const il_near *near, const il_shape *solid, const il_pose *pose,
                      int64_t feature, il_spots *found)
{
    il_ridge ridge;

    for (int64_t k = 0; k < near->count; k++) {
        for (int edge = 0; edge < 3; edge++) {
            if (il_near_edge(near, near->list + k, edge, &ridge)) {
                touch_ridge(near, &ridge, solid, pose, feature, found);
            }
        }
    }
}
