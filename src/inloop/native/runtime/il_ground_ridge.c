/* A wheel, a cone or a box against a ridge of the ground: it touches where the ridge is nearest
 * (il_line.h), and where it runs along a face or a tread at both ends of the part that does. */
#include <string.h>

#include "il_distance.h"
#include "il_ground.h"
#include "il_line.h"
#include "il_vector3.h"

/* the part of a ridge that runs along a face touches whole if its ends are this near to it, in parts
   of the margin */
static const double level = 0.1;

/* a slope that is no larger, per length of the ridge, is none */
static const double flat = 1e-9;

/* a face that a ridge belongs to is at most so many times as deep in the solid as the ridge, if both are
   one touch */
static const double deeper = 1.5;

/* this far along a ridge, in parts of it, is beside a place */
static const double beside = 1e-9;

/* Cut the line to |direction·x| <= half. */
static void cut(const il_line *l, const double *direction, double half, double *low, double *high)
{
    const double begins = il_dot3(l->from, direction), runs = il_dot3(l->way, direction);

    if (fabs(runs) > 0.0) {
        const double one = (-half - begins) / runs, other = (half - begins) / runs;
        *low = il_most(*low, il_least(one, other));
        *high = il_least(*high, il_most(one, other));
    }
}

/* Which part of a round solid has this gradient. */
enum part { TREAD, END, CURVED };

static enum part part_with(const il_shape *solid, const double *gradient)
{
    const double along = il_dot3(gradient, solid->axis);
    const int cone = solid->kind == IL_CONE;

    if (solid->kind != IL_CYLINDER && !cone) {
        return CURVED;
    }
    if (cone ? along < flat - 1.0 : fabs(along) > 1.0 - flat) {
        return END;
    }
    const double up =
        cone ? solid->radius / sqrt(solid->radius * solid->radius + 4.0 * solid->half * solid->half)
             : 0.0;
    return fabs(along - up) <= flat ? TREAD : CURVED;
}

/* How far a place is outside the one face, end or tread that has this gradient, and the gradient
   there. Not 0: it belongs to an edge, a corner or a rim. */
static int outside_face(const il_line *l, double part, const double *gradient, il_line_value *found)
{
    const il_shape *solid = l->solid;
    double point[3], radial[3];

    il_along3(l->from, part, l->way, point);
    il_along3(gradient, 0.0, gradient, found->gradient);
    for (int k = 0; k < 3 && solid->kind == IL_BOX; k++) {
        if (fabs(gradient[k]) > 1.0 - flat) {
            found->distance = fabs(point[k]) - solid->edges[k];
            return 0;
        }
    }
    if (solid->kind == IL_BOX) {
        return 1;
    }
    const enum part which = part_with(solid, gradient);
    if (which == END) {
        found->distance = il_dot3(point, gradient) - solid->half;
        return 0;
    }
    const double up = il_dot3(gradient, solid->axis), along = il_dot3(point, solid->axis);
    il_along3(point, -along, solid->axis, radial);
    /* the side of a cone is that of a cylinder which gets thinner */
    const double across = sqrt(1.0 - up * up);
    found->distance = (il_unit3(radial) - solid->radius) * across + (along + solid->half) * up;
    for (int k = 0; k < 3; k++) {
        found->gradient[k] = across * radial[k] + up * solid->axis[k];
    }
    return which == CURVED;
}

/* Cut the line to what is nearer to the axis than the radius. */
static void cut_to_rim(const il_line *l, double *low, double *high)
{
    const double *axis = l->solid->axis, radius = l->solid->radius;
    double from[3], way[3];

    il_along3(l->from, -il_dot3(l->from, axis), axis, from);
    il_along3(l->way, -il_dot3(l->way, axis), axis, way);
    const double square = il_dot3(way, way);
    if (!(square > 0.0)) {
        return;
    }
    const double middle = -il_dot3(from, way) / square;
    const double rest = middle * middle - (il_dot3(from, from) - radius * radius) / square;
    const double half = sqrt(il_most(0.0, rest));
    *low = il_most(*low, middle - half);
    *high = il_least(*high, middle + half);
}

/* The part of the line that is over the face, the end or the tread that has this gradient. */
static void over_face(const il_line *l, const double *gradient, double *low, double *high)
{
    *low = 0.0;
    *high = 1.0;
    if (l->solid->kind != IL_BOX) {
        if (part_with(l->solid, gradient) == END) {
            cut_to_rim(l, low, high);
        } else {
            cut(l, l->solid->axis, l->solid->half, low, high);
        }
        return;
    }
    for (int k = 0; k < 3; k++) {
        const double direction[3] = {k == 0, k == 1, k == 2};
        if (fabs(gradient[k]) < 0.5) {
            cut(l, direction, l->solid->edges[k], low, high);
        }
    }
}

/* Where the ridge touches: the place of the least distance, and both ends of the part that runs along
   the face or the tread there. Returns how many; along a face the least one is at an end. */
static int touching_places(const il_line *l, const il_line_place *least, double margin, il_line_place *places)
{
    double low, high;

    places[0] = *least;
    over_face(l, least->v.gradient, &low, &high);
    if (!(low < high) || least->part < low || least->part > high) {
        return 1;
    }
    il_line_place ends[2] = {{.part = low}, {.part = high}};
    for (int k = 0; k < 2; k++) {
        if (outside_face(l, ends[k].part, least->v.gradient, &ends[k].v) ||
            ends[k].v.distance > least->v.distance + level * margin) {
            return 1;
        }
    }
    const double nearer = il_least(ends[0].v.distance, ends[1].v.distance);
    const int own = least->v.distance < nearer - IL_LINE_EXACT * margin;
    places[own] = ends[0];
    places[own + 1] = ends[1];
    return own + 2;
}

/* Inside the solid two faces, or the tread and an end, may be as near, where the distance has no
   slope: there their edge touches the ridge, with the mean of both gradients that is across it, as it
   does from outside. */
static void at_edge(const il_line *l, il_line_place *least)
{
    const double slope = least->v.slope;
    il_line_place other = {.part = least->part + copysign(beside, -slope)};

    if (least->v.distance >= 0.0 || slope * slope <= flat * flat * il_dot3(l->way, l->way) ||
        other.part <= 0.0 || other.part >= 1.0) {
        return;
    }
    other.v = il_line_look(l, other.part);
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
            touch->gap <= gap + IL_LINE_EXACT * found->margin) {
            return 1;
        }
    }
    return 0;
}

/* All ridges against a solid. */
typedef struct search {
    const il_near *near;
    const il_shape *solid;
    const il_pose *pose;
    int64_t feature;
    il_spots *found;
    il_spot spare; /* where a ridge is deepest in the solid and does not touch; its gap is 0 if nowhere */
} search;

/* A place of a ridge, in axes of the ground. */
typedef struct spot {
    double point[3], normal[3];
} spot;

/* Where a ridge is inside the solid, the way out of it may lean a little past the normal of a face, while
   the deepest place of the solid is no more over that face: it touches with the normal of the face. */
static void touch_face(search *all, const il_ridge *ridge, const il_line_place *at, const spot *here)
{
    const double depth = at->v.distance;
    const il_triangle *face = il_ridge_leans_past(ridge, here->normal);
    const int leans = face != NULL && at->part > 0.0 && at->part < 1.0;

    if (depth >= 0.0) {
        return;
    }
    if (!leans) {
        face = ridge->side[1] && il_dot3(here->normal, ridge->side[1]->normal) >
                                     il_dot3(here->normal, ridge->side[0]->normal)
                   ? ridge->side[1]
                   : ridge->side[0];
    }
    const double gap = all->near->gaps[face - all->near->list];
    if (leans && gap >= deeper * depth) {
        if (!is_found(all->found, face->normal, gap)) {
            il_spot_add(all->found, here->point, 1, face->normal, il_most(gap, depth),
                        all->feature);
        }
    } else if (depth < all->spare.gap) {
        all->spare.gap = depth;
        memcpy(all->spare.point, here->point, sizeof here->point);
        memcpy(all->spare.normal, face->normal, sizeof face->normal);
    }
}

static void touch_ridge(search *all, const il_ridge *ridge)
{
    const il_pose *pose = all->pose;
    il_line l = {.solid = all->solid};
    double from[3], way[3];
    il_line_place least, places[3];

    il_sub3(ridge->from, pose->p, from);
    il_sub3(ridge->to, ridge->from, way);
    il_turn_back3(pose->R, from, l.from);
    il_turn_back3(pose->R, way, l.way);
    if (il_line_nearest(&l, all->found->margin, &least)) {
        return;
    }
    at_edge(&l, &least);
    const int count = touching_places(&l, &least, all->found->margin, places);
    for (int k = 0; k < count; k++) {
        const double *gradient = places[k].v.gradient;
        const double inward[3] = {-gradient[0], -gradient[1], -gradient[2]};
        spot here;
        il_turn3(pose->R, inward, here.normal);
        il_along3(ridge->from, places[k].part, way, here.point);
        if (il_ridge_is_nearest(all->near, ridge, places[k].part, here.normal)) {
            il_spot_add(all->found, here.point, 1, here.normal, places[k].v.distance,
                        all->feature);
        } else {
            touch_face(all, ridge, places + k, &here);
        }
    }
}

/* A solid that no touch leads out of the ground, though a ridge is in it, touches where it is deepest. */
static void touch_spare(const search *all)
{
    for (int64_t k = 0; k < all->found->count; k++) {
        if (all->found->list[k].gap < 0.0) {
            return;
        }
    }
    if (all->spare.gap < 0.0) {
        il_spot_add(all->found, all->spare.point, 1, all->spare.normal, all->spare.gap,
                    all->feature);
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
    const double height = il_distance(solid, point, gradient);
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
    search all = {near, solid, pose, feature, found, {.gap = 0.0}};
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
                touch_ridge(&all, &ridge);
            }
        }
    }
    touch_spare(&all);
}
