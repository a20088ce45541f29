/* One contact that resists rolling and drilling; see il_rolling.h. */
#include "il_rolling.h"

#include <math.h>

#include "il_rolling_discs.h"

enum { ROUNDS = 4 }; /* within a contact, in a sweep */

/* a disc whose rows move less than this part of w has nothing that turns */
static const double negligible = 1e-20;

double il_disc_length(const il_disc *disc, const double *r)
{
    const double *d = r + disc->row;
    return disc->size == 2 ? sqrt(d[0] * d[0] + d[1] * d[1]) : disc->size == 1 ? fabs(d[0]) : 0.0;
}

void il_discs_of(const il_contact_parts *parts, int64_t i, il_disc *discs)
{
    const il_contact_problem *problem = &parts->problem;
    const int64_t *turning = problem->turning + 2 * i;
    const int64_t row = problem->first[i], moments = turning[0] + turning[1];
    const int64_t tangents = problem->first[i + 1] - row - 1 - moments;

    discs[0] = (il_disc){row + 1, tangents, problem->mu[i]};
    discs[1] = (il_disc){row + 1 + tangents, turning[0], 1.0};
    discs[2] = (il_disc){row + 1 + tangents + turning[0], turning[1], 1.0};
}

/* Sum over the diagonal of W + R. */
static double trace_of(const il_contact_problem *problem, int64_t row, int64_t end)
{
    double trace = 0.0;
    for (int64_t k = row; k < end; k++) {
        trace += problem->W[k * (problem->stride + 1)] + (problem->R ? problem->R[k] : 0.0);
    }
    return fmax(trace, 0.0);
}

void il_rolling_weigh(const il_contact_parts *parts, int64_t i)
{
    const il_contact_problem *problem = &parts->problem;
    const int64_t row = problem->first[i];
    il_disc discs[IL_DISCS];

    il_discs_of(parts, i, discs);
    const int64_t cone = 1 + discs[0].size;
    const double w = trace_of(problem, row, row + cone) / (double)cone;
    parts->weights[i] = w;
    for (int64_t k = row; k < row + cone; k++) {
        parts->scales[k] = 1.0;
    }
    for (int j = 1; j < IL_DISCS; j++) {
        const int64_t end = discs[j].row + discs[j].size;
        const double turns = trace_of(problem, discs[j].row, end) / fmax(1.0, (double)discs[j].size);
        for (int64_t k = discs[j].row; k < end; k++) {
            parts->scales[k] = turns > negligible * w ? sqrt(w / turns) : 0.0;
        }
    }
}

/* x = P_K(x): r_n is where f(r_n) = r_n - x_n - Σ mu_j max(0, |x_j| - mu_j r_n) vanishes, which grows
   and is concave, so that Newton's method from 0 comes to it from below, disc by disc. */
static void project(const il_contact_parts *parts, int64_t i, const il_disc *discs)
{
    double *x = parts->y, *modes = parts->disc_modes + IL_DISCS * i;
    const int64_t normal = parts->problem.first[i];
    double length[IL_DISCS], limit[IL_DISCS], n = 0.0;

    for (int j = 0; j < IL_DISCS; j++) {
        const double scale = discs[j].size > 0 ? parts->scales[discs[j].row] : 0.0;
        length[j] = il_disc_length(discs + j, x);
        limit[j] = scale > 0.0 ? discs[j].limit / scale : 0.0;
        modes[j] = scale > 0.0 && length[j] > 0.0 ? IL_CONTACT_SLIPS : IL_CONTACT_STICKS;
    }
    for (int changed = 1; changed;) {
        double sum = x[normal], slope = 1.0;
        for (int j = 0; j < IL_DISCS; j++) {
            sum += modes[j] == IL_CONTACT_SLIPS ? limit[j] * length[j] : 0.0;
            slope += modes[j] == IL_CONTACT_SLIPS ? limit[j] * limit[j] : 0.0;
        }
        n = sum <= 0.0 ? 0.0 : sum / slope; /* NaN stays */
        changed = 0;
        for (int j = 0; j < IL_DISCS && n > 0.0; j++) {
            if (modes[j] == IL_CONTACT_SLIPS && length[j] <= limit[j] * n) {
                modes[j] = IL_CONTACT_STICKS;
                changed = 1;
            }
        }
    }
    x[normal] = n;
    parts->modes[i] = n > 0.0 ? IL_CONTACT_STICKS : IL_CONTACT_OPEN;
    for (int j = 0; j < IL_DISCS; j++) {
        const double share = modes[j] == IL_CONTACT_SLIPS ? limit[j] * n / length[j] : 1.0;
        for (int64_t k = discs[j].row; k < discs[j].row + discs[j].size; k++) {
            x[k] *= n > 0.0 ? share : 0.0;
        }
    }
}

double il_rolling_deviation(const il_contact_parts *parts, int64_t i, const double *r)
{
    const int64_t normal = parts->problem.first[i];
    const double w = parts->weights[i], *u = parts->u;
    double *y = parts->y;
    il_disc discs[IL_DISCS];

    il_discs_of(parts, i, discs);
    y[normal] = w * r[normal] - u[normal];
    for (int j = 0; j < IL_DISCS; j++) {
        for (int64_t k = discs[j].row; k < discs[j].row + discs[j].size; k++) {
            const double scale = parts->scales[k];
            y[k] = scale > 0.0 ? w * r[k] / scale - scale * u[k] : 0.0;
        }
        const int turns = discs[j].size > 0 && parts->scales[discs[j].row] > 0.0;
        y[normal] -= turns ? discs[j].limit * il_disc_length(discs + j, u) : 0.0;
    }
    project(parts, i, discs);
    if (!(w > 0.0)) {
        parts->modes[i] = IL_CONTACT_OPEN;
    }
    double square = 0.0;
    for (int64_t k = normal; k < parts->problem.first[i + 1]; k++) {
        const double off = parts->scales[k] > 0.0 ? w * r[k] / parts->scales[k] - y[k] : 0.0;
        square += off * off;
    }
    return square;
}

/* One contact while the others stay: u = W r + b. */
typedef struct alone {
    double W[IL_ROLLING_ROWS][IL_ROLLING_ROWS], b[IL_ROLLING_ROWS];
    int64_t rows;
} alone;

static void leave_alone(const il_contact_parts *parts, int64_t i, const double *r, alone *one)
{
    const il_contact_problem *problem = &parts->problem;
    const int64_t row = problem->first[i];

    one->rows = problem->first[i + 1] - row;
    for (int64_t k = 0; k < one->rows; k++) {
        const double *W = problem->W + (row + k) * problem->stride;
        double sum = problem->q[row + k];
        for (int64_t j = 0; j < parts->rows; j++) {
            sum += W[j] * r[j];
        }
        for (int64_t j = 0; j < one->rows; j++) {
            one->W[k][j] = W[row + j];
            sum -= W[row + j] * r[row + j];
        }
        one->W[k][k] += problem->R ? problem->R[row + k] : 0.0;
        one->b[k] = sum;
    }
}

/* W and b of some rows of it while its others stay too, behind what is there already. */
static void take_rows(const alone *one, int64_t from, int64_t size, int64_t behind, const double *r,
                      double *W, double *b)
{
    for (int64_t k = 0; k < size; k++) {
        double sum = one->b[from + k];
        for (int64_t j = 0; j < one->rows; j++) {
            sum += j < from || j >= from + size ? one->W[from + k][j] * r[j] : 0.0;
        }
        for (int64_t j = 0; j < size; j++) {
            W[(behind + k) * (behind + size) + behind + j] = one->W[from + k][from + j];
        }
        b[behind + k] = sum;
    }
}

/* Moments of a disc while all else stays: friction whose normal impulse is known. */
static void turn(const alone *one, int64_t from, int64_t size, double *r)
{
    double W[IL_CONE_ROWS * IL_CONE_ROWS] = {1.0}, b[IL_CONE_ROWS] = {-r[0]};
    double found[IL_CONE_ROWS];

    take_rows(one, from, size, 1, r, W, b);
    il_cone_solve(1 + size, 1.0, W, 1 + size, b, found);
    for (int64_t k = 0; k < size; k++) {
        r[from + k] = found[1 + k];
    }
}

void il_rolling_sweep(const il_contact_parts *parts, double *r)
{
    const il_contact_problem *problem = &parts->problem;

    for (int64_t i = 0; i < problem->count; i++) {
        double *const own = r + problem->first[i];
        il_disc discs[IL_DISCS];
        alone one;

        il_discs_of(parts, i, discs);
        leave_alone(parts, i, r, &one);
        const int64_t cone = 1 + discs[0].size;
        for (int round = 0; round < (one.rows > cone ? ROUNDS : 1); round++) {
            double W[IL_CONE_ROWS * IL_CONE_ROWS], b[IL_CONE_ROWS];
            take_rows(&one, 0, cone, 0, own, W, b);
            il_cone_solve(cone, problem->mu[i], W, cone, b, own);
            for (int j = 1; j < IL_DISCS; j++) {
                if (discs[j].size > 0 && parts->scales[discs[j].row] > 0.0) {
                    turn(&one, discs[j].row - problem->first[i], discs[j].size, own);
                }
            }
        }
    }
}

void il_rolling_settle(const il_contact_parts *parts, double *r)
{
    il_disc discs[IL_DISCS];

    il_contact_velocities(parts, r);
    for (int64_t i = 0; i < parts->problem.count; i++) {
        il_discs_of(parts, i, discs);
        for (int j = 1; j < IL_DISCS; j++) {
            const double speed = il_disc_length(discs + j, parts->u);
            const double pressed = discs[j].limit * r[parts->problem.first[i]];
            for (int64_t k = discs[j].row; k < discs[j].row + discs[j].size; k++) {
                if (!(parts->scales[k] > 0.0)) {
                    r[k] = speed > 0.0 ? -pressed * parts->u[k] / speed : 0.0;
                }
            }
        }
    }
}
