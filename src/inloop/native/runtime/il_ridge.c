/* Edges over which the ground bends away; see il_ground.h. */
#include "il_ground.h"
#include "il_vector3.h"

/* a bend by less than this is flat, and directions across a normal up to this are across it */
static const double flat = 1e-9;

static int place_of(const il_triangle *triangle, int64_t number)
{
    for (int k = 0; k < 3; k++) {
        if (triangle->numbers[k] == number) {
            return k;
        }
    }
    return -1;
}

/* The corner of a triangle that is not on the ridge. */
static const double *apex(const il_triangle *triangle, const il_ridge *ridge)
{
    for (int k = 0; k < 3; k++) {
        if (triangle->numbers[k] != ridge->numbers[0] && triangle->numbers[k] != ridge->numbers[1]) {
            return triangle->corners[k];
        }
    }
    return triangle->corners[0];
}

int il_near_edge(const il_near *near, const il_triangle *triangle, int corner, il_ridge *edge)
{
    const int next = corner == 2 ? 0 : corner + 1;

    edge->from = triangle->corners[corner];
    edge->to = triangle->corners[next];
    edge->numbers[0] = triangle->numbers[corner];
    edge->numbers[1] = triangle->numbers[next];
    edge->side[0] = triangle;
    edge->side[1] = NULL;
    for (int k = 0; k < 3; k++) {
        if (il_least(edge->from[k], edge->to[k]) > near->region.box.high[k] ||
            il_most(edge->from[k], edge->to[k]) < near->region.box.low[k]) {
            return 0;
        }
    }
    return 1;
}

int il_near_ridge(const il_near *near, il_ridge *edge)
{
    for (int64_t k = 0; k < near->count; k++) {
        const il_triangle *other = near->list + k;
        double away[3];
        if (other == edge->side[0] || place_of(other, edge->numbers[0]) < 0 ||
            place_of(other, edge->numbers[1]) < 0) {
            continue;
        }
        edge->side[1] = other;
        il_sub3(apex(other, edge), edge->from, away);
        /* an edge has two directions: it is told with the one from the lesser number */
        return edge->numbers[0] < edge->numbers[1] &&
               il_dot3(away, edge->side[0]->normal) < -flat * sqrt(il_dot3(away, away));
    }
    return 1;
}

/* Not 0: going from a corner along the edges of its triangles leads away from the shape. */
static int is_peak(const il_near *near, int64_t number, const double *normal)
{
    for (int64_t k = 0; k < near->count; k++) {
        const il_triangle *triangle = near->list + k;
        const int place = place_of(triangle, number);
        for (int other = 0; other < 3 && place >= 0; other++) {
            double way[3];
            il_sub3(triangle->corners[other], triangle->corners[place], way);
            if (il_dot3(way, normal) > flat * sqrt(il_dot3(way, way))) {
                return 0;
            }
        }
    }
    return 1;
}

const il_triangle *il_ridge_leans_past(const il_ridge *ridge, const double *normal)
{
    double edge[3];

    il_sub3(ridge->to, ridge->from, edge);
    for (int k = 0; k < 2 && ridge->side[k]; k++) {
        /* into the triangle, across the ridge */
        double way[3];
        il_sub3(apex(ridge->side[k], ridge), ridge->from, way);
        il_along3(way, -il_dot3(way, edge) / il_dot3(edge, edge), edge, way);
        if (il_dot3(way, normal) > flat * sqrt(il_dot3(way, way))) {
            return ridge->side[k];
        }
    }
    return NULL;
}

int il_ridge_is_nearest(const il_near *near, const il_ridge *ridge, double part,
                        const double *normal)
{
    if (!(part > 0.0)) {
        return is_peak(near, ridge->numbers[0], normal);
    }
    if (!(part < 1.0)) {
        return is_peak(near, ridge->numbers[1], normal);
    }
    if (il_ridge_leans_past(ridge, normal)) {
        return 0;
    }
    return il_dot3(normal, ridge->side[0]->normal) > 0.0 ||
           (ridge->side[1] && il_dot3(normal, ridge->side[1]->normal) > 0.0);
}
