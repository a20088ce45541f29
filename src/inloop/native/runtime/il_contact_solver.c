/* Sweeps, Newton's method and proximal points, in this order; see il_contact_solver.h. */
#include <math.h>
#include <string.h>

#include "il_cholesky.h"
#include "il_contact_parts.h"
#include "il_elimination.h"
#include "il_rolling.h"

enum {
    FIRST_SWEEPS = 2,    /* before the first step of Newton's method, without a warm start */
    ROWS_PER_SWEEP = 16, /* and one more for so many rows: they cost less than a wrong step */
    STRIKES = 3,         /* steps of Newton's method in a row that do not help */
    ROUNDS = 6,          /* of sweeps and Newton's method, each with twice the sweeps */
    WARM_ROUNDS = 4,     /* from a warm start */
    SOFTENED_ROUNDS = 3,
    PROXIMAL_POINTS = 12,
    LAST_ROUNDS = 20
};

/* Newton's method goes on if a step leaves less than this part of the deviation, and is followed if
   all steps leave less than that: on the way of sweeps the deviation goes up and down by itself */
static const double good_step = 0.5, good_steps = 0.1;
/* compliance of the first proximal point in parts of w, and its change from one to the next */
static const double first_softness = 1e-2, hardening = 0.3;

/* ---- parts of the problem ---- */

static int64_t rows_of(const il_contact_problem *problem, int64_t i)
{
    return problem->first[i + 1] - problem->first[i];
}

static int is_zero(int64_t rows, const double *r)
{
    int64_t k = 0;
    while (k < rows && r[k] == 0.0) {
        k++;
    }
    return k == rows;
}

void il_contact_velocities(const il_contact_parts *parts, const double *r)
{
    const int64_t rows = parts->rows;
    const double *W = parts->problem.W, *R = parts->problem.R;

    if (is_zero(rows, r)) {
        memcpy(parts->u, parts->problem.q, (size_t)rows * sizeof *r);
        return;
    }
    for (int64_t i = 0; i < rows; i++, W += parts->problem.stride) {
        const double given = parts->problem.q[i] + (R ? R[i] * r[i] : 0.0);
        parts->u[i] = given + il_dot(rows, W, r);
    }
}

/* w of each contact; 0 where nothing can move it */
static void weigh(const il_contact_parts *parts)
{
    const il_contact_problem *problem = &parts->problem;

    for (int64_t i = 0; problem->turning && i < problem->count; i++) {
        il_rolling_weigh(parts, i);
    }
    for (int64_t i = 0; !problem->turning && i < problem->count; i++) {
        double trace = 0.0;
        for (int64_t k = problem->first[i]; k < problem->first[i + 1]; k++) {
            trace += problem->W[k * (problem->stride + 1)] + (problem->R ? problem->R[k] : 0.0);
        }
        parts->weights[i] = fmax(trace, 0.0) / (double)rows_of(problem, i);
    }
}

/* The square of how far contact i is from its conditions [m^2/s^2], and its mode. */
static double deviation(const il_contact_parts *parts, int64_t i, const double *r)
{
    const il_contact_problem *problem = &parts->problem;
    const int64_t row = problem->first[i], dimension = rows_of(problem, i);
    const double w = parts->weights[i];
    double *y = parts->y + row, square = 0.0;

    if (problem->turning) {
        return il_rolling_deviation(parts, i, r);
    }
    const int mode = il_cone_map(dimension, problem->mu[i], w, r + row, parts->u + row, y);
    parts->modes[i] = w > 0.0 ? mode : IL_CONTACT_OPEN;
    for (int64_t k = 0; k < dimension; k++) {
        const double off = w * r[row + k] - y[k];
        square += off * off;
    }
    return square;
}

/* Velocities, modes and the largest deviation from a solution [m/s]. */
static double judge(const il_contact_parts *parts, const double *r)
{
    double worst = 0.0;

    il_contact_velocities(parts, r);
    for (int64_t i = 0; i < parts->problem.count; i++) {
        const double square = deviation(parts, i, r);
        /* NaN is the worst */
        worst = square <= worst ? worst : square;
    }
    return sqrt(worst);
}

/* Each contact solved in turn while the others stay. */
static void sweep(const il_contact_parts *parts, double *r)
{
    const il_contact_problem *problem = &parts->problem;
    const int64_t rows = parts->rows;

    if (problem->turning) {
        il_rolling_sweep(parts, r);
        return;
    }
    for (int64_t i = 0; i < problem->count; i++) {
        const int64_t row = problem->first[i], dimension = rows_of(problem, i);
        double W[IL_CONE_ROWS * IL_CONE_ROWS], b[IL_CONE_ROWS];

        for (int64_t k = 0; k < dimension; k++) {
            const double *W_row = problem->W + (row + k) * problem->stride;
            b[k] = problem->q[row + k] + il_dot(rows, W_row, r);
            for (int64_t l = 0; l < dimension; l++) {
                W[k * dimension + l] = W_row[row + l];
                b[k] -= W_row[row + l] * r[row + l];
            }
            W[k * (dimension + 1)] += problem->R ? problem->R[row + k] : 0.0;
        }
        il_cone_solve(dimension, problem->mu[i], W, dimension, b, r + row);
    }
}

/* ---- one problem ---- */

/* What is left to be spent. */
typedef struct purse {
    double tolerance; /* of the deviation [m/s] */
    int64_t sweeps, newtons;
} purse;

/* The best r so far, and its deviation. */
static void remember(const il_contact_parts *parts, double off, double *best, const double *r)
{
    if (off < *best) {
        *best = off;
        memcpy(parts->best, r, (size_t)parts->rows * sizeof *r);
    }
}

/* Newton's method from r, whose modes and velocities are known, for as long as it helps. */
static void finish(const il_contact_parts *parts, purse *left, double *best, double *r)
{
    double least = *best;
    int strikes = 0;

    while (*best > left->tolerance && strikes < STRIKES && left->newtons > 0) {
        left->newtons--;
        if (parts->problem.turning ? il_rolling_newton(parts, r) : il_contact_newton(parts, r)) {
            return;
        }
        const double off = judge(parts, r);
        strikes = off < good_step * least ? 0 : strikes + 1;
        least = fmin(least, off);
        remember(parts, off, best, r);
    }
}

/* Sweeps, and after ever more of them Newton's method; the best r, and its deviation. */
static double find(const il_contact_parts *parts, purse *left, int64_t rounds, double *r)
{
    const size_t bytes = (size_t)parts->rows * sizeof *r;
    int64_t sweeps = is_zero(parts->rows, r) ? FIRST_SWEEPS + parts->rows / ROWS_PER_SWEEP : 0;
    double best = INFINITY;

    remember(parts, judge(parts, r), &best, r);
    while (best > left->tolerance && rounds-- > 0) {
        for (int64_t k = 0; k < sweeps && left->sweeps > 0; k++, left->sweeps--) {
            sweep(parts, r);
        }
        memcpy(parts->swept, r, bytes);
        remember(parts, judge(parts, r), &best, r);
        const double before = best;
        finish(parts, left, &best, r);
        memcpy(r, best < good_steps * before ? parts->best : parts->swept, bytes);
        sweeps = sweeps > 0 ? 2 * sweeps : FIRST_SWEEPS;
    }
    memcpy(r, parts->best, bytes);
    return best;
}

/* ---- softened problems ---- */

/* The problem with compliance `softness` w more, which keeps the impulses r as they are. */
static void soften(il_contact_parts *parts, const il_contact_problem *given, double softness,
                   const double *r)
{
    for (int64_t i = 0; i < given->count; i++) {
        for (int64_t k = given->first[i]; k < given->first[i + 1]; k++) {
            const double scale = given->turning && parts->scales[k] > 0.0 ? parts->scales[k] : 1.0;
            const double more = softness * parts->weights[i] / (scale * scale);
            parts->R[k] = more + (given->R ? given->R[k] : 0.0);
            parts->q[k] = given->q[k] - more * r[k];
        }
    }
    parts->problem.R = parts->R;
    parts->problem.q = parts->q;
}

/* The best r of all that was tried, and its deviation. */
static void keep(const il_contact_parts *parts, double off, double *best, const double *r)
{
    if (off < *best) {
        *best = off;
        memcpy(parts->kept, r, (size_t)parts->rows * sizeof *r);
    }
}

/* Proximal points: each solves a softened problem around the one before, so that where they come to
   rest nothing of the softness is left (Rockafellar 1976, doi:10.1137/0314056). */
static int64_t approach(il_contact_parts *parts, const il_contact_problem *given, purse *left,
                        double *best, double *r)
{
    double softness = first_softness;
    int64_t points = 0;

    while (points < PROXIMAL_POINTS && *best > left->tolerance) {
        soften(parts, given, softness, r);
        find(parts, left, SOFTENED_ROUNDS, r);
        parts->problem = *given;
        keep(parts, judge(parts, r), best, r);
        softness *= hardening;
        points++;
    }
    return points;
}

/* ---- for users ---- */

int64_t il_contact_work_size(int64_t count, int64_t rows)
{
    if (count < 0 || rows < count || rows > IL_ROLLING_ROWS * count) {
        return -1;
    }
    return 10 * rows + (2 + IL_CONE_ROWS + IL_DISCS) * count + rows * IL_ELIMINATION_STRIDE(rows) + 4;
}

static il_contact_parts split(const il_contact_problem *problem, double *work)
{
    const int64_t rows = problem->first[problem->count], count = problem->count;
    il_contact_parts parts = {.problem = *problem, .rows = rows};

    parts.A = work;
    parts.u = work + rows * IL_ELIMINATION_STRIDE(rows);
    parts.y = parts.u + rows;
    parts.best = parts.y + rows;
    parts.swept = parts.best + rows;
    parts.kept = parts.swept + rows;
    parts.R = parts.kept + rows;
    parts.q = parts.R + rows;
    parts.step = parts.q + rows;
    parts.tangent = parts.step + rows;
    parts.weights = parts.tangent + IL_CONE_ROWS * count;
    parts.modes = parts.weights + count;
    parts.scales = parts.modes + count;
    parts.disc_modes = parts.scales + rows;
    return parts;
}

/* What residuals are measured by: max |q| [m/s]. */
static double size_of(const il_contact_problem *problem)
{
    double most = 0.0;
    for (int64_t k = 0; k < problem->first[problem->count]; k++) {
        most = fmax(most, fabs(problem->q[k]));
    }
    return most;
}

double il_contact_residual(const il_contact_problem *problem, const double *r, double *work)
{
    const il_contact_parts parts = split(problem, work);
    const double size = size_of(problem);

    weigh(&parts);
    return size > 0.0 ? judge(&parts, r) / size : judge(&parts, r);
}

int il_contact_solve(const il_contact_problem *problem, const il_contact_effort *effort, double *r,
                     double *work, il_contact_report *report)
{
    il_contact_parts parts = split(problem, work);
    const double size = fmax(size_of(problem), effort->speed);
    purse left = {effort->tolerance * size, effort->sweeps, effort->newtons};

    *report = (il_contact_report){0};
    weigh(&parts);
    if (!(size_of(problem) > 0.0)) {
        /* nothing meets anything: no impulses, and NaN is not hidden */
        memset(r, 0, (size_t)parts.rows * sizeof *r);
        report->residual = size_of(problem);
        return report->residual == 0.0 ? IL_OK : IL_CONTACT_INEXACT;
    }
    const int warm = !is_zero(parts.rows, r);
    double off = INFINITY;
    keep(&parts, find(&parts, &left, warm ? WARM_ROUNDS : ROUNDS, r), &off, r);
    if (off > left.tolerance && warm) {
        /* a start from far away may be worse than none */
        memset(r, 0, (size_t)parts.rows * sizeof *r);
        keep(&parts, find(&parts, &left, ROUNDS, r), &off, r);
    }
    if (off > left.tolerance) {
        report->softened = approach(&parts, problem, &left, &off, r);
    }
    if (off > left.tolerance && left.sweeps > 0) {
        /* what is left is for sweeps, which get there in the end where anything does */
        keep(&parts, find(&parts, &left, LAST_ROUNDS, r), &off, r);
    }
    if (off < INFINITY) {
        memcpy(r, parts.kept, (size_t)parts.rows * sizeof *r);
    }
    if (problem->turning) {
        il_rolling_settle(&parts, r);
    }
    report->sweeps = effort->sweeps - left.sweeps;
    report->newtons = effort->newtons - left.newtons;
    report->residual = off / size;
    return off <= left.tolerance ? IL_OK : IL_CONTACT_INEXACT;
}
