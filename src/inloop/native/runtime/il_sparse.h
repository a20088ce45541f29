/* Sparse linear systems whose places are known beforehand: no search, no allocation, no branches on
 * numbers. Everything is in memory of the caller.
 */
#ifndef IL_SPARSE_H
#define IL_SPARSE_H

#include <stdint.h>

/* Row i has the columns column[begin[i]] to column[begin[i + 1] - 1], in increasing order. */
typedef struct {
    int32_t count; /* of rows */
    const int32_t *begin, *column;
} il_rows;

/* A = L U in a fixed order, L with unit diagonal, fill included.
 *
 * Values lie in the order of the places of `rows`; diagonal[i] is the index of pivot i.
 * Number k of `given` numbers of A belongs to the place into[k], from[k] of them (NULL: k).
 */
typedef struct {
    il_rows rows;
    const int32_t *diagonal;
    int32_t places, given;
    const int32_t *into, *from;
} il_factors;

/* Factor A; factors has `places` numbers, reciprocals and row one for each pivot. */
void il_sparse_factor(const il_factors *f, const double *A, double *factors, double *reciprocals,
    double *row);

/* x = A^-1 x and x = A^-T x */
void il_sparse_solve(const il_factors *f, const double *factors, const double *reciprocals,
    double *x);
void il_sparse_solve_transposed(const il_factors *f, const double *factors,
    const double *reciprocals, double *x);

/* X = A^-1 X for many columns; X is row-major with `width` columns, of which `columns` names those
 * that are not zero in each row of the solution. */
void il_sparse_solve_columns(const il_factors *f, const double *factors,
    const double *reciprocals, const il_rows *columns, int32_t width, double *X);

#endif
