/* Rotations as unit quaternions (w, x, y, z), matrices by rows, and rotation vectors. */
#ifndef IL_ROTATION_H
#define IL_ROTATION_H

#include <math.h>

#include "il_attitude.h"
#include "il_vector3.h"

/* Quaternion of a rotation matrix, its largest component first (Shepperd 1978). */
static inline void il_quaternion_of(const double *R, double *e)
{
    const double trace = R[0] + R[4] + R[8];
    int k = 0;
    for (int i = 1; i < 3; i++) {
        k = R[4 * i] > R[4 * k] ? i : k;
    }
    if (trace >= R[4 * k]) {
        const double w = sqrt(1.0 + trace), s = 0.5 / w;
        e[0] = 0.5 * w;
        e[1] = s * (R[7] - R[5]);
        e[2] = s * (R[2] - R[6]);
        e[3] = s * (R[3] - R[1]);
        return;
    }
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const double d = sqrt(1.0 + R[4 * k] - R[4 * i] - R[4 * j]), s = 0.5 / d;
    e[0] = s * (R[3 * j + i] - R[3 * i + j]);
    e[1 + k] = 0.5 * d;
    e[1 + i] = s * (R[3 * i + k] + R[3 * k + i]);
    e[1 + j] = s * (R[3 * j + k] + R[3 * k + j]);
}

static inline void il_matrix_of(const double *e, double *R)
{
    const double w = e[0], x = e[1], y = e[2], z = e[3];
    R[0] = 1.0 - 2.0 * (y * y + z * z);
    R[1] = 2.0 * (x * y - w * z);
    R[2] = 2.0 * (x * z + w * y);
    R[3] = 2.0 * (x * y + w * z);
    R[4] = 1.0 - 2.0 * (x * x + z * z);
    R[5] = 2.0 * (y * z - w * x);
    R[6] = 2.0 * (x * z - w * y);
    R[7] = 2.0 * (y * z + w * x);
    R[8] = 1.0 - 2.0 * (x * x + y * y);
}

/* e exp(m~): rotated by m about body axes; of unit length up to rounding. */
static inline void il_turn_nearly(const double *e, const double *m, double *to)
{
    const double square = m[0] * m[0] + m[1] * m[1] + m[2] * m[2];
    double c, s; /* cosine of half the angle, its sine by the angle */
    if (square < 0.01) {
        const double v = 0.25 * square;
        /* series of both in v, the square of half the angle: 1/2!, 1/4!, …; 1/3!, 1/5!, … */
        c = 1.0 - v * (1.0 / 2 - v * (1.0 / 24 - v * (1.0 / 720 - v * (1.0 / 40320))));
        s = 0.5 - v * (0.5 / 6 - v * (0.5 / 120 - v * (0.5 / 5040 - v * (0.5 / 362880))));
    } else {
        const double angle = sqrt(square);
        c = cos(0.5 * angle);
        s = sin(0.5 * angle) / angle;
    }
    const double x = s * m[0], y = s * m[1], z = s * m[2];
    to[0] = e[0] * c - e[1] * x - e[2] * y - e[3] * z;
    to[1] = e[0] * x + e[1] * c + e[2] * z - e[3] * y;
    to[2] = e[0] * y - e[1] * z + e[2] * c + e[3] * x;
    to[3] = e[0] * z + e[1] * y - e[2] * x + e[3] * c;
}

/* The same, of unit length. */
static inline void il_turn_by(const double *e, const double *m, double *to)
{
    il_turn_nearly(e, m, to);
    il_attitude_normalize(1, to);
}

/* Rate of m when exp(m~) is rotated by d in its own axes: the inverse of the tangent operator, with
   three terms of the series of (1 - |m|/2 cot |m|/2) / |m|². */
static inline void il_untangle(const double *m, double *d)
{
    const double square = m[0] * m[0] + m[1] * m[1] + m[2] * m[2];
    const double second = 1.0 / 12 + square * (1.0 / 720 + square * (1.0 / 30240));
    double once[3], twice[3];
    il_cross3(m, d, once);
    il_cross3(m, once, twice);
    for (int i = 0; i < 3; i++) {
        d[i] += 0.5 * once[i] + second * twice[i];
    }
}

#endif
