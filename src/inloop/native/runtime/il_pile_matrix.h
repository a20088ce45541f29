/* Newton's matrix of an island: blocks of pairs of trees, upper half, column after column from the first
 * block of each that is not 0. Not for users. */
#ifndef IL_PILE_MATRIX_H
#define IL_PILE_MATRIX_H

#include "il_pile_solver.h"

/* Find the profile, and which place each tree has. */
void il_island_arrange(const il_island *island);

/* The mass matrices alone. */
void il_island_clear(const il_island *island);

/* Add H^T D H of a contact; D is symmetric. */
void il_island_add(const il_island *island, const il_pile_contact *contact, const double *D);

/* Solve for dv, of which the right-hand side is there; not 0: it is not positive definite. */
int il_island_factor(const il_island *island);

#endif
