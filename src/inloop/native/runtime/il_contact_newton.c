/* Newton's method for contacts whose modes are known.
 *
 * The unknowns are what the modes leave free: nothing where a contact is open (r = 0), all of r
 * where it sticks (u = 0), and where it slips the normal impulse and the direction of slip, so
 * that r stays on the surface of the cone:
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

/* Bring r to what the modes say: 0 where open, onto the cone where it slips; not 0: that moved it. */
static int put_on_modes(const il_contact_parts *parts, double *r)
{
    int moved = 0;

    for (int64_t i = 0; i < parts->problem.count; i++) {
        const int64_t row = parts->problem.first[i], end = parts->problem.first[i + 1];
        for (int64_t k = row; k < end && mode_of(parts, i) != IL_CONTACT_STICKS; k++) {
            const double was = r[k];
            r[k] = mode_of(parts, i) == IL_CONTACT_OPEN ? 0.0 : parts->y[k] / parts->weights[i];
            moved |= r[k] != was;
        }
    }
    return moved;
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

/* How the velocity that must vanish with unknown k of contact i changes with all impulses, for which
   there is room in `slopes`; compliance apart. And that velocity. */
static const double *find_slopes(const il_contact_parts *parts, int64_t i, int64_t k, double *slopes,
                                 double *velocity)
{
    const il_contact_problem *problem = &parts->problem;
    const int64_t row = problem->first[i], rows = parts->rows;
    const double *tau = parts->tangent + IL_CONE_ROWS * i, *u = parts->u + row;

    if (mode_of(parts, i) == IL_CONTACT_STICKS || k == 0) {
        *velocity = u[k];
        return problem->W + (row + k) * problem->stride;
    }
    /* across the direction of slip: s = (-τ_2, τ_1) */
    const double *W1 = problem->W + (row + 1) * problem->stride, *W2 = W1 + problem->stride;
    for (int64_t j = 0; j < rows; j++) {
        slopes[j] = tau[0] * W2[j] - tau[1] * W1[j];
    }
    *velocity = tau[0] * u[2] - tau[1] * u[1];
    return slopes;
}

/* A line of the matrix: the same by the unknowns. */
static void fill_line(const il_contact_parts *parts, const double *slopes, double *line)
{
    const il_contact_problem *problem = &parts->problem;

    for (int64_t j = 0; j < problem->count; j++) {
        const double *s = slopes + problem->first[j], *tau = parts->tangent + IL_CONE_ROWS * j;
        const int64_t dimension = problem->first[j + 1] - problem->first[j];
        const int64_t unknowns = unknowns_of(parts, j);
        if (unknowns == dimension) {
            for (int64_t k = 0; k < dimension; k++) {
                line[k] = s[k];
            }
        } else if (unknowns == 2) {
            line[0] = s[0] + problem->mu[j] * (tau[0] * s[1] + tau[1] * s[2]);
            line[1] = tau[0] * s[2] - tau[1] * s[1];
        } else if (unknowns == 1) {
            line[0] = s[0] + problem->mu[j] * tau[0] * s[1];
        }
        line += unknowns;
    }
}

/* What compliance adds to the line of unknown k of contact i, whose own entry is `own`. */
static void add_compliance(const il_contact_parts *parts, int64_t i, int64_t k, double *own)
{
    const double *R = parts->problem.R + parts->problem.first[i];
    const double *tau = parts->tangent + IL_CONE_ROWS * i;

    if (mode_of(parts, i) == IL_CONTACT_STICKS || k == 0) {
        own[0] += R[k];
        return;
    }
    own[-1] += parts->problem.mu[i] * tau[0] * tau[1] * (R[2] - R[1]);
    own[0] += tau[0] * tau[0] * R[2] + tau[1] * tau[1] * R[1];
}

/* The matrix and, behind it, the velocities that must vanish. */
static void assemble(const il_contact_parts *parts, int64_t stride, int64_t unknowns)
{
    int64_t number = 0;

    for (int64_t i = 0; i < parts->problem.count; i++) {
        const int64_t count = unknowns_of(parts, i);
        for (int64_t k = 0; k < count; k++, number++) {
            double *line = parts->A + number * stride, velocity;
            fill_line(parts, find_slopes(parts, i, k, parts->step, &velocity), line);
            line[number] += regularization * parts->weights[i];
            if (parts->problem.R) {
                add_compliance(parts, i, k, line + number);
            }
            if (k > 0 && mode_of(parts, i) == IL_CONTACT_SLIPS) {
                line[number] += parts->tangent[IL_CONE_ROWS * i + 2];
            }
            line[unknowns] = -velocity;
            for (int64_t pad = unknowns + 1; pad < stride; pad++) {
                line[pad] = 0.0;
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

    if (put_on_modes(parts, r)) {
        il_contact_velocities(parts, r);
    }
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
