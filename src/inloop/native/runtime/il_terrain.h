/* Ground of triangles, as constant tables: a heightfield, or a mesh with a grid of cells over x, y.
 *
 * Triangles are counterclockwise seen from outside; corners that triangles share have one number, so
 * that neighbours are known by it. Nothing is allocated, and a search looks at the cells below the
 * given box only.
 */
#ifndef IL_TERRAIN_H
#define IL_TERRAIN_H

#include <stdint.h>

/* most triangles of one search; whoever makes the tables sees to it that there are no more */
#define IL_TERRAIN_MOST 256

typedef struct il_terrain {
    double origin[2];      /* least x and y [m] */
    double cell[2];        /* edges of a cell [m] */
    int64_t cells[2];      /* along x and y */
    /* of a heightfield: heights at the corners of the cells, y faster [m]; else NULL */
    const double *heights;
    /* of a mesh */
    const double *vertices;
    const int32_t *triangles;
    const int32_t *starts;  /* where the triangles of each cell begin in members, y faster; the end */
    const int32_t *members;
    const int32_t *firsts;  /* of each triangle, the least cell it is in, along x and y */
} il_terrain;

/* One triangle. */
typedef struct il_triangle {
    double corners[3][3]; /* [m] */
    double normal[3];     /* unit vector to the outside */
    int64_t numbers[3];   /* of the corners */
} il_triangle;

/* A box along the axes, [m]. */
typedef struct il_bounds3 {
    double low[3], high[3];
} il_bounds3;

/* Where triangles are looked for: in a box and in a ball, [m]. */
typedef struct il_region {
    il_bounds3 box;
    double center[3], reach;
} il_region;

/* The triangles that may reach into the box and the ball, into a place for IL_TERRAIN_MOST of them;
   returns how many. Triangles without an area are left out. */
int64_t il_terrain_near(const il_terrain *terrain, const il_region *region, il_triangle *found);

/* Closest point of a triangle. Returns the number of corners of the feature it lies on: 3 inside, 2
   on an edge, 1 at a corner; `which` holds their places in the triangle. */
int il_triangle_closest(const il_triangle *triangle, const double *point, double *closest,
                        int *which);

/* Not 0: the foot of a point on the plane of a triangle lies inside it, or on its edges. */
int il_triangle_below(const il_triangle *triangle, const double *point);

#endif
