/* Sparsity tables of the sparse solution (il_closed.h), for a choice made at run time.
 *
 * Symbolic elimination: the structural nonzeros of the factors of J_v, of B = dv/du, of M A and of
 * A^T M A follow from the patterns of J and M.
 */
#ifndef IL_PATTERN_H
#define IL_PATTERN_H

#include "il_partition.h"
#include "il_closed.h"
#include "il_terms.h"

/* Rows that are still being written; see il_rows. */
typedef struct {
    int32_t *begin, *column;
} il_open_rows;

typedef struct il_pattern {
    il_closed closed;                       /* points to the tables below */
    il_open_rows Jv, Jk, M, B, MA, Mr;
    int32_t *Jv_diagonal, *Jv_into, *M_entry;
    int32_t *Jv_from, *Jk_from;             /* entries of J, in the order of Jv_into and of Jk */
    int32_t *order;                         /* see il_closed; independent ones by fill */
    int32_t *place;                         /* n: index of each coordinate in the internal order */
    int32_t *index;                         /* n * n or more, while the tables are written */
} il_pattern;

/* Write the tables of a choice. */
void il_pattern_fill(const il_terms *terms, const il_partition *choice, il_pattern *pattern);

#endif
