/* Tables of one and two variables, and stations along lines: functions defined by arrays.
 *
 * For one state at a time; il_scalar.h derives the functions that generated code calls. */
#ifndef IL_CHART_H
#define IL_CHART_H

#include <math.h>
#include <stdint.h>

#ifdef __GNUC__
#define IL_CHART static inline __attribute__((unused))
#else
#define IL_CHART static inline
#endif

/* interval of x on a uniform grid: if it matches, no search is needed */
IL_CHART int il_even_piece(double x, int n, const double *breaks)
{
    double k;
    if (n <= 8) return 0; /* bisection is faster than a division */
    k = (x - breaks[0]) / (breaks[n] - breaks[0]) * n;
    return k >= 0.0 && k < n ? (int)k : 0;
}

/* interval that contains x; x is within the ends */
IL_CHART int il_piece_with(double x, int n, const double *breaks)
{
    const int even = il_even_piece(x, n, breaks);
    int low = 0, high = n;
    if (x >= breaks[even] && x < breaks[even + 1]) return even;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (x >= breaks[middle]) low = middle; else high = middle;
    }
    return low;
}

/* piecewise cubic: row k of c holds c0..c3 on [x_k, x_{k+1}); constant beyond the ends */
IL_CHART double il_table_1(double x, int n, const double *breaks, const double *c, double below, double above)
{
    int low;
    double d;
    if (!(x >= breaks[0])) return x < breaks[0] ? below : x;
    if (x >= breaks[n]) return above;
    low = il_piece_with(x, n, breaks);
    d = x - breaks[low];
    c += 4 * low;
    return c[0] + d * (c[1] + d * (c[2] + d * c[3]));
}

/* interval that contains x, and the distance from its start; x is clamped to the ends */
IL_CHART int il_piece(double x, int n, const double *breaks, double *d, int *beyond)
{
    int low;
    *beyond = !(x >= breaks[0] && x < breaks[n]);
    if (x < breaks[0]) x = breaks[0];
    if (x > breaks[n]) x = breaks[n];
    low = il_piece_with(x, n, breaks);
    *d = x - breaks[low];
    return low;
}

/* c0 + c1 d + c2 d^2 + c3 d^3, or a derivative of it */
IL_CHART double il_cubic(const double *c, double d, int order)
{
    switch (order) {
    case 0: return c[0] + d * (c[1] + d * (c[2] + d * c[3]));
    case 1: return c[1] + d * (2.0 * c[2] + d * (3.0 * c[3]));
    case 2: return 2.0 * c[2] + d * (6.0 * c[3]);
    case 3: return 6.0 * c[3];
    default: return 0.0;
    }
}

/* patches of cubics: c_ij d^i e^j, 16 numbers per patch, patches along y are adjacent; constant
   beyond the edges, where derivatives across them are 0. A grid holds n + 1 breaks along x, m + 1
   along y, then the patches */
IL_CHART double il_table2_1(double x, double y, const double *grid, int n, int m, int by_x,
                               int by_y)
{
    const double *const x_breaks = grid, *const y_breaks = x_breaks + n + 1, *c = y_breaks + m + 1;
    double d, e, rows[4];
    int beyond_x, beyond_y;
    const int k = il_piece(x, n, x_breaks, &d, &beyond_x);
    const int l = il_piece(y, m, y_breaks, &e, &beyond_y);
    if (x != x || y != y) return x + y;
    if ((by_x > 0 && beyond_x) || (by_y > 0 && beyond_y)) return 0.0;
    c += 16 * ((int64_t)k * m + l);
    for (int i = 0; i < 4; i++, c += 4) rows[i] = il_cubic(c, e, by_y);
    return il_cubic(rows, d, by_x);
}

/* position of x among count uniform points: the point before it, and weights of the B-splines
   around it, or their derivatives; x is clamped to the ends */
IL_CHART int il_splines(double x, int count, double step, int degree, int order, double *weights)
{
    static const double linear[2][4] = {{1.0, -1.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}};
    static const double cubic[4][4] = {{1.0 / 6.0, -0.5, 0.5, -1.0 / 6.0},
                                       {4.0 / 6.0, 0.0, -1.0, 0.5},
                                       {1.0 / 6.0, 0.5, 0.5, -0.5},
                                       {0.0, 0.0, 0.0, 1.0 / 6.0}};
    const int beyond = !(x >= 0.0 && x < count - 1.0);
    double scale = order > 0 && beyond ? 0.0 : 1.0;
    int k;
    if (!(x > 0.0)) x = 0.0;
    if (x > count - 1.0) x = count - 1.0;
    k = (int)x;
    if (k > count - 2) k = count - 2;
    for (int i = 0; i < order; i++) scale /= step;
    for (int i = 0; i <= degree; i++)
        weights[i] = scale * il_cubic(degree == 3 ? cubic[i] : linear[i], x - k, order);
    return k;
}

/* sum of B-splines of degree 1 or 3. A grid holds the number of points along x and y, first x, x
   step, first y, y step, then weights by rows, with one more at each edge for degree 3 */
IL_CHART double il_spline2_1(double x, double y, const double *grid, int degree, int by_x, int by_y)
{
    const int n = (int)grid[0], m = (int)grid[1];
    double along_x[4], along_y[4], z = 0.0;
    const int k = il_splines((x - grid[2]) / grid[3], n, grid[3], degree, by_x, along_x);
    const int l = il_splines((y - grid[4]) / grid[5], m, grid[5], degree, by_y, along_y);
    const double *c = grid + 6 + (int64_t)k * (m + degree - 1) + l;
    if (x != x || y != y) return x + y;
    for (int i = 0; i <= degree; i++, c += m + degree - 1) {
        double row = 0.0;
        for (int j = 0; j <= degree; j++) row += along_y[j] * c[j];
        z += along_x[i] * row;
    }
    return z;
}

/* arc length along a piece of a line to the foot of the perpendicular from (x, y), by Newton's
   method from the middle of piece *k, which becomes the piece of the foot; *away is the distance
   squared. Lines are extended straight at their ends, by at most 99 m */
IL_CHART double il_foot(double x, double y, const double *pieces, int *k, double *away)
{
    const double *c = pieces + 12 * (int64_t)*k;
    double d = 0.5 * c[1];
    for (int i = 0; i < 12; i++) {
        const double ex = x - il_cubic(c + 4, d, 0), ey = y - il_cubic(c + 8, d, 0);
        const double tx = il_cubic(c + 4, d, 1), ty = il_cubic(c + 8, d, 1);
        const double size = tx * tx + ty * ty;
        double bent = size - ex * il_cubic(c + 4, d, 2) - ey * il_cubic(c + 8, d, 2);
        double step;
        if (bent < 0.25 * size) bent = 0.25 * size; /* near the center of curvature */
        step = (ex * tx + ey * ty) / bent;
        d += step;
        for (int hop = 0; hop < 32 && d > c[1] && *k < (int)c[3]; hop++) {
            d -= c[1];
            ++*k;
            c += 12;
        }
        for (int hop = 0; hop < 32 && d < 0.0 && *k > (int)c[2]; hop++) {
            --*k;
            c -= 12;
            d += c[1];
        }
        if (d < 0.0) d = 0.0;
        if (d > c[1]) d = c[1];
        if (fabs(step) <= 1e-9 * c[1]) break;
    }
    x -= il_cubic(c + 4, d, 0);
    y -= il_cubic(c + 8, d, 0);
    *away = x * x + y * y;
    if ((d <= 0.0 && *k == (int)c[2]) || (d >= c[1] && *k == (int)c[3])) {
        const double tx = il_cubic(c + 4, d, 1), ty = il_cubic(c + 8, d, 1);
        double over = (x * tx + y * ty) / (tx * tx + ty * ty);
        if (over > 99.0) over = 99.0;
        if (over < -99.0) over = -99.0;
        if ((over < 0.0) == (d <= 0.0)) d += over;
    }
    return d;
}

/* station of the nearest point of lines: for the contents of a line see symbolic/lines.py */
IL_CHART double il_station_1(double x, double y, const double *line)
{
    const int nx = (int)line[3], ny = (int)line[4];
    const double *const starts = line + 6;
    const double *const lists = starts + (int64_t)nx * ny + 1;
    const double *const pieces = lists + (int64_t)starts[(int64_t)nx * ny];
    double column = (x - line[0]) / line[2], row = (y - line[1]) / line[2];
    double nearest = INFINITY, found = 0.0;
    int64_t cell;
    if (x != x || y != y) return x + y;
    column = column > 0.0 ? (column < nx - 1.0 ? column : nx - 1.0) : 0.0;
    row = row > 0.0 ? (row < ny - 1.0 ? row : ny - 1.0) : 0.0;
    cell = (int64_t)column * ny + (int64_t)row;
    for (int64_t i = (int64_t)starts[cell]; i < (int64_t)starts[cell + 1]; i++) {
        int k = (int)lists[i];
        double away;
        const double d = il_foot(x, y, pieces, &k, &away);
        if (away < nearest) {
            nearest = away;
            found = pieces[12 * (int64_t)k] + d;
        }
    }
    return found;
}

#endif
