/* The nearest points of convex cores that are apart; see il_nearest.h. */
#include <math.h>
#include <string.h>

#include "il_nearest.h"
#include "il_vector3.h"

enum { MOST_ITERATIONS = 64, CORNERS = 4 };

enum part { OF_DIFFERENCE, OF_A, OF_B };

/* nothing is gained where a new corner is nearer by less than this part of the distance */
static const double no_gain = 1e-14;

/* parts of the product of its diagonal below which a matrix counts as singular */
static const double singular = 1e-14;

typedef struct simplex {
    il_difference corners[CORNERS];
    double weights[CORNERS]; /* of the point that is nearest to the origin */
    int count;
} simplex;

/* Weights of the point of least length among all combinations of some corners whose weights add up
   to 1. Not 0: all of them are positive. */
static int balance(const simplex *s, const int *chosen, int count, double *weights)
{
    double edges[3][3], G[3][4];
    const double *base = s->corners[chosen[0]].w;
    const int n = count - 1;

    for (int i = 0; i < n; i++) {
        il_sub3(s->corners[chosen[i + 1]].w, base, edges[i]);
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            G[i][j] = il_dot3(edges[i], edges[j]);
        }
        G[i][n] = -il_dot3(edges[i], base);
    }
    for (int k = 0; k < n; k++) {
        const double pivot = G[k][k];
        if (!(pivot > singular * il_dot3(edges[k], edges[k]))) {
            return 0;
        }
        for (int i = 0; i < n; i++) {
            const double factor = i == k ? 0.0 : G[i][k] / pivot;
            for (int j = k; j <= n; j++) {
                G[i][j] -= factor * G[k][j];
            }
        }
    }
    weights[0] = 1.0;
    for (int i = 0; i < n; i++) {
        weights[i + 1] = G[i][n] / G[i][i];
        weights[0] -= weights[i + 1];
    }
    for (int i = 0; i < count; i++) {
        if (!(weights[i] > 0.0)) {
            return 0;
        }
    }
    return 1;
}

/* The point with these weights, of the differences or of the points of a or b. */
static void combine(const simplex *s, const int *chosen, int count, const double *weights,
                    enum part part, double *point)
{
    memset(point, 0, 3 * sizeof *point);
    for (int k = 0; k < count; k++) {
        const il_difference *corner = s->corners + chosen[k];
        const double *x = part == OF_DIFFERENCE ? corner->w : part == OF_A ? corner->a : corner->b;
        il_along3(point, weights[k], x, point);
    }
}

/* Keep the corners around the point of the simplex that is nearest to the origin; and find it. */
static void reduce(simplex *s, double *nearest)
{
    int best[CORNERS] = {0}, best_count = 0;
    double weights[CORNERS], least = INFINITY;

    for (int subset = 1; subset < 1 << s->count; subset++) {
        int chosen[CORNERS], count = 0;
        double tried[CORNERS], point[3];
        for (int k = 0; k < s->count; k++) {
            if (subset >> k & 1) {
                chosen[count++] = k;
            }
        }
        if (!balance(s, chosen, count, tried)) {
            continue;
        }
        combine(s, chosen, count, tried, OF_DIFFERENCE, point);
        const double square = il_dot3(point, point);
        if (square < least) {
            least = square;
            best_count = count;
            memcpy(best, chosen, sizeof best);
            memcpy(weights, tried, sizeof weights);
            memcpy(nearest, point, sizeof point);
        }
    }
    for (int k = 0; k < best_count; k++) {
        s->corners[k] = s->corners[best[k]];
        s->weights[k] = weights[k];
    }
    s->count = best_count;
}

/* Not 0: the corner is there already. */
static int has(const simplex *s, const double *w)
{
    for (int k = 0; k < s->count; k++) {
        if (memcmp(s->corners[k].w, w, sizeof s->corners[k].w) == 0) {
            return 1;
        }
    }
    return 0;
}

int il_nearest_apart(const il_solid *a, const il_solid *b, double touching, il_nearest *found)
{
    static const double any[3] = {1.0, 0.0, 0.0};
    simplex s = {.count = 1, .weights = {1.0}};
    double v[3], length = INFINITY;

    s.corners[0] = il_farthest_difference(a, b, any);
    memcpy(v, s.corners[0].w, sizeof v);
    for (int k = 0; k < MOST_ITERATIONS; k++) {
        const double before = length;
        length = sqrt(il_dot3(v, v));
        if (length <= touching || s.count == CORNERS) {
            return 1;
        }
        const double back[3] = {-v[0], -v[1], -v[2]};
        const il_difference next = il_farthest_difference(a, b, back);
        const double gain = length - il_dot3(v, next.w) / length;
        if (gain <= no_gain * length || length >= before || has(&s, next.w)) {
            break;
        }
        s.corners[s.count] = next;
        s.count++;
        reduce(&s, v);
    }
    const int all[CORNERS] = {0, 1, 2, 3};
    combine(&s, all, s.count, s.weights, OF_A, found->on_a);
    combine(&s, all, s.count, s.weights, OF_B, found->on_b);
    memcpy(found->normal, v, sizeof v);
    found->distance = il_unit3(found->normal);
    return 0;
}
