/* LU of a sparse matrix with pivots chosen from its values, in memory of a size known beforehand.
 *
 * Row by row in a fixed order of rows; of each row the largest entry becomes the pivot, rows and
 * then columns scaled by their own largest one. Slower than a fixed order of pivots, and good for any values.
 */
#ifndef IL_PIVOTING_H
#define IL_PIVOTING_H

#include "il_arena.h"
#include "il_sparse.h"

/* A by rows: number entry[p] of its values belongs to place p of `rows`. */
typedef struct {
    il_rows rows;
    const int32_t *entry;
} il_matrix;

/* Row k of the factors: `lower` has (pivot, factor), `upper` (column, value), the pivot apart. */
typedef struct {
    int32_t n, most_lower, most_upper;
    const int32_t *order;  /* rows of A */
    int32_t *pivot_column; /* of each pivot */
    int32_t *taken;        /* by column: whether it has its pivot */
    int32_t *lower_begin, *upper_begin, *lower_pivot, *upper_column;
    double *lower, *upper, *reciprocals;
    double *row, *scale; /* by column */
} il_pivoting;

/* Places for a factorization with at most so many entries left and right of the pivots. */
void il_pivoting_take(il_pivoting *f, int32_t n, int32_t most_lower, int32_t most_upper,
    const int32_t *order, il_arena *from);

/* 1 if all pivots could be had, else 0: the matrix is singular or not finite. */
int il_pivoting_factor(il_pivoting *f, const il_matrix *A, const double *values);

/* x = A^-1 b and x = A^-T b; y has n numbers, b stays */
void il_pivoting_solve(const il_pivoting *f, const double *b, double *y, double *x);
void il_pivoting_solve_transposed(const il_pivoting *f, const double *b, double *y, double *x);

#endif
