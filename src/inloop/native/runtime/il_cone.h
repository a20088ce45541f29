/* The Coulomb cone of one contact: its projection, and the contact alone solved exactly.
 *
 * r = (r_n, r_t) is the impulse of a contact and u = (u_n, u_t) its relative velocity after it, the
 * normal first and then none (no friction), one (plane) or two (space) tangents. Dry friction:
 *
 *   K* ∋ û ⊥ r ∈ K,   û = u + mu |u_t| n,   K = {|r_t| <= mu r_n},   K* = {mu |u_t| <= u_n}
 *
 * in words: the contact opens (u_n > 0, r = 0), sticks (u = 0, r in the cone), or slips (u_n = 0, r
 * on the surface of the cone and u_t opposite to r_t). De Saxcé & Feng 1998,
 * doi:10.1016/S0895-7177(98)00119-8.
 */
#ifndef IL_CONE_H
#define IL_CONE_H

#include <stdint.h>

#include "il_export.h"

enum { IL_CONE_ROWS = 3 }; /* of one contact, at most */

/* Where on the cone a projection ends, and so what the contact does. */
enum il_contact_mode { IL_CONTACT_OPEN = 0, IL_CONTACT_STICKS = 1, IL_CONTACT_SLIPS = 2 };

/* x = P_K(x), and the mode that this means. */
IL_EXPORT int il_cone_project(int64_t dimension, double mu, double *x);

/* y = P_K(w r - û), and the mode that this means; y = w r if and only if the contact is solved.
   The weight w > 0 [1/kg] compares impulses and velocities. */
IL_EXPORT int il_cone_map(int64_t dimension, double mu, double w, const double *r, const double *u,
                          double *y);

/* r that solves the contact alone, u = W r + b, whatever the friction: W is its block, row-major
   with `stride` numbers from row to row, and need not be symmetric; its symmetric part is positive
   definite. Along tangents nothing need move; if nothing moves along the normal, r is 0. */
IL_EXPORT void il_cone_solve(int64_t dimension, double mu, const double *W, int64_t stride,
                             const double *b, double *r);

#endif
