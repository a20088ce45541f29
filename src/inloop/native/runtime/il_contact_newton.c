/* Newton's method for contacts whose modes are known.
 *
 * The unknowns are what the modes leave free: nothing where a contact is open (r = 0), all of r
 * where it sticks (u = 0), and where it slips the normal impulse and the direction of slip, so that r
 * stays on the surface of the cone:
 *
 *   r = r_n (n + mu τ),  dr = dr_n (n + mu τ) + df s,  s = n × τ     u_n = 0,  s u_t = 0
 *
 * As τ turns, so does s: d(s u_t) has -u_t τ / |r_t| df beside W, which is positive for a contact
 * that slips against its friction. This is the semismooth Newton method of Alart & Curnier 1991
 * (doi:10.1016/0045-7825(91)90022-X) without the unknowns that their equations settle at once.
 */
#include <math.h>

#include "il_contact_parts.h"
#include "il_elimination.h"

/* added to the diagonal of the matrix, in parts of it: redundant contacts make it singular */
static const double regularization = 1e-11;

/* A direction in which an impulse may change, and one along which the velocity must vanish. */
typedef struct unknown {
    int64_t row;                    /* first of the contact */
    int64_t dimension;
    double trial[IL_CONE_ROWS], test[IL_CONE_ROWS];
    double diagonal;                /* beside W */
} unknown;

static double mode_of(const il_contact_parts *parts, int64_t i)
{
    return parts->modes[i];
}

/* Unknowns of contact i. */
static int64_t unknowns_of(const il_contact_parts *parts, int64_t i)
{
    const int64_t dimension = parts->problem.first[i + 1] - parts->problem.first[i];
    if (mode_of(parts, i) == IL_CONTACT_OPEN) {
        return 0;
    }
    return mode_of(parts, i) == IL_CONTACT_STICKS ? dimension : dimension == 1 ? 1 : dimension - 1;
}

static unknown describe(const il_contact_parts *parts, int64_t i, int64_t k)
{
    const int64_t row = parts->problem.first[i];
    const int64_t dimension = parts->problem.first[i + 1] - row;
    unknown x = {.row = row, .dimension = dimension};
    const double *tau = parts->tangent + IL_CONE_ROWS * i;

    if (mode_of(parts, i) == IL_CONTACT_STICKS) {
        x.trial[k] = x.test[k] = 1.0;
    } else if (k == 0) {
        x.test[0] = x.trial[0] = 1.0;
        x.trial[1] = parts->problem.mu[i] * tau[0];
        x.trial[2] = parts->problem.mu[i] * tau[1];
    } else {
        x.trial[1] = x.test[1] = -tau[1];
        x.trial[2] = x.test[2] = tau[0];
        x.diagonal = tau[2];
    }
    return x;
}

/* Bring r to what the modes say: 0 where open, onto the cone where it slips. */
static void put_on_modes(const il_contact_parts *parts, double *r)
{
    for (int64_t i = 0; i < parts->problem.count; i++) {
        const int64_t row = parts->problem.first[i], end = parts->problem.first[i + 1];
        for (int64_t k = row; k < end && mode_of(parts, i) != IL_CONTACT_STICKS; k++) {
            r[k] = mode_of(parts, i) == IL_CONTACT_OPEN ? 0.0 : parts->y[k] / parts->weights[i];
        }
    }
}

/* τ and -u_t τ / |r_t| of contacts that slip */
static void find_tangents(const il_contact_parts *parts, const double *r)
{
    for (int64_t i = 0; i < parts->problem.count; i++) {
        const int64_t row = parts->problem.first[i];
        const int64_t dimension = parts->problem.first[i + 1] - row;
        double *tau = parts->tangent + IL_CONE_ROWS * i;

        tau[0] = tau[1] = tau[2] = 0.0;
        if (mode_of(parts, i) != IL_CONTACT_SLIPS || dimension == 1) {
            continue;
        }
        const double t1 = r[row + 1], t2 = dimension == 3 ? r[row + 2] : 0.0;
        const double length = sqrt(t1 * t1 + t2 * t2);
        if (length > 0.0) {
            tau[0] = t1 / length;
            tau[1] = t2 / length;
            const double u2 = dimension == 3 ? parts->u[row + 2] : 0.0;
            tau[2] = fmax(0.0, -(parts->u[row + 1] * tau[0] + u2 * tau[1]) / length);
        }
    }
}

/* A column of the matrix: what one unknown does to the velocities that must vanish. */
static void fill_column(const il_contact_parts *parts, int64_t stride, int64_t column,
                        const unknown *from)
{
    const il_contact_problem *problem = &parts->problem;
    const int64_t rows = parts->rows, d = from->dimension;
    int64_t line = 0;

    for (int64_t i = 0; i < problem->count; i++) {
        const int64_t row = problem->first[i], count = unknowns_of(parts, i);
        if (count == 0) {
            continue;
        }
        const int64_t dimension = problem->first[i + 1] - row;
        double du[IL_CONE_ROWS];
        for (int64_t k = 0; k < dimension; k++) {
            const double *W = problem->W + (row + k) * rows + from->row;
            du[k] = row == from->row && problem->R ? problem->R[row + k] * from->trial[k] : 0.0;
            for (int64_t l = 0; l < d; l++) {
                du[k] += W[l] * from->trial[l];
            }
        }
        for (int64_t k = 0; k < count; k++, line++) {
            double entry = 0.0;
            if (mode_of(parts, i) == IL_CONTACT_STICKS || k == 0) {
                entry = du[k];
            } else {
                const double *tau = parts->tangent + IL_CONE_ROWS * i;
                entry = tau[0] * du[2] - tau[1] * du[1];
            }
            parts->A[line * stride + column] = entry;
        }
    }
}

/* The matrix and, behind it, the velocities that must vanish. */
static void assemble(const il_contact_parts *parts, int64_t stride, int64_t unknowns)
{
    int64_t column = 0;

    for (int64_t i = 0; i < parts->problem.count; i++) {
        const int64_t count = unknowns_of(parts, i);
        for (int64_t k = 0; k < count; k++, column++) {
            const unknown x = describe(parts, i, k);
            fill_column(parts, stride, column, &x);
            parts->A[column * stride + column] += x.diagonal + regularization * parts->weights[i];
            double velocity = 0.0;
            for (int64_t l = 0; l < x.dimension; l++) {
                velocity += x.test[l] * parts->u[x.row + l];
            }
            parts->A[column * stride + unknowns] = -velocity;
            for (int64_t pad = unknowns + 1; pad < stride; pad++) {
                parts->A[column * stride + pad] = 0.0;
            }
        }
    }
}

/* r after the step; on the cone where it slips */
static void move(const il_contact_parts *parts, double *r)
{
    const double *step = parts->step;

    for (int64_t i = 0; i < parts->problem.count; i++) {
        const int64_t row = parts->problem.first[i];
        const int64_t dimension = parts->problem.first[i + 1] - row;
        const int64_t count = unknowns_of(parts, i);
        const double mu = parts->problem.mu[i], *tau = parts->tangent + IL_CONE_ROWS * i;

        if (mode_of(parts, i) == IL_CONTACT_STICKS) {
            for (int64_t k = 0; k < dimension; k++) {
                r[row + k] += step[k];
            }
        } else if (count > 0) {
            const double n = fmax(r[row] + step[0], 0.0);
            const double t = mu * r[row], turn = dimension == 3 ? step[1] : 0.0;
            const double length = sqrt(t * t + turn * turn);
            const double along = length > 0.0 ? mu * n * t / length : mu * n;
            const double across = length > 0.0 ? mu * n * turn / length : 0.0;
            r[row] = n;
            if (dimension > 1) {
                r[row + 1] = along * tau[0] - across * tau[1];
            }
            if (dimension > 2) {
                r[row + 2] = along * tau[1] + across * tau[0];
            }
        }
        step += count;
    }
}

int il_contact_newton(const il_contact_parts *parts, double *r)
{
    int64_t unknowns = 0;

    put_on_modes(parts, r);
    il_contact_velocities(parts, r);
    find_tangents(parts, r);
    for (int64_t i = 0; i < parts->problem.count; i++) {
        unknowns += unknowns_of(parts, i);
    }
    const int64_t stride = IL_ELIMINATION_STRIDE(unknowns);
    assemble(parts, stride, unknowns);
    if (il_eliminate(unknowns, stride, parts->A, parts->step)) {
        return 1;
    }
    move(parts, r);
    return 0;
}
