/* Attitudes of ball joints: unit quaternions p = (w, x, y, z), four entries at the end of q.
 *
 * dp/dt = p (0, om) / 2, with the angular velocity om in body axes, which is three consecutive
 * entries of qd. Generated functions use the rotation of p / |p|, so that normalizing after a step
 * changes nothing else.
 */
#ifndef IL_ATTITUDE_H
#define IL_ATTITUDE_H

#include <float.h>
#include <math.h>
#include <stdint.h>

enum { IL_QUATERNION = 4 }; /* numbers of an attitude */

/* to = from + p (0, turn) / 2 */
static inline void il_attitude_add(const double *p, const double *turn, const double *from,
                                   double *to)
{
    const double w = p[0], x = p[1], y = p[2], z = p[3];
    const double a = 0.5 * turn[0], b = 0.5 * turn[1], c = 0.5 * turn[2];
    to[0] = from[0] - (x * a) - y * b - z * c;
    to[1] = from[1] + w * a + (y * c - z * b);
    to[2] = from[2] + w * b + (z * a - x * c);
    to[3] = from[3] + w * c + (x * b - y * a);
}

/* Rates of attitudes p; turned: index of the first of the three coordinates of each. */
static inline void il_attitude_rates(int64_t count, const int64_t *turned, const double *p,
                                     const double *qd, double *pd)
{
    static const double none[IL_QUATERNION] = {0.0, 0.0, 0.0, 0.0};
    for (int64_t k = 0; k < count; k++) {
        il_attitude_add(p + IL_QUATERNION * k, qd + turned[k], none, pd + IL_QUATERNION * k);
    }
}

/* Normalize. A quaternion of unit length up to rounding is left unchanged, to the last bit, so that
   a run continued from a saved state is identical; so is one that is zero or not finite. */
static inline void il_attitude_normalize(int64_t count, double *p)
{
    for (int64_t k = 0; k < count; k++, p += IL_QUATERNION) {
        const double square = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3];
        if (square > 0.0 && square < HUGE_VAL && fabs(square - 1.0) > 8.0 * DBL_EPSILON) {
            const double length = sqrt(square);
            for (int i = 0; i < IL_QUATERNION; i++) {
                p[i] /= length;
            }
        }
    }
}

/* Rotate attitudes by small corrections dq of their coordinates; their length changes by the square
   of a correction, which does not affect the rotation. */
static inline void il_attitude_turn(int64_t count, const int64_t *turned, const double *dq, double *p)
{
    for (int64_t k = 0; k < count; k++) {
        double *own = p + IL_QUATERNION * k;
        const double *turn = dq + turned[k];
        if (turn[0] != 0.0 || turn[1] != 0.0 || turn[2] != 0.0) {
            il_attitude_add(own, turn, own, own);
        }
    }
}

#endif
