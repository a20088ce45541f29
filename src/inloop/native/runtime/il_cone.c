/* One contact with dry friction, solved exactly; see il_cone.h. */
#include "il_cone.h"

#include <math.h>

enum { MOST_ITERATIONS = 60 };

/* parts of S below which a direction counts as one in which nothing moves */
static const double negligible = 1e-14;

/* |r_t| */
static double tangential(int64_t dimension, const double *r)
{
    return dimension == 3 ? sqrt(r[1] * r[1] + r[2] * r[2]) : dimension == 2 ? fabs(r[1]) : 0.0;
}

static void clear(int64_t dimension, double *r)
{
    for (int64_t k = 0; k < dimension; k++) {
        r[k] = 0.0;
    }
}

int il_cone_project(int64_t dimension, double mu, double *x)
{
    const double t = tangential(dimension, x);

    if (mu * t <= -x[0]) {
        clear(dimension, x);
        return IL_CONTACT_OPEN;
    }
    if (t <= mu * x[0]) {
        return IL_CONTACT_STICKS;
    }
    x[0] = (x[0] + mu * t) / (1.0 + mu * mu);
    for (int64_t k = 1; k < dimension; k++) {
        x[k] *= mu * x[0] / t;
    }
    return IL_CONTACT_SLIPS;
}

int il_cone_map(int64_t dimension, double mu, double w, const double *r, const double *u, double *y)
{
    for (int64_t k = 0; k < dimension; k++) {
        y[k] = w * r[k] - u[k];
    }
    y[0] -= mu * tangential(dimension, u);
    return il_cone_project(dimension, mu, y);
}

/* The tangential problem that is left where u_n = 0:

     u_t = S r_t + c,   r_n = -(b_n + a r_t) / W_nn,   S = W_tt - W_tn a / W_nn,  a = W_nt

   While the contact slips u_t = -alpha r_t, so that r_t = -(S + alpha I)^-1 c, and alpha >= 0 is
   what brings r to the surface of the cone: mu r_n = |r_t|. For large alpha r_t vanishes and
   r_n = -b_n / W_nn is positive, so that r is inside the cone; where it is outside for alpha = 0
   (else it sticks), there is a root in between, whatever couples normal and tangents. */
typedef struct slip {
    double mu, pressed; /* pressed: -b_n / W_nn */
    double a[2];        /* over W_nn */
    double S[2][2], c[2];
} slip;

/* Quantities at one alpha, and how they change with it. */
typedef struct at_alpha {
    double t[2], n;    /* r_t, r_n */
    double length;     /* of r_t */
    double turn;       /* derivative of length^2 / 2 */
    double n_rate;
} at_alpha;

static inline at_alpha slip_at(const slip *s, double alpha)
{
    const double s00 = s->S[0][0] + alpha, s11 = s->S[1][1] + alpha;
    const double s01 = s->S[0][1], s10 = s->S[1][0];
    const double scale = 1.0 / (s00 * s11 - s01 * s10);
    at_alpha p;

    p.t[0] = -scale * (s11 * s->c[0] - s01 * s->c[1]);
    p.t[1] = -scale * (s00 * s->c[1] - s10 * s->c[0]);
    const double d0 = -scale * (s11 * p.t[0] - s01 * p.t[1]);
    const double d1 = -scale * (s00 * p.t[1] - s10 * p.t[0]);
    p.n = s->pressed - s->a[0] * p.t[0] - s->a[1] * p.t[1];
    p.n_rate = -s->a[0] * d0 - s->a[1] * d1;
    p.length = sqrt(p.t[0] * p.t[0] + p.t[1] * p.t[1]);
    p.turn = p.t[0] * d0 + p.t[1] * d1;
    return p;
}

/* The next alpha of Newton's method for 1/|r_t| = 1/(mu r_n), which is nearly a line in alpha:

     (1/l - 1/m) / (m'/m^2 - l'/l^2),   l = |r_t|, m = mu r_n, l l' = turn

   with one division. */
static inline double newton_step(const slip *s, double alpha, const at_alpha *p)
{
    const double l = p->length, m = s->mu * p->n;
    return alpha - (m - l) * l * l * m / (s->mu * p->n_rate * l * l * l - p->turn * m * m);
}

/* Newton's method between bounds that are halved where it leaves them. */
static at_alpha find_slip(const slip *s, double alpha, at_alpha p)
{
    double low = alpha, high = INFINITY;
    const double first = s->S[0][0] + s->S[1][1];

    for (int k = 0; k < MOST_ITERATIONS; k++) {
        const double excess = p.length - s->mu * p.n;
        if (fabs(excess) <= 4e-16 * p.length) {
            break;
        }
        if (excess > 0.0) {
            low = alpha;
        } else {
            high = alpha;
        }
        double next = high < INFINITY ? 0.5 * (low + high) : 4.0 * low + first;
        if (p.n > 0.0) {
            const double newton = newton_step(s, alpha, &p);
            next = newton > low && newton < high ? newton : next;
        }
        if (next == alpha) {
            break;
        }
        alpha = next;
        p = slip_at(s, alpha);
    }
    return p;
}

static void solve_3d(double mu, const double *W, int64_t stride, const double *b, double *r)
{
    const double *rows[2] = {W + stride, W + 2 * stride};
    const double per_n = 1.0 / W[0];
    slip s = {.mu = mu, .pressed = -b[0] * per_n, .a = {W[1] * per_n, W[2] * per_n}};

    for (int i = 0; i < 2; i++) {
        s.c[i] = b[1 + i] + rows[i][0] * s.pressed;
        for (int j = 0; j < 2; j++) {
            s.S[i][j] = rows[i][1 + j] - rows[i][0] * s.a[j];
        }
    }
    const double least = negligible * (W[0] + rows[0][1] + rows[1][2]);
    at_alpha p = slip_at(&s, least);
    if (p.length > mu * p.n) {
        p = find_slip(&s, least, p);
        p.n = p.length / mu;
    }
    r[0] = p.n;
    r[1] = p.t[0];
    r[2] = p.t[1];
}

static void solve_2d(double mu, const double *W, int64_t stride, const double *b, double *r)
{
    const double pressed = -b[0] / W[0], a = W[1] / W[0];
    const double S = W[stride + 1] - W[stride] * a + negligible * (W[0] + W[stride + 1]);
    const double c = b[1] + W[stride] * pressed;

    r[1] = -c / S;
    r[0] = pressed - a * r[1];
    if (fabs(r[1]) > mu * r[0]) {
        /* it slips against c: r_t = side mu r_n; then 1 + a side mu > 0, or it would stick */
        const double side = c > 0.0 ? -mu : mu;
        r[0] = pressed / (1.0 + a * side);
        r[1] = side * r[0];
    }
}

void il_cone_solve(int64_t dimension, double mu, const double *W, int64_t stride, const double *b,
                   double *r)
{
    clear(dimension, r);
    if (!(b[0] < 0.0) || !(W[0] > 0.0)) {
        return;
    }
    if (dimension == 1 || mu == 0.0) {
        r[0] = -b[0] / W[0];
    } else if (dimension == 2) {
        solve_2d(mu, W, stride, b, r);
    } else {
        solve_3d(mu, W, stride, b, r);
    }
}
