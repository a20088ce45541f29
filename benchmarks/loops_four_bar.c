/* The floor for the four-bar: coordinate partitioning by hand, RK4 in the crank angle alone.
 *
 * Absolute angles a (crank), b (coupler), c (rocker). b and c are corrected by Newton's method
 * from where they should be by then: once, or until a correction is below a tolerance. Build with
 * the lengths and masses as macros: L0 L1 L2 (links), D (ground), M0 M1 M2, G. Links are thin rods.
 */
#define _GNU_SOURCE
#include <math.h>

typedef struct { double w, acc, b, c, wb, wc; } motion;

static inline motion evaluate(double a, double w, double b, double c, double tolerance)
{
  const double j0 = M0 * L0 * L0 / 3 + M1 * L0 * L0, j1 = M1 * L1 * L1 / 3, j2 = M2 * L2 * L2 / 3;
  double sa, ca, sb, cb, sc, cc, db, dc;
  sincos(a, &sa, &ca);
  sincos(b, &sb, &cb);
  sincos(c, &sc, &cc);
  do {
    /* h = L0 e(a) + L1 e(b) - D ex - L2 e(c) = 0 */
    const double hx = L0 * ca + L1 * cb - D - L2 * cc, hy = L0 * sa + L1 * sb - L2 * sc;
    const double first = 1 / (sb * cc - cb * sc);
    db = (cc * hx + sc * hy) * first * (1 / L1);
    dc = (cb * hx + sb * hy) * first * (1 / L2);
    b += db;
    c += dc;
    sincos(b, &sb, &cb);
    sincos(c, &sc, &cc);
  } while (fabs(db) > tolerance || fabs(dc) > tolerance);
  /* wb = rb w, wc = rc w */
  const double inverse = 1 / (sb * cc - cb * sc);
  const double rb = (sc * ca - cc * sa) * inverse * (L0 / L1);
  const double rc = (sb * ca - cb * sa) * inverse * (L0 / L2);
  const double wb = rb * w, wc = rc * w;
  /* b'' = rb a'' + gb, c'' = rc a'' + gc */
  const double w2 = L0 * w * w, wb2 = L1 * wb * wb, wc2 = L2 * wc * wc;
  const double gx = ca * w2 + cb * wb2 - cc * wc2, gy = sa * w2 + sb * wb2 - sc * wc2;
  const double gb = -(cc * gx + sc * gy) * inverse * (1 / L1);
  const double gc = -(cb * gx + sb * gy) * inverse * (1 / L2);
  /* project M q'' = F on the only motion that is left */
  const double k = M1 * L0 * L1 / 2;
  const double m01 = k * (ca * cb + sa * sb), h = k * (sa * cb - ca * sb);
  const double fa = -h * wb * wb - G * L0 * (M0 / 2 + M1) * ca - m01 * gb;
  const double fb = h * w * w - G * M1 * L1 / 2 * cb - j1 * gb;
  const double fc = -G * M2 * L2 / 2 * cc - j2 * gc;
  const double mass = j0 + rb * (2 * m01 + rb * j1) + rc * rc * j2;
  return (motion){w, (fa + rb * fb + rc * fc) / mass, b, c, wb, wc};
}

static inline void run(double * y, double h, long steps, double tolerance)
{
  double a = y[0], w = y[1], b = y[2], c = y[3];
  const double g = h / 2, s = h / 6;
  for (long i = 0; i < steps; i++) {
    const motion p = evaluate(a, w, b, c, tolerance);
    const motion q = evaluate(a + g*p.w, w + g*p.acc, p.b + g*p.wb, p.c + g*p.wc, tolerance);
    const motion r = evaluate(a + g*q.w, w + g*q.acc, p.b + g*q.wb, p.c + g*q.wc, tolerance);
    const motion t = evaluate(a + h*r.w, w + h*r.acc, p.b + h*r.wb, p.c + h*r.wc, tolerance);
    a += s * (p.w + 2 * (q.w + r.w) + t.w);
    w += s * (p.acc + 2 * (q.acc + r.acc) + t.acc);
    b = p.b + s * (p.wb + 2 * (q.wb + r.wb) + t.wb);
    c = p.c + s * (p.wc + 2 * (q.wc + r.wc) + t.wc);
  }
  const motion end = evaluate(a, w, b, c, tolerance);
  y[0] = a, y[1] = w, y[2] = end.b, y[3] = end.c;
}

/* y = a, w, b, c; one correction per evaluation */
void four_bar_once(double * y, double h, long steps)
{
  run(y, h, steps, HUGE_VAL);
}

/* corrections until they are below TOLERANCE */
void four_bar_closed(double * y, double h, long steps)
{
  run(y, h, steps, TOLERANCE);
}
