/* Choose dependent and independent coordinates of a mechanism with loops.
 *
 * Coordinate partitioning (Wehage & Haug 1982): J at a closed position is eliminated with large
 * pivots. Pivot columns are the dependent coordinates, leftover rows are redundant. Among pivots of
 * similar size the one with the least fill is taken, and the order is kept, so that a solver can
 * repeat it without searching.
 */
#ifndef IL_PARTITION_H
#define IL_PARTITION_H

#include <stdint.h>

#include "il_export.h"

/* Roles of coordinates; lower ones become dependent first. */
enum {
    IL_ANY = 0,
    IL_PREFERRED = 1, /* better independent, as long as the pivots stay good */
    IL_SMALL = 2,     /* moves little: dependent only if the others do not suffice */
    IL_INDEPENDENT = 3,
    IL_DRIVEN = 4     /* its motion is prescribed */
};

typedef struct il_partition {
    int32_t m, nu, nd; /* dependent, independent, driven coordinates */
    int32_t *order;    /* in this order; dependent ones in elimination order */
    int32_t *rows;     /* m rows in use, pivot k is (rows[k], order[k]); then the redundant ones */
} il_partition;

/* Partition n coordinates.
 *
 * J: row-major, rows x n, in units of rows and coordinates. roles: one of the above for each
 * coordinate. rank: of J without driven columns, at regular positions. work: rows * n numbers plus
 * rows + n. choice: nd and the driven coordinates at the end of its order are given; memory for n
 * and for all rows.
 *
 * Returns 0 if J has fewer good pivots than its rank, e.g. at a singular position: the choice is
 * then not usable.
 */
IL_EXPORT int il_choose(int32_t rows, int32_t n, const double *J, const int32_t *roles,
                        int32_t rank, double *work, il_partition *choice);

#endif
