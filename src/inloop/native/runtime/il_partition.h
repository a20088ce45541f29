/* Which coordinates carry the motion of a mechanism with loops, and which follow.
 *
 * Coordinate partitioning (Wehage & Haug 1982): J at a closed position is eliminated with pivots of
 * good size. Pivot columns are the dependent coordinates, rows that are left over are redundant.
 * Among pivots of similar size the one that causes least fill is taken, and the order is kept, so
 * that whoever solves can repeat it without searching.
 */
#ifndef IL_PARTITION_H
#define IL_PARTITION_H

#include <stdint.h>

#include "il_export.h"

/* What a coordinate may become; the lower, the sooner it is dependent. */
enum {
    IL_ANY = 0,
    IL_PREFERRED = 1, /* better independent, where the pivots stay good */
    IL_SMALL = 2,     /* moves little: dependent only where the others do not suffice */
    IL_INDEPENDENT = 3,
    IL_DRIVEN = 4     /* its motion is prescribed */
};

typedef struct il_partition {
    int32_t m, nu, nd; /* dependent, independent, driven coordinates */
    int32_t *order;    /* in this order; dependent ones as they are eliminated */
    int32_t *rows;     /* m rows in use, pivot k is (rows[k], order[k]); then the redundant ones */
} il_partition;

/* Partition n coordinates.
 *
 * J: row-major, rows x n, in units of rows and coordinates. roles: one of the above for each
 * coordinate. rank: of J without driven columns, wherever it is regular. work: rows * n numbers
 * and rows + n more. choice: nd and the driven coordinates at the end of its order are
 * given; memory for n and for all rows.
 *
 * Returns 0 when J has not as many good pivots as its rank, such as at a singular position: the
 * choice is then of no use.
 */
IL_EXPORT int il_choose(int32_t rows, int32_t n, const double *J, const int32_t *roles,
                        int32_t rank, double *work, il_partition *choice);

#endif
