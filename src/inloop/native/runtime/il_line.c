/* The place of a line that is nearest to a solid; see il_line.h. */
#include "il_line.h"

#include "il_distance.h"
#include "il_vector3.h"

enum { ITERATIONS = 60 };

il_line_value il_line_look(const il_line *l, double part)
{
    il_line_value v;
    double point[3];

    il_along3(l->from, part, l->way, point);
    v.distance = il_distance(l->solid, point, v.gradient);
    v.slope = il_dot3(v.gradient, l->way);
    return v;
}

/* Where the tangents of two places meet; a convex function is above both. */
typedef struct meeting {
    double part, distance;
} meeting;

static meeting tangents_meet(const il_line_place *low, const il_line_place *high)
{
    const double length = high->part - low->part, down = low->v.slope, up = high->v.slope;
    const double along = (high->v.distance - low->v.distance - up * length) / (down - up);
    const meeting found = {low->part + along, low->v.distance + down * along};

    return found;
}

/* Where the distance is least, between places at which it falls and rises; not 0: it is nowhere below
   the margin. In turn the next place is where a smooth slope would be zero, and where the tangents
   meet, which is the least one if it lies between two faces. */
static int descend(const il_line *l, double margin, il_line_place low, il_line_place high,
                   il_line_place *least)
{
    *least = low.v.distance < high.v.distance ? low : high;
    for (int k = 0; k < ITERATIONS; k++) {
        const meeting meet = tangents_meet(&low, &high);
        const double bound = meet.distance, falls = low.v.slope, rises = high.v.slope;
        if (bound > margin) {
            return 1;
        }
        if (least->v.distance - bound <= IL_LINE_EXACT * margin) {
            return 0;
        }
        const double smooth = low.part + (high.part - low.part) * falls / (falls - rises);
        il_line_place next = {.part = k % 2 ? meet.part : smooth};
        next.v = il_line_look(l, next.part);
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
static double first_part(const il_line *l)
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

int il_line_nearest(const il_line *l, double margin, il_line_place *least)
{
    il_line_place first = {.part = first_part(l)};

    first.v = il_line_look(l, first.part);
    /* where the tangent leads down to the end of the line */
    const double end = first.v.slope < 0.0 ? 1.0 : 0.0;
    const double bound = first.v.distance + first.v.slope * (end - first.part);
    *least = first;
    if (bound > margin || first.v.distance - bound <= IL_LINE_EXACT * margin) {
        return bound > margin;
    }
    const il_line_place last = {end, il_line_look(l, end)};
    if (first.v.slope < 0.0 ? last.v.slope <= 0.0 : last.v.slope >= 0.0) {
        *least = last;
        return last.v.distance > margin;
    }
    return end > 0.5 ? descend(l, margin, first, last, least)
                     : descend(l, margin, last, first, least);
}

