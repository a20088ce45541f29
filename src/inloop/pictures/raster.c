/* Fills triangles into a picture, the nearest one wins at each pixel; and makes pictures smaller.
 *
 * Corners are in pixels, x to the right and y down, with a nearness that is linear on the screen and
 * grows towards the eye. Pixels whose centers lie between the left edge (included) and the right
 * edge (left out) of a row are filled, so that triangles that share an edge share no pixel.
 */
#include <math.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))
#define FARTHEST 1e6f /* pixels: corners beyond are not drawn */
enum { X, Y, NEAR, RED, GREEN, BLUE, CORNER }; /* numbers of a corner; colors from 0 to 255 */

typedef struct {
    int64_t width, height;
    float *nearness; /* of each pixel */
    uint8_t *pixels; /* red, green, blue */
} picture;

static int64_t clamped(float value, int64_t most)
{
    return value < 0.0f ? 0 : value > (float)most ? most : (int64_t)value;
}

/* Where an edge from a to b crosses a row. */
static float crossing(const float *a, const float *b, float y)
{
    return a[X] + (b[X] - a[X]) * (y - a[Y]) / (b[Y] - a[Y]);
}

static int is_drawn(const float *const corner[3])
{
    for (int k = 0; k < 3; k++) {
        if (!(fabsf(corner[k][X]) < FARTHEST && fabsf(corner[k][Y]) < FARTHEST
              && isfinite(corner[k][NEAR])))
            return 0;
    }
    return 1;
}

/* Derivatives of what a corner holds by x and y; 0 for a triangle without an area. */
static int slopes(const float *const corner[3], float by_x[CORNER], float by_y[CORNER])
{
    const float ux = corner[1][X] - corner[0][X], uy = corner[1][Y] - corner[0][Y];
    const float vx = corner[2][X] - corner[0][X], vy = corner[2][Y] - corner[0][Y];
    const float area = ux * vy - uy * vx;
    if (fabsf(area) < 1e-9f)
        return 0;
    for (int k = NEAR; k < CORNER; k++) {
        const float u = corner[1][k] - corner[0][k], v = corner[2][k] - corner[0][k];
        by_x[k] = (u * vy - v * uy) / area;
        by_y[k] = (v * ux - u * vx) / area;
    }
    return 1;
}

static uint8_t mixed(uint8_t below, float above, float opacity)
{
    const float value = opacity * above + (1.0f - opacity) * (float)below;
    return (uint8_t)(value < 0.0f ? 0.0f : value > 255.0f ? 255.0f : value + 0.5f);
}

static void fill_row(const picture *on, int64_t row, float left, float right, const float *first,
                     const float *by_x, const float *by_y, float opacity)
{
    const int64_t begin = clamped(ceilf(left - 0.5f), on->width);
    const int64_t end = clamped(ceilf(right - 0.5f), on->width);
    const float dy = (float)row + 0.5f - first[Y];
    for (int64_t column = begin; column < end; column++) {
        const int64_t at = row * on->width + column;
        const float dx = (float)column + 0.5f - first[X];
        const float nearness = first[NEAR] + by_x[NEAR] * dx + by_y[NEAR] * dy;
        if (!(nearness > on->nearness[at]))
            continue;
        if (opacity >= 1.0f)
            on->nearness[at] = nearness;
        for (int k = 0; k < 3; k++) {
            const float color = first[RED + k] + by_x[RED + k] * dx + by_y[RED + k] * dy;
            on->pixels[3 * at + k] = mixed(on->pixels[3 * at + k], color, opacity);
        }
    }
}

static void fill(const picture *on, const float *triangle, float opacity)
{
    const float *corner[3] = {triangle, triangle + CORNER, triangle + 2 * CORNER};
    float by_x[CORNER], by_y[CORNER];
    if (!is_drawn(corner) || !slopes(corner, by_x, by_y))
        return;
    /* from the top to the bottom */
    for (int k = 0; k < 3; k++) {
        const int i = k == 1 ? 1 : 0;
        if (corner[i + 1][Y] < corner[i][Y]) {
            const float *other = corner[i];
            corner[i] = corner[i + 1];
            corner[i + 1] = other;
        }
    }
    const int64_t begin = clamped(ceilf(corner[0][Y] - 0.5f), on->height);
    const int64_t end = clamped(ceilf(corner[2][Y] - 0.5f), on->height);
    for (int64_t row = begin; row < end; row++) {
        const float y = (float)row + 0.5f;
        const int below = y >= corner[1][Y];
        const float a = crossing(corner[0], corner[2], y);
        const float b = crossing(corner[below], corner[below + 1], y);
        fill_row(on, row, fminf(a, b), fmaxf(a, b), triangle, by_x, by_y, opacity);
    }
}

/* Triangles of 3 corners with 6 numbers each; those that are not opaque hide nothing. */
EXPORT void il_draw_triangles(int64_t count, const float *triangles, double opacity, int64_t width,
                              int64_t height, float *nearness, uint8_t *pixels)
{
    const picture on = {width, height, nearness, pixels};
    for (int64_t k = 0; k < count; k++)
        fill(&on, triangles + 3 * CORNER * k, (float)opacity);
}

/* Each pixel of `small` is the mean of a square of factor x factor pixels of `large`. */
EXPORT void il_reduce(int64_t factor, int64_t width, int64_t height, const uint8_t *large,
                      uint8_t *small)
{
    const int64_t stride = 3 * width * factor, count = factor * factor;
    for (int64_t row = 0; row < height; row++) {
        for (int64_t at = 0; at < 3 * width; at++) {
            const uint8_t *from = large + row * factor * stride + (at / 3) * 3 * factor + at % 3;
            int64_t sum = count / 2;
            for (int64_t i = 0; i < factor; i++)
                for (int64_t j = 0; j < factor; j++)
                    sum += from[i * stride + 3 * j];
            small[3 * width * row + at] = (uint8_t)(sum / count);
        }
    }
}
