/* Newton's matrix of an island: blocks of pairs of trees, upper half, row after row, those that are or
 * become other than 0 while it is factored. Not for users. */
#ifndef IL_PILE_MATRIX_H
#define IL_PILE_MATRIX_H

#include "il_pile_solver.h"

/* Sort the trees of the island so that little is filled, and find which blocks there are. The pattern
   begins with the first block of each row, then their number; then the column of each block. */
void il_island_arrange(const il_island *island);

/* The mass matrices alone. */
void il_island_clear(const il_island *island);

/* Add H^T D H of a contact; D is symmetric. */
void il_island_add(const il_island *island, const il_pile_contact *contact, const double *D);

/* From here on it is not symmetric: the lower half begins as the upper one. Then H^T D H with any D. */
void il_island_mirror(const il_island *island);
void il_island_add_skew(const il_island *island, const il_pile_contact *contact, const double *D);

/* Solve for dv, of which the right-hand side is there; not 0: a pivot is not positive. */
int il_island_factor(const il_island *island, int skew);

#endif
