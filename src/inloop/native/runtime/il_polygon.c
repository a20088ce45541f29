/* Polygons cut to the part of each other; see il_polygon.h. */
#include "il_polygon.h"

#include <string.h>

#include "il_vector3.h"

enum { ROOM = 80 };

int il_polygon_cut(int count, double polygon[][3], const double *direction, double most,
                   double slack, int room)
{
    double kept[ROOM][3];
    int left = 0;

    room = room < ROOM ? room : ROOM;
    for (int k = 0; k < count; k++) {
        const double *here = polygon[k], *next = polygon[k + 1 < count ? k + 1 : 0];
        const double in = il_dot3(direction, here) - most, out = il_dot3(direction, next) - most;
        if (in <= slack && left < room) {
            il_along3(here, 0.0, here, kept[left++]);
        }
        if (((in < -slack && out > slack) || (in > slack && out < -slack)) && left < room) {
            double way[3];
            il_sub3(next, here, way);
            il_along3(here, in / (in - out), way, kept[left++]);
        }
    }
    memcpy(polygon, kept, (size_t)left * sizeof kept[0]);
    return left;
}

/* How far x is to the left of the way from a to b, seen against the normal; times its length. */
static double left_of(const double *normal, const double *a, const double *b, const double *x)
{
    double way[3], to[3], across[3];

    il_sub3(b, a, way);
    il_sub3(x, a, to);
    il_cross3(way, to, across);
    return il_dot3(across, normal);
}

/* Squared distance across the normal. */
static double apart(const double *normal, const double *a, const double *b)
{
    double way[3];

    il_sub3(b, a, way);
    il_along3(way, -il_dot3(way, normal), normal, way);
    return il_dot3(way, way);
}

/* Gift wrapping: from each corner to the one that has all others on its left. */
int il_polygon_around(int count, double points[][3], const double *normal)
{
    double order[ROOM][3];
    int first = 0, left = 0;

    for (int k = 1; k < count; k++) {
        /* the one farthest from the first point is a corner */
        first = apart(normal, points[0], points[k]) > apart(normal, points[0], points[first])
                    ? k
                    : first;
    }
    int at = first;
    do {
        memcpy(order[left++], points[at], sizeof order[0]);
        int next = -1;
        for (int k = 0; k < count; k++) {
            if (!(apart(normal, points[at], points[k]) > 0.0)) {
                continue;
            }
            const double side =
                next < 0 ? -1.0 : left_of(normal, points[at], points[next], points[k]);
            const int farther = side == 0.0 && apart(normal, points[at], points[k]) >
                                                   apart(normal, points[at], points[next]);
            next = side < 0.0 || farther ? k : next;
        }
        at = next < 0 ? first : next;
    } while (at != first && left < count);
    memcpy(points, order, (size_t)left * sizeof order[0]);
    return left;
}
