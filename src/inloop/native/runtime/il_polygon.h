/* Convex polygons in space that lie over a plane, cut to the part of each other. Not for users. */
#ifndef IL_POLYGON_H
#define IL_POLYGON_H

/* Keep the part of a polygon with direction·x <= most; a line has two corners. Corners that are
   outside by less than `slack` stay as they are: faces with a common edge are not cut anew wherever
   rounding leaves them. Returns the number of corners that are left, `room` at most. */
int il_polygon_cut(int count, double polygon[][3], const double *direction, double most,
                   double slack, int room);

/* Order points as the corners of the polygon around them, seen along a unit vector, and leave out
   those inside it. Returns how many are left. */
int il_polygon_around(int count, double points[][3], const double *normal);

#endif
