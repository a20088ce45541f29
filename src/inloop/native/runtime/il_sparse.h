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
 * Number k of the `given` numbers of A belongs to the place into[k].
 */
typedef struct {
    il_rows rows;
    const int32_t *diagonal;
    int32_t places, given;
    const int32_t *into;
} il_factors;

/* Factor A; factors has `places` numbers, reciprocals and row one for each pivot. */
void il_sparse_factor(const il_factors *f, const double *A, double *factors, double *reciprocals,
    double *row);

/* x = A^-1 x and x = A^-T x */
void il_sparse_solve(const il_factors *f, const double *factors, const double *reciprocals,
    double *x);
void il_sparse_solve_transposed(const il_factors *f, const double *factors,
    const double *reciprocals, double *x);

/* to += factor * from in the columns of one row, first_place of which is the first to count */
static inline void il_sparse_add(const il_rows *rows, int32_t row, int32_t first_place, double factor,
    const double *from, double *to)
{
    const int32_t *column = rows->column + first_place;
    const int32_t count = rows->begin[row + 1] - first_place;
    if (count > 0 && column[count - 1] - column[0] == count - 1) {
        /* side by side: in vectors */
        const double *restrict a = from + column[0];
        double *restrict b = to + column[0];
        for (int32_t k = 0; k < count; k++) b[k] += factor * a[k];
    } else {
        for (int32_t k = 0; k < count; k++) to[column[k]] += factor * from[column[k]];
    }
}

/* X = A^-1 X for many columns; X is row-major with `width` columns, of which `columns` names those
 * that are not zero in each row of the solution. */
void il_sparse_solve_columns(const il_factors *f, const double *factors,
    const double *reciprocals, const il_rows *columns, int32_t width, double *X);

/* S = L D L^T of a symmetric, positive definite matrix, in place.
 *
 * S is a full array of which the upper half is used; `right` names the columns right of the
 * diagonal that are not zero, fill included. What is left there is D L^T. */
void il_symmetric_factor(const il_rows *right, double *S, double *reciprocals);

/* x = S^-1 x */
void il_symmetric_solve(const il_rows *right, const double *S, const double *reciprocals,
    double *x);

#endif
