/* Which triangles of the ground are near; see il_terrain.h. */
#include "il_terrain.h"

#include "il_vector3.h"

/* cells below a range of one coordinate */
typedef struct range {
    int64_t first, last;
} range;

static int64_t cell_of(const il_terrain *terrain, int axis, double value)
{
    const double place = floor((value - terrain->origin[axis]) / terrain->cell[axis]);
    const double last = (double)(terrain->cells[axis] - 1);

    /* also what is not a number becomes a cell */
    return place > 0.0 ? (int64_t)(place < last ? place : last) : 0;
}

static range cells_below(const il_terrain *terrain, int axis, const il_bounds3 *box)
{
    const range found = {cell_of(terrain, axis, box->low[axis]),
                         cell_of(terrain, axis, box->high[axis])};
    return found;
}

/* How far a coordinate is outside a range. */
static inline double outside(double low, double high, double value)
{
    return il_most(0.0, il_most(low - value, value - high));
}

static inline int overlap(const il_bounds3 *a, const il_bounds3 *b, int axis)
{
    return a->low[axis] <= b->high[axis] && a->high[axis] >= b->low[axis];
}

/* Not 0: what lies in these bounds may reach into the box and the ball. */
static inline int may_reach(const il_bounds3 *bounds, const il_region *region)
{
    const double *low = bounds->low, *high = bounds->high, *center = region->center;
    const double x = outside(low[0], high[0], center[0]), y = outside(low[1], high[1], center[1]);
    const double z = outside(low[2], high[2], center[2]);

    return x * x + y * y + z * z <= region->reach * region->reach &&
           overlap(bounds, &region->box, 0) && overlap(bounds, &region->box, 1) &&
           overlap(bounds, &region->box, 2);
}

/* Its normal; not 0: it is near and has an area. */
static int complete(il_triangle *triangle, const il_region *region)
{
    il_bounds3 bounds;
    double ab[3], ac[3];

    for (int k = 0; k < 3; k++) {
        const double a = triangle->corners[0][k], b = triangle->corners[1][k];
        const double c = triangle->corners[2][k];
        bounds.low[k] = il_least(a, il_least(b, c));
        bounds.high[k] = il_most(a, il_most(b, c));
    }
    if (!may_reach(&bounds, region)) {
        return 0;
    }
    il_sub3(triangle->corners[1], triangle->corners[0], ab);
    il_sub3(triangle->corners[2], triangle->corners[0], ac);
    il_cross3(ab, ac, triangle->normal);
    /* its root is not waited for: the place of the next triangle depends on this decision */
    const double square = il_dot3(triangle->normal, triangle->normal);
    if (!(square > 0.0)) {
        return 0;
    }
    const double scale = 1.0 / sqrt(square);
    for (int k = 0; k < 3; k++) {
        triangle->normal[k] *= scale;
    }
    return 1;
}

/* Corner i, j of a heightfield. */
static void height_corner(const il_terrain *terrain, int64_t i, int64_t j, il_triangle *triangle,
                          int k)
{
    const int64_t number = i * (terrain->cells[1] + 1) + j;

    triangle->numbers[k] = number;
    triangle->corners[k][0] = terrain->origin[0] + (double)i * terrain->cell[0];
    triangle->corners[k][1] = terrain->origin[1] + (double)j * terrain->cell[1];
    triangle->corners[k][2] = terrain->heights[number];
}

/* Not 0: the cell may reach into the box and the ball. */
static int cell_may_reach(const il_terrain *terrain, int64_t i, int64_t j, const il_region *region)
{
    const double *least = terrain->heights + i * (terrain->cells[1] + 1) + j;
    const double *next = least + terrain->cells[1] + 1;
    const double x = terrain->origin[0] + (double)i * terrain->cell[0];
    const double y = terrain->origin[1] + (double)j * terrain->cell[1];
    const il_bounds3 bounds = {
        {x, y, il_least(il_least(least[0], least[1]), il_least(next[0], next[1]))},
        {x + terrain->cell[0], y + terrain->cell[1],
         il_most(il_most(least[0], least[1]), il_most(next[0], next[1]))},
    };

    return may_reach(&bounds, region);
}

/* Both triangles of a cell, cut from its least corner to its greatest. */
static int64_t of_heights(const il_terrain *terrain, int64_t i, int64_t j, const il_region *region,
                          il_triangle *found, int64_t room)
{
    int64_t count = 0;

    if (!cell_may_reach(terrain, i, j, region)) {
        return 0;
    }
    for (int upper = 0; upper < 2 && count < room; upper++) {
        il_triangle *triangle = found + count;
        height_corner(terrain, i, j, triangle, 0);
        height_corner(terrain, i + 1, j + upper, triangle, 1);
        height_corner(terrain, i + 1 - upper, j + 1, triangle, 2);
        count += complete(triangle, region);
    }
    return count;
}

static void mesh_triangle(const il_terrain *terrain, int64_t number, il_triangle *triangle)
{
    for (int k = 0; k < 3; k++) {
        triangle->numbers[k] = terrain->triangles[3 * number + k];
        for (int axis = 0; axis < 3; axis++) {
            triangle->corners[k][axis] = terrain->vertices[3 * triangle->numbers[k] + axis];
        }
    }
}

/* Not 0: a triangle that lies in several cells is looked at in this one, the first of the search. */
static int is_told_in(const il_terrain *terrain, int64_t number, int64_t i, int64_t j, range x,
                      range y)
{
    const int32_t *own = terrain->firsts + 2 * number;
    return i == (own[0] > x.first ? own[0] : x.first) && j == (own[1] > y.first ? own[1] : y.first);
}

/* Those of the mesh that are in a cell. */
static int64_t of_mesh(const il_terrain *terrain, int64_t i, int64_t j, range x, range y,
                       const il_region *region, il_triangle *found, int64_t room)
{
    const int32_t *starts = terrain->starts + i * terrain->cells[1] + j;
    int64_t count = 0;

    for (int64_t k = starts[0]; k < starts[1] && count < room; k++) {
        if (is_told_in(terrain, terrain->members[k], i, j, x, y)) {
            mesh_triangle(terrain, terrain->members[k], found + count);
            count += complete(found + count, region);
        }
    }
    return count;
}

int64_t il_terrain_near(const il_terrain *terrain, const il_region *region, il_triangle *found)
{
    const range x = cells_below(terrain, 0, &region->box), y = cells_below(terrain, 1, &region->box);
    int64_t count = 0;

    for (int64_t i = x.first; i <= x.last; i++) {
        for (int64_t j = y.first; j <= y.last; j++) {
            const int64_t room = IL_TERRAIN_MOST - count;
            count += terrain->heights
                         ? of_heights(terrain, i, j, region, found + count, room)
                         : of_mesh(terrain, i, j, x, y, region, found + count, room);
        }
    }
    return count;
}
