/* Newton's method for contacts that resist rolling, whose modes are known.
 *
 * All impulses are unknowns, each with one equation:
 *
 *   open:             r = 0
 *   closed:           u_n = 0, and for each disc
 *   it sticks:        u_j = 0
 *   it slips:         τ r_j = mu_j r_n,  s u_j = 0,   τ along r_j and s across it, if it has two rows
 *
 * As τ turns, so does s: d(s u_j) has -u_j τ / |r_j| s dr_j beside W (see il_contact_newton.c).
 * Rows and columns are scaled as in il_rolling.h.
 */
#include "il_rolling.h"

#include <math.h>

#include "il_elimination.h"
#include "il_rolling_discs.h"

/* added to the diagonal of the matrix, in parts of it: redundant contacts make it singular */
static const double regularization = 1e-11;

/* Not 0: a disc is on its rim, along a direction that is known. */
static int is_slipping(const il_contact_parts *parts, int64_t i, int j)
{
    return parts->disc_modes[IL_DISCS * i + j] == IL_CONTACT_SLIPS;
}

/* Bring a disc to its rim. */
static void put_on_rim(const il_disc *disc, double pressed, double *r)
{
    const double length = il_disc_length(disc, r);
    for (int64_t k = disc->row; k < disc->row + disc->size; k++) {
        r[k] *= length > 0.0 ? disc->limit * pressed / length : 0.0;
    }
}

/* r = 0 where contact i is open; not 0: it is. */
static int clear_open(const il_contact_parts *parts, int64_t i, double *r)
{
    const int open = parts->modes[i] == IL_CONTACT_OPEN;
    for (int64_t k = parts->problem.first[i]; k < parts->problem.first[i + 1] && open; k++) {
        r[k] = 0.0;
    }
    return open;
}

/* Bring r to what the modes say: 0 where open, onto the rim where a disc slips. */
static void put_on_modes(const il_contact_parts *parts, double *r)
{
    for (int64_t i = 0; i < parts->problem.count; i++) {
        const int64_t normal = parts->problem.first[i];
        const int open = clear_open(parts, i, r);
        il_disc discs[IL_DISCS];

        il_discs_of(parts, i, discs);
        for (int j = 0; j < IL_DISCS && !open; j++) {
            if (is_slipping(parts, i, j)) {
                r[normal] = parts->y[normal] / parts->weights[i];
                for (int64_t k = discs[j].row; k < discs[j].row + discs[j].size; k++) {
                    r[k] = parts->scales[k] * parts->y[k] / parts->weights[i];
                }
            }
        }
        for (int j = 0; j < IL_DISCS && !open; j++) {
            if (is_slipping(parts, i, j)) {
                put_on_rim(discs + j, r[normal], r);
            }
        }
    }
}

static double *line_of(const il_contact_parts *parts, int64_t row)
{
    return parts->A + row * IL_ELIMINATION_STRIDE(parts->rows);
}

/* r_row stays as it is. */
static void fix(const il_contact_parts *parts, int64_t row)
{
    double *line = line_of(parts, row);
    for (int64_t k = 0; k < IL_ELIMINATION_STRIDE(parts->rows); k++) {
        line[k] = 0.0;
    }
    line[row] = 1.0;
}

/* Add to a line `factor` times how u_row changes with all impulses, and -u_row behind it. */
static void add_velocity(const il_contact_parts *parts, int64_t row, double factor, double *line)
{
    const il_contact_problem *problem = &parts->problem;
    const double *W = problem->W + row * problem->stride;

    for (int64_t k = 0; k < parts->rows; k++) {
        line[k] += factor * parts->scales[k] * W[k];
    }
    line[row] += factor * parts->scales[row] * (problem->R ? problem->R[row] : 0.0);
    line[parts->rows] -= factor * parts->u[row];
}

/* u_row = 0 */
static void stick(const il_contact_parts *parts, double w, int64_t row)
{
    double *line = line_of(parts, row);

    fix(parts, row);
    line[row] = regularization * w;
    add_velocity(parts, row, parts->scales[row], line);
}

/* Along r_j the rim, across it s u_j = 0. */
static void slip(const il_contact_parts *parts, double w, const il_disc *disc, int64_t normal,
                 const double *r)
{
    const int64_t row = disc->row;
    const double length = il_disc_length(disc, r), scale = parts->scales[row];
    double *along = line_of(parts, row);

    fix(parts, row);
    along[row] = w * r[row] / length;
    along[normal] = -w * disc->limit / scale;
    if (disc->size == 1) {
        return;
    }
    const double t0 = r[row] / length, t1 = r[row + 1] / length;
    const double against = -(t0 * parts->u[row] + t1 * parts->u[row + 1]) / length;
    const double turning = scale * scale * fmax(0.0, against) + regularization * w;
    double *across = line_of(parts, row + 1);

    along[row + 1] = w * t1;
    fix(parts, row + 1);
    across[row] = -t1 * turning;
    across[row + 1] = t0 * turning;
    add_velocity(parts, row, -t1 * scale, across);
    add_velocity(parts, row + 1, t0 * scale, across);
}

static void assemble(const il_contact_parts *parts, const double *r)
{
    for (int64_t i = 0; i < parts->problem.count; i++) {
        const int64_t normal = parts->problem.first[i], end = parts->problem.first[i + 1];
        const double w = parts->weights[i];
        il_disc discs[IL_DISCS];

        for (int64_t k = normal; k < end; k++) {
            fix(parts, k);
        }
        if (parts->modes[i] == IL_CONTACT_OPEN) {
            continue;
        }
        stick(parts, w, normal);
        il_discs_of(parts, i, discs);
        for (int j = 0; j < IL_DISCS; j++) {
            if (is_slipping(parts, i, j) && il_disc_length(discs + j, r) > 0.0) {
                slip(parts, w, discs + j, normal, r);
                continue;
            }
            for (int64_t k = discs[j].row; k < discs[j].row + discs[j].size; k++) {
                if (!is_slipping(parts, i, j) && parts->scales[k] > 0.0) {
                    stick(parts, w, k);
                }
            }
        }
    }
}

int il_rolling_newton(const il_contact_parts *parts, double *r)
{
    const int64_t rows = parts->rows;

    put_on_modes(parts, r);
    il_contact_velocities(parts, r);
    assemble(parts, r);
    if (il_eliminate(rows, IL_ELIMINATION_STRIDE(rows), parts->A, parts->step)) {
        return 1;
    }
    for (int64_t k = 0; k < rows; k++) {
        r[k] += parts->scales[k] * parts->step[k];
    }
    for (int64_t i = 0; i < parts->problem.count; i++) {
        const int64_t normal = parts->problem.first[i];
        il_disc discs[IL_DISCS];

        const int open = clear_open(parts, i, r);
        r[normal] = fmax(0.0, r[normal]);
        il_discs_of(parts, i, discs);
        for (int j = 0; j < IL_DISCS && !open; j++) {
            if (is_slipping(parts, i, j)) {
                put_on_rim(discs + j, r[normal], r);
            }
        }
    }
    return 0;
}
