/* The place of a line that is nearest to a solid. Not for users.
 *
 * The distance of a convex solid from a point, negative inside, is a convex function of the point, so
 * that along a line it has one least value, at which its slope changes sign: the slope is brought to
 * zero by the Illinois variant of regula falsi. */
#ifndef IL_LINE_H
#define IL_LINE_H

#include "il_collision.h"

/* A ridge as the solid sees it, in axes of B. */
typedef struct il_line {
    const il_shape *solid;
    double from[3], way[3];
} il_line;

/* Distance, its slope along the line, and its gradient. */
typedef struct il_line_value {
    double distance, slope, gradient[3];
} il_line_value;

/* A place on the line, and the distance there. */
typedef struct il_line_place {
    double part;
    il_line_value v;
} il_line_place;

/* A distance that is known to this part of the margin is the least. */
#define IL_LINE_EXACT 1e-11

/* Distance, slope and gradient at a part of the line. */
il_line_value il_line_look(const il_line *l, double part);

/* The place that is nearest to the solid; not 0: it is farther than the margin. */
int il_line_nearest(const il_line *l, double margin, il_line_place *least);

#endif
