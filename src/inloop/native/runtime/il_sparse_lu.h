/* A x = b for a sparse matrix whose places are known beforehand and whose values change.
 *
 * Pivots are taken in a fixed order, by generated straight-line code or by tables. Every solution
 * is put into the equations. What is left over is removed by one step of refinement; if that does
 * not suffice, the matrix is factored again with new pivots; if that does not suffice either, the
 * status tells. No allocation: everything is in memory of the caller, and the time is bounded.
 */
#ifndef IL_SPARSE_LU_H
#define IL_SPARSE_LU_H

#include "il_pivoting.h"
#include "il_sparse.h"

enum il_sparse_lu_status {
    IL_SPARSE_LU_OK = 0,
    IL_SPARSE_LU_SINGULAR = 1,   /* rounding of A and b leaves no digit of x */
    IL_SPARSE_LU_INEXACT = 2,    /* the best x that was found is not within the tolerance */
    IL_SPARSE_LU_NOT_FINITE = 3, /* A or b has NaN or infinity */
    IL_SPARSE_LU_NO_FACTORS = 4  /* solved before it was factored, or after that had failed */
};

/* What a compiled pattern consists of; constants.
 *
 * Pivot k lies in row[k] and column[k] of A. Generated code may be absent: then the tables `factors`
 * are used, for transposed solutions too. Straight-line code has their layout; code that is shared by
 * equal steps has its own and no such tables. It takes b and gives x in the order of A.
 */
typedef struct {
    int32_t n, given; /* unknowns; values of A */
    const int32_t *row, *column;
    il_matrix matrix;
    il_factors factors;
    const int32_t *line_begin; /* values of each compressed column, or row; NULL in other orders */
    int32_t by_column;
    int32_t most_lower, most_upper; /* entries with new pivots, whatever they are */
    int32_t numbers, scratch;       /* of the factors; of y */
    int32_t folded; /* constants are in the code, which leaves them out of the factors */
    void (*factor)(const double *A, double *factors, double *reciprocals);
    void (*solve)(const double *factors, const double *reciprocals, const double *b, double *y,
        double *x);
    void (*solve_transposed)(const double *factors, const double *reciprocals, const double *b,
        double *y, double *x);
    /* both at once, faster; leaves no factors, and reciprocals of constant pivots as they are */
    void (*solve_with)(const double *A, const double *b, double *factors, double *reciprocals,
        double *y, double *x);
} il_sparse_lu;

/* How the last solution was found.
 *
 * The backward error is the smallest relative change of all entries of A and b that makes x exact
 * (Oettli and Prager 1964). Where refinement leaves more than the tolerance, rows all of whose terms
 * are rounding are compared with their norm (Arioli, Demmel and Duff 1989), and counted.
 */
typedef struct {
    double backward_error;
    double forward_error; /* most that rounding can do to x; -1 where no pivot was small */
    int32_t refinements, new_pivots; /* steps; 1 if the factors in use have new pivots */
    int32_t rounded_rows; /* beyond the tolerance, but all rounding of larger unknowns */
} il_sparse_lu_report;

/* What changes; see il_sparse_lu_prepare. */
typedef struct {
    double tolerance; /* of the backward error */
    const double *values;
    double *factors, *reciprocals, *y, *residual, *size, *weight, *change, *kept;
    il_pivoting pivoting;
    int32_t usable; /* 0: nothing is factored, 1: by the fixed order, 2: with new pivots */
    int32_t small;  /* some pivot may be nothing but rounding */
    int32_t lacking; /* constants are not among the factors */
    int32_t begun;   /* reciprocals of constant pivots are there */
    int32_t unfactored; /* the values were solved with, which left no factors */
    il_sparse_lu_report report;
} il_sparse_lu_memory;

/* Bytes of the memory of one matrix, aligned to 64 bytes. */
int64_t il_sparse_lu_bytes(const il_sparse_lu *lu);

/* Put the memory in place, il_sparse_lu_bytes(lu) bytes of it; once, before all else. */
void il_sparse_lu_prepare(const il_sparse_lu *lu, double tolerance, void *bytes,
    il_sparse_lu_memory *memory);

/* Factor; `values` must stay as they are for as long as they are solved with. */
int il_sparse_lu_factor(const il_sparse_lu *lu, const double *values, il_sparse_lu_memory *memory);

/* A x = b, or A^T x = b, with the factors that are there; x and b are different arrays. Where the
   status is not OK or INEXACT, x is NaN. */
int il_sparse_lu_solve(const il_sparse_lu *lu, const double *b, int32_t transposed,
    il_sparse_lu_memory *memory, double *x);

/* Both in one. */
int il_sparse_lu_solve_with(const il_sparse_lu *lu, const double *values, const double *b,
    il_sparse_lu_memory *memory, double *x);

/* Parts of the above */

/* x = A^-1 b or A^-T b with the factors that are there, unwatched. */
void il_sparse_lu_apply(const il_sparse_lu *lu, const double *b, int32_t transposed,
    il_sparse_lu_memory *memory, double *x);

/* How well x fulfils A x = b, row by row; residual and size of its rows are left in the memory. */
double il_sparse_lu_backward_error(const il_sparse_lu *lu, const double *b, int32_t transposed,
    il_sparse_lu_memory *memory, const double *x);

/* The same, but rows all of whose terms are rounding of larger unknowns are compared with those. */
double il_sparse_lu_lenient_error(const il_sparse_lu *lu, const double *b, int32_t transposed,
    il_sparse_lu_memory *memory, const double *x);

/* What the residual r of before and rounding of A and b can do to x, in parts of its largest entry,
   each unknown measured in its natural unit; estimated. `left`: 1, or 0: r is not counted. */
double il_sparse_lu_forward_error(const il_sparse_lu *lu, const double *b, int32_t transposed,
    il_sparse_lu_memory *memory, const double *x, double left);

#endif
