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
static const double exact = 1e-11;

/* a slope that is no larger, per length of the ridge, is none */
static const double flat = 1e-9;

/* a face that a ridge belongs to is at most so many times as deep in the solid as the ridge, if both are
   one touch */
static const double deeper = 1.5;

/* this far along a ridge, in parts of it, is beside a place */
static const double beside = 1e-9;

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
        return il_most(beyond, above);
    }
    for (int k = 0; k < 3; k++) {
        gradient[k] = il_most(0.0, beyond) * radial[k] +
                      copysign(il_most(0.0, above), along) * b->axis[k];
    }
    return il_unit3(gradient) - b->tube;
}

static double distance(const il_shape *solid, const double *point, double *gradient)
{
    return solid->kind == IL_BOX ? box_distance(solid, point, gradient)
                                 : round_distance(solid, point, gradient);
}

static value look(const line *l, double part)
{
    value v;
    double point[3];

    il_along3(l->from, part, l->way, point);
    v.distance = distance(l->solid, point, v.gradient);
    v.slope = il_dot3(v.gradient, l->way);
    return v;
}

/* A place on the line, and the distance there. */
typedef struct place {
    double part;
    value v;
} place;

/* Where the tangents of two places meet; a convex function is above both. */
typedef struct meeting {
    double part, distance;
} meeting;

static meeting tangents_meet(const place *low, const place *high)
{
    const double length = high->part - low->part, down = low->v.slope, up = high->v.slope;
    const double along = (high->v.distance - low->v.distance - up * length) / (down - up);
    const meeting found = {low->part + along, low->v.distance + down * along};

    return found;
}

/* Where the distance is least, between places at which it falls and rises; not 0: it is nowhere below
   the margin. In turn the next place is where a smooth slope would be zero, and where the tangents
   meet, which is the least one if it lies between two faces. */
static int descend(const line *l, double margin, place low, place high, place *least)
{
    *least = low.v.distance < high.v.distance ? low : high;
    for (int k = 0; k < ITERATIONS; k++) {
        const meeting meet = tangents_meet(&low, &high);
        const double bound = meet.distance, falls = low.v.slope, rises = high.v.slope;
        if (bound > margin) {
            return 1;
        }
        if (least->v.distance - bound <= exact * margin) {
            return 0;
        }
        place next = {.part = k % 2 ? meet.part
                                    : low.part + (high.part - low.part) * falls / (falls - rises)};
        next.v = look(l, next.part);
        if (next.v.distance <= least->v.distance) {
            *least = next;
        }
        if (next.v.slope < 0.0) {
            low = next;
        } else {
            high = next;
        }
    }
    return 0;
}

/* Where to look first: what is nearest to the axis of a round solid, if it lies below the tread, has
   the least distance of all; of others what is nearest to the middle. */
static double first_part(const line *l)
{
    double cross = il_dot3(l->from, l->way), square = il_dot3(l->way, l->way);

    if (l->solid->kind == IL_CYLINDER) {
        const double along = il_dot3(l->way, l->solid->axis);
        if (along * along < 0.9 * square) {
            cross -= along * il_dot3(l->from, l->solid->axis);
            square -= along * along;
        }
    }
    return il_least(1.0, il_most(0.0, -cross / square));
}

/* The place of the ridge that is nearest to the solid; not 0: it is farther than the margin. */
static int nearest(const line *l, double margin, place *least)
{
    place first = {.part = first_part(l)};

    first.v = look(l, first.part);
    /* where the tangent leads down to the end of the line */
    const double end = first.v.slope < 0.0 ? 1.0 : 0.0;
    const double bound = first.v.distance + first.v.slope * (end - first.part);
    *least = first;
    if (bound > margin || first.v.distance - bound <= exact * margin) {
        return bound > margin;
    }
    const place last = {end, look(l, end)};
    if (first.v.slope < 0.0 ? last.v.slope <= 0.0 : last.v.slope >= 0.0) {
        *least = last;
        return last.v.distance > margin;
    }
    return end > 0.5 ? descend(l, margin, first, last, least)
                     : descend(l, margin, last, first, least);
}

/* Cut the line to |direction·x| <= half. */
static void cut(const line *l, const double *direction, double half, double *low, double *high)
{
    const double begins = il_dot3(l->from, direction), runs = il_dot3(l->way, direction);

    if (fabs(runs) > 0.0) {
        const double one = (-half - begins) / runs, other = (half - begins) / runs;
        *low = il_most(*low, il_least(one, other));
        *high = il_least(*high, il_most(one, other));
    }
}

/* How far a place is outside the one face, or the tread, that has this gradient, and the gradient
   there. Not 0: it belongs to an edge, a corner or a rim. */
static int outside_face(const line *l, double part, const double *gradient, value *found)
{
    const il_shape *solid = l->solid;
    double point[3];

    il_along3(l->from, part, l->way, point);
    for (int k = 0; k < 3 && solid->kind == IL_BOX; k++) {
        if (fabs(gradient[k]) > 1.0 - 1e-9) {
            il_along3(gradient, 0.0, gradient, found->gradient);
            found->distance = fabs(point[k]) - solid->edges[k];
            return 0;
        }
    }
    if (solid->kind != IL_CYLINDER || fabs(il_dot3(gradient, solid->axis)) > 1e-9) {
        return 1;
    }
    il_along3(point, -il_dot3(point, solid->axis), solid->axis, found->gradient);
    found->distance = il_unit3(found->gradient) - solid->radius;
    return 0;
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

/* Where the ridge touches: the place of the least distance, or both ends of the part that runs along
   the face or the tread there. Returns how many. */
static int touching_places(const line *l, const place *least, double margin, place *places)
{
    double low, high;

    places[0] = *least;
    over_face(l, least->v.gradient, &low, &high);
    if (!(low < high) || least->part < low || least->part > high) {
        return 1;
    }
    place ends[2] = {{.part = low}, {.part = high}};
    for (int k = 0; k < 2; k++) {
        if (outside_face(l, ends[k].part, least->v.gradient, &ends[k].v) ||
            ends[k].v.distance > least->v.distance + level * margin) {
            return 1;
        }
    }
    places[0] = ends[0];
    places[1] = ends[1];
    return 2;
}

/* Inside the solid two faces, or the tread and an end, may be as near, where the distance has no
   slope: there their edge touches the ridge, with the mean of both gradients that is across it, as it
   does from outside. */
static void at_edge(const line *l, place *least)
{
    const double slope = least->v.slope;
    place other = {.part = least->part + copysign(beside, -slope)};

    if (least->v.distance >= 0.0 || slope * slope <= flat * flat * il_dot3(l->way, l->way) ||
        other.part <= 0.0 || other.part >= 1.0) {
        return;
    }
    other.v = look(l, other.part);
    if (other.v.slope * slope >= 0.0) {
        return;
    }
    const double share = slope / (slope - other.v.slope);
    for (int k = 0; k < 3; k++) {
        least->v.gradient[k] += share * (other.v.gradient[k] - least->v.gradient[k]);
    }
    /* both faces are across each other */
    least->v.distance /= il_unit3(least->v.gradient);
}

/* Not 0: a touch as deep as this was found over the face with this normal. */
static int is_found(const il_spots *found, const double *normal, double gap)
{
    for (int64_t k = 0; k < found->count; k++) {
        const il_spot *touch = found->list + k;
        if (il_dot3(touch->normal, normal) > 1.0 - flat &&
            touch->gap <= gap + exact * found->margin) {
            return 1;
        }
    }
    return 0;
}

/* Where a ridge is inside the solid, the way out of it may lean a little past the normal of a face, while
   the deepest place of the solid is no more over that face: it touches with the normal of the face. */
static void touch_face(const il_near *near, const il_ridge *ridge, const place *at,
                       const double *point, const double *normal, int64_t feature,
                       il_spots *found)
{
    if (at->v.distance >= 0.0 || !(at->part > 0.0 && at->part < 1.0)) {
        return;
    }
    const il_triangle *face = il_ridge_leans_past(ridge, normal);
    const double gap = face ? near->gaps[face - near->list] : -INFINITY;
    if (gap >= deeper * at->v.distance && !is_found(found, face->normal, gap)) {
        il_spot_add(found, point, 1, face->normal, il_most(gap, at->v.distance), feature);
    }
}

static void touch_ridge(const il_near *near, const il_ridge *ridge, const il_shape *solid,
                        const il_pose *pose, int64_t feature, il_spots *found)
{
    line l = {.solid = solid};
    double from[3], way[3];
    place least, places[2];

    il_sub3(ridge->from, pose->p, from);
    il_sub3(ridge->to, ridge->from, way);
    il_turn_back3(pose->R, from, l.from);
    il_turn_back3(pose->R, way, l.way);
    if (nearest(&l, found->margin, &least)) {
        return;
    }
    at_edge(&l, &least);
    const int count = touching_places(&l, &least, found->margin, places);
    for (int k = 0; k < count; k++) {
        const double *gradient = places[k].v.gradient;
        const double inward[3] = {-gradient[0], -gradient[1], -gradient[2]};
        double normal[3], point[3];
        il_turn3(pose->R, inward, normal);
        il_along3(ridge->from, places[k].part, way, point);
        if (il_ridge_is_nearest(near, ridge, places[k].part, normal)) {
            il_spot_add(found, point, 1, normal, places[k].v.distance, feature);
        } else {
            touch_face(near, ridge, places + k, point, normal, feature, found);
        }
    }
}

/* Which edges of a triangle may be nearer than the margin, by the tangent plane of the distance at its
   middle: bit k is that from corner k. */
static int near_edges(const il_triangle *triangle, const il_shape *solid, const il_pose *pose,
                      double margin)
{
    double middle[3], point[3], gradient[3], outward[3];
    int below = 0;

    for (int k = 0; k < 3; k++) {
        middle[k] = (triangle->corners[0][k] + triangle->corners[1][k] + triangle->corners[2][k]) /
                    3.0;
    }
    il_sub3(middle, pose->p, outward);
    il_turn_back3(pose->R, outward, point);
    const double height = distance(solid, point, gradient);
    il_turn3(pose->R, gradient, outward);
    const double reach = margin - height + il_dot3(middle, outward);
    for (int k = 0; k < 3; k++) {
        below |= (il_dot3(triangle->corners[k], outward) <= reach) << k;
    }
    return below | (below >> 1) | (below & 1 ? 4 : 0);
}

void il_ground_ridges(const il_near *near, const il_shape *solid, const il_pose *pose,
                      int64_t feature, il_spots *found)
{
    il_ridge ridge;

    for (int64_t k = 0; k < near->count; k++) {
        const il_triangle *triangle = near->list + k;
        if (near->gaps[k] > found->margin) {
            continue;
        }
        const int edges = near_edges(triangle, solid, pose, found->margin);
        for (int edge = 0; edge < 3; edge++) {
            if (edges >> edge & 1 && il_near_edge(near, triangle, edge, &ridge) &&
                il_near_ridge(near, &ridge)) {
                touch_ridge(near, &ridge, solid, pose, feature, found);
            }
        }
    }
}
