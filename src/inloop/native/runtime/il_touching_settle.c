/* Contacts that are closed, once their modes are known: forces of redundant ones, and what rounding
   has left; see il_touching.h. */
#include "il_touching.h"

#include <math.h>
#include <string.h>

#include "il_cholesky.h"
#include "il_method.h"

/* gaps beyond this many times what counts as closed stay as they are */
static const double too_deep = 1e3;

/* time in which gaps are closed [s]: so short that nothing else happens */
static const double instant = 1e-6;

/* The smallest forces f of redundant contacts, G M^-1 F^T f = -still; 0: they are not redundant. */
static int find_smallest(il_touching *touching, double *f)
{
    const int64_t n = touching->free.n, unknowns = il_touching_columns(touching);
    const double *F = touching->columns, *G = F + touching->rows * n;
    double *const A = touching->p.W, *const y = touching->p.q;
    int64_t rows[IL_ROLLING_ROWS], row = 0;

    for (int64_t k = 0; k < unknowns * unknowns; k++) {
        A[k] = il_dot(n, G + k / unknowns * n, F + k % unknowns * n);
    }
    for (int64_t i = 0; i < touching->count; i++) {
        const int64_t own = il_touching_unknowns(touching, i, rows);
        for (int64_t k = 0; k < own; k++, row++) {
            double *const line = touching->matrix + row * (unknowns + 1);
            for (int64_t j = 0; j < unknowns; j++) {
                line[j] = il_dot(unknowns, A + row * unknowns, A + j * unknowns);
            }
            line[unknowns] = -touching->still[rows[k]];
        }
    }
    if (il_touching_solve(touching, unknowns, y) == unknowns) {
        return 0;
    }
    for (int64_t k = 0; k < unknowns; k++) {
        f[k] = 0.0;
        for (int64_t j = 0; j < unknowns; j++) {
            f[k] += A[j * unknowns + k] * y[j];
        }
    }
    return 1;
}

/* Forces on the line from those that were found to the smallest ones, and how possible they are. */
static double share_out(il_touching *touching, const double *smallest, double share)
{
    int64_t rows[IL_ROLLING_ROWS];

    memcpy(touching->found, touching->force, (size_t)touching->rows * sizeof(double));
    for (int64_t i = 0; i < touching->count; i++) {
        const int64_t own = il_touching_unknowns(touching, i, rows);
        for (int64_t k = 0; k < own; k++) {
            const double begun = touching->force[rows[k]];
            touching->found[rows[k]] = begun + share * (*smallest++ - begun);
        }
    }
    return il_touching_force_margin(touching);
}

/* Forces of redundant contacts are those of that line that are farthest from what is not possible:
   what was found may be at its edge, and leave it at once. The distance is a concave function. */
void il_touching_spread(il_touching *touching)
{
    enum { THIRDS = 40 };
    double *const smallest = touching->p.r;
    double low = -3.0, high = 3.0;

    if (!find_smallest(touching, smallest)) {
        return;
    }
    const double found = share_out(touching, smallest, 0.0);
    for (int trial = 0; trial < THIRDS; trial++) {
        const double left = low + (high - low) / 3.0, right = high - (high - low) / 3.0;
        if (share_out(touching, smallest, left) < share_out(touching, smallest, right)) {
            low = left;
        } else {
            high = right;
        }
    }
    if (share_out(touching, smallest, 0.5 * (low + high)) > found) {
        memcpy(touching->force, touching->found, (size_t)touching->rows * sizeof(double));
    }
}

/* The least change of v, or of q, that brings the rows G to zero that are `off`. */
static void find_change(il_touching *touching, int64_t unknowns, const double *off)
{
    const int64_t n = touching->free.n;
    const double *G = touching->columns + touching->rows * n;
    double *const f = touching->p.q, *const change = touching->p.change;

    for (int64_t i = 0; i < unknowns; i++) {
        double *const row = touching->matrix + i * (unknowns + 1);
        for (int64_t j = 0; j < unknowns; j++) {
            row[j] = il_dot(n, G + i * n, G + j * n);
        }
        row[unknowns] = -off[i];
    }
    il_touching_solve(touching, unknowns, f);
    memset(change, 0, (size_t)n * sizeof *change);
    for (int64_t k = 0; k < unknowns; k++) {
        il_move_by(n, change, change, f[k], G + k * n);
    }
    il_solve_upper(n, touching->p.M, change);
}

/* What rounding and steps have left of velocities that are zero, and of gaps that are closed. */
int il_touching_project(il_touching *touching, double t, double *x)
{
    const il_contact_table *table = touching->contacts.table;
    const il_system *system = &touching->free;
    const int64_t n = system->n, size = il_state_size(system);
    double *const off = touching->p.u, *const deep = touching->p.pushed;
    const int64_t unknowns = il_touching_columns(touching);
    int64_t rows[IL_ROLLING_ROWS], k = 0;

    for (int64_t i = 0; i < touching->count; i++) {
        const int64_t own = il_touching_unknowns(touching, i, rows);
        for (int64_t j = 0; j < own; j++, k++) {
            const double gap = j == 0 ? touching->p.gap[i] : 0.0;
            off[k] = touching->u[rows[j]];
            deep[k] = fabs(gap) <= too_deep * touching->near ? gap : 0.0;
        }
    }
    if (unknowns == 0) {
        return IL_OK;
    }
    /* coordinates move as they would with such a velocity, and all that depends on them */
    find_change(touching, unknowns, deep);
    double *const beside = touching->x_beside, *const rates = touching->rates_beside;
    memcpy(beside, x, (size_t)size * sizeof *x);
    for (int64_t j = 0; j < n; j++) {
        beside[n + j] = touching->p.change[j] / instant;
    }
    find_change(touching, unknowns, off);
    il_move_by(n, x + n, x + n, 1.0, touching->p.change);
    int status = system->rates(system->context, t, beside, rates);
    il_move_by(n, x, x, instant, rates);
    const int64_t behind = 2 * n + table->states;
    il_move_by(size - behind, x + behind, x + behind, instant, rates + behind);
    if (status == IL_OK && table->moved && size > behind) {
        /* but not as drives move it meanwhile */
        memset(beside + n, 0, (size_t)n * sizeof *beside);
        status = system->rates(system->context, t, beside, rates);
        il_move_by(size - behind, x + behind, x + behind, -instant, rates + behind);
    }
    il_normalize(system, x);
    return status;
}
