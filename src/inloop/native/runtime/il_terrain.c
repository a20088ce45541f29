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

/* Its normal; not 0: it reaches into the box and has an area. */
static int complete(il_triangle *triangle, const il_bounds3 *box)
{
    double ab[3], ac[3];

    for (int k = 0; k < 3; k++) {
        const double a = triangle->corners[0][k], b = triangle->corners[1][k];
        const double c = triangle->corners[2][k];
        if (il_least(a, il_least(b, c)) > box->high[k] ||
            il_most(a, il_most(b, c)) < box->low[k]) {
            return 0;
        }
    }
    il_sub3(triangle->corners[1], triangle->corners[0], ab);
    il_sub3(triangle->corners[2], triangle->corners[0], ac);
    il_cross3(ab, ac, triangle->normal);
    return il_unit3(triangle->normal) > 0.0;
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

/* Both triangles of a cell, cut from its least corner to its greatest. */
static int64_t of_heights(const il_terrain *terrain, int64_t i, int64_t j, const il_bounds3 *box,
                          il_triangle *found, int64_t room)
{
    int64_t count = 0;

    for (int upper = 0; upper < 2 && count < room; upper++) {
        il_triangle *triangle = found + count;
        height_corner(terrain, i, j, triangle, 0);
        height_corner(terrain, i + 1, j + upper, triangle, 1);
        height_corner(terrain, i + 1 - upper, j + 1, triangle, 2);
        count += complete(triangle, box);
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
                       const il_bounds3 *box, il_triangle *found, int64_t room)
{
    const int32_t *starts = terrain->starts + i * terrain->cells[1] + j;
    int64_t count = 0;

    for (int64_t k = starts[0]; k < starts[1] && count < room; k++) {
        if (is_told_in(terrain, terrain->members[k], i, j, x, y)) {
            mesh_triangle(terrain, terrain->members[k], found + count);
            count += complete(found + count, box);
        }
    }
    return count;
}

int64_t il_terrain_near(const il_terrain *terrain, const il_bounds3 *box, il_triangle *found)
{
    const range x = cells_below(terrain, 0, box), y = cells_below(terrain, 1, box);
    int64_t count = 0;

    for (int64_t i = x.first; i <= x.last; i++) {
        for (int64_t j = y.first; j <= y.last; j++) {
            const int64_t room = IL_TERRAIN_MOST - count;
            count += terrain->heights
                         ? of_heights(terrain, i, j, box, found + count, room)
                         : of_mesh(terrain, i, j, x, y, box, found + count, room);
        }
    }
    return count;
}
