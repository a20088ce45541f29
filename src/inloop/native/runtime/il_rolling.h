/* Contacts that resist rolling and drilling: their cone, one sweep, and Newton's method.
 *
 * Behind normal and tangents such a contact has rows of relative angular velocity, times a length
 * [m/s]: about axes in the contact plane, times the length c of rolling resistance, and about the
 * normal, times the length s of drilling resistance. Their impulses are moments over that length, so
 * that the normal impulse bounds them as it is. Each group of rows j is a disc:
 *
 *   K* ∋ û ⊥ r ∈ K,   û = u + Σ mu_j |u_j| n,   K = {|r_j| <= mu_j r_n}
 *
 * where mu_j is the friction coefficient of tangents, and 1 of moments (Acary & Bourrier 2021,
 * doi:10.1016/j.euromechsol.2020.104046). A disc sticks, u_j = 0, or slips with u_j opposite to r_j.
 *
 * Lengths of resistance are much shorter than bodies. Where impulses and velocities are compared, rows
 * of moments are scaled so that they move as easily as normal and tangents do: r_j / scale, scale u_j,
 * and mu_j / scale.
 *
 * Not for users: il_contact_solver.h calls these where il_contact_problem.turning is there.
 */
#ifndef IL_ROLLING_H
#define IL_ROLLING_H

#include "il_contact_parts.h"

enum {
    IL_DISCS = 3,       /* of a contact: tangents, rolling, drilling */
    IL_ROLLING_ROWS = 6 /* of a contact, at most: normal, and 2 + 2 + 1 of its discs */
};

/* w of contact i, and the scales of its rows; a scale of 0: nothing turns, moments do nothing. */
void il_rolling_weigh(const il_contact_parts *parts, int64_t i);

/* Modes of contact i at the velocities of r, y = P_K(w r - û) in scaled rows, and the square of how
   far that is from w r [m^2/s^2]. */
double il_rolling_deviation(const il_contact_parts *parts, int64_t i, const double *r);

/* Each contact solved in turn while the others stay: friction, then each moment, a few times over. */
void il_rolling_sweep(const il_contact_parts *parts, double *r);

/* One step of Newton's method from r for the modes of now; not 0: the matrix is singular. */
int il_rolling_newton(const il_contact_parts *parts, double *r);

/* Moments that do nothing, because what turns is driven: as large as they may be, against it. */
void il_rolling_settle(const il_contact_parts *parts, double *r);

#endif
