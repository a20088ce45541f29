/* Factors of sparse blocks, S = L U, with L = U^T where S is symmetric (Cholesky); see il_pile_matrix.h. */
#include "il_pile_matrix.h"

#include <math.h>
#include <string.h>

enum { N = IL_TREE_MOST, BLOCK = N * N };

int64_t il_island_blocks(int64_t trees)
{
    return trees * (trees + 1) / 2;
}

int64_t il_island_numbers(int64_t trees)
{
    return 2 * BLOCK * il_island_blocks(trees);
}

static const int64_t *columns_of(const il_island *island)
{
    return island->pattern + island->tree_count + 1;
}

/* Where the block of a row and a column is, one that is there. */
static int64_t block(const il_island *island, int64_t row, int64_t column)
{
    const int64_t *columns = columns_of(island);
    int64_t at = island->pattern[row];

    while (columns[at] < column) {
        at++;
    }
    return at * BLOCK;
}

/* Where blocks below the diagonal are, each transposed, as those above it; they are used only where
   the matrix is not symmetric. */
static double *lower_of(const il_island *island)
{
    return island->blocks + island->pattern[island->tree_count] * BLOCK;
}

void il_island_clear(const il_island *island)
{
    const int64_t *first = island->pattern, n = island->tree_count;

    memset(island->blocks, 0, (size_t)(first[n] * BLOCK) * sizeof *island->blocks);
    for (int64_t k = 0; k < n; k++) {
        memcpy(island->blocks + first[k] * BLOCK, island->M + island->trees[k] * BLOCK,
               BLOCK * sizeof *island->blocks);
    }
}

void il_island_mirror(const il_island *island)
{
    memcpy(lower_of(island), island->blocks,
           (size_t)(island->pattern[island->tree_count] * BLOCK) * sizeof *island->blocks);
}

/* to += H^T T */
static void add_product(int64_t size, const double H[IL_TREE_MOST][IL_PILE_LANES],
                        const double *restrict T, double *restrict to)
{
    for (int64_t a = 0; a < size; a++) {
        const double h0 = H[a][0], h1 = H[a][1], h2 = H[a][2];
        for (int b = 0; b < N; b++) {
            to[N * a + b] += h0 * T[b] + h1 * T[N + b] + h2 * T[2 * N + b];
        }
    }
}

/* Add H^T D H to blocks of one half. */
static void add_half(const il_island *island, const il_pile_contact *contact, const double *D,
                     double *half)
{
    const int64_t *tree = contact->tree;

    for (int side = 0; side < 2; side++) {
        if (tree[side] < 0) {
            continue;
        }
        const int64_t at = island->position[tree[side]];
        const int64_t other = tree[1 - side] < 0 ? at : island->position[tree[1 - side]];
        double T[IL_PILE_ROWS * N];
        for (int k = 0; k < IL_PILE_ROWS; k++) {
            const double *d = D + IL_PILE_ROWS * k;
            for (int j = 0; j < N; j++) {
                const double *H = contact->H[side][j];
                T[N * k + j] = d[0] * H[0] + d[1] * H[1] + d[2] * H[2];
            }
        }
        add_product(island->size, contact->H[side], T, half + block(island, at, at));
        if (other < at) {
            add_product(island->size, contact->H[1 - side], T, half + block(island, other, at));
        }
    }
}

void il_island_add(const il_island *island, const il_pile_contact *contact, const double *D)
{
    add_half(island, contact, D, island->blocks);
}

void il_island_add_skew(const il_island *island, const il_pile_contact *contact, const double *D)
{
    const double transposed[IL_PILE_SQUARE] = {D[0], D[3], D[6], D[1], D[4], D[7], D[2], D[5], D[8]};

    add_half(island, contact, D, island->blocks);
    add_half(island, contact, transposed, lower_of(island));
}

/* c -= a^T b */
static void subtract(int64_t size, const double *restrict a, const double *restrict b,
                     double *restrict c)
{
    for (int64_t i = 0; i < size; i++) {
        double sum[N];
        memcpy(sum, c + N * i, sizeof sum);
        for (int64_t m = 0; m < size; m++) {
            const double f = a[N * m + i];
            for (int j = 0; j < N; j++) {
                sum[j] -= f * b[N * m + j];
            }
        }
        memcpy(c + N * i, sum, sizeof sum);
    }
}

/* Step i of the factor of a diagonal block: its rows behind row i. */
static void reduce_block(int64_t size, int64_t i, const double *L, double *U)
{
    for (int64_t k = i + 1; k < size; k++) {
        const double f = L[N * i + k];
        for (int j = 0; j < N; j++) {
            U[N * k + j] -= f * U[N * i + j];
        }
    }
}

/* The factors of one diagonal block in their place, L transposed, with reciprocal pivots on both
   diagonals. L is U if the block is symmetric; then all pivots must be positive, else none is 0. Not 0:
   they are not. */
static int factor_block(int64_t size, double *L, double *U)
{
    for (int64_t i = 0; i < size; i++) {
        const double pivot = U[N * i + i], per = 1.0 / sqrt(fabs(pivot));
        const double signed_per = copysign(per, pivot);
        if (!(L == U ? pivot > 0.0 : fabs(pivot) > 0.0)) {
            return 1;
        }
        for (int64_t j = i; j < size; j++) {
            U[N * i + j] *= signed_per;
        }
        for (int64_t j = i; L != U && j < size; j++) {
            L[N * i + j] *= per;
        }
        U[N * i + i] = per;
        L[N * i + i] = signed_per;
        reduce_block(size, i, L, U);
        if (L != U) {
            reduce_block(size, i, U, L);
        }
    }
    return 0;
}

/* c = U^-T c */
static void solve_block(int64_t size, const double *restrict U, double *restrict c)
{
    for (int64_t i = 0; i < size; i++) {
        for (int j = 0; j < N; j++) {
            c[N * i + j] *= U[N * i + i];
        }
        for (int64_t k = i + 1; k < size; k++) {
            const double f = U[N * i + k];
            for (int j = 0; j < N; j++) {
                c[N * k + j] -= f * c[N * i + j];
            }
        }
    }
}

/* Row k of one factor, U, whose diagonal blocks are factored, and what the other one, L, takes with it
   from the rows below. */
static void reduce_row(const il_island *island, int64_t k, const double *L, double *U)
{
    const int64_t *columns = columns_of(island), begin = island->pattern[k] + 1;
    const int64_t end = island->pattern[k + 1];

    for (int64_t a = begin; a < end; a++) {
        /* all columns behind that of `a` are in its row, too, in the same order */
        int64_t to = island->pattern[columns[a]];
        for (int64_t b = a; b < end; b++) {
            while (columns[to] < columns[b]) {
                to++;
            }
            subtract(island->size, L + a * BLOCK, U + b * BLOCK, U + to * BLOCK);
        }
    }
}

/* Row k of U and column k of L; not 0: a pivot is not positive. */
static int factor_row(const il_island *island, int64_t k, double *L, double *U)
{
    const int64_t own = island->pattern[k] * BLOCK;

    if (factor_block(island->size, L + own, U + own)) {
        return 1;
    }
    for (int64_t at = island->pattern[k] + 1; at < island->pattern[k + 1]; at++) {
        solve_block(island->size, L + own, U + at * BLOCK);
        if (L != U) {
            solve_block(island->size, U + own, L + at * BLOCK);
        }
    }
    reduce_row(island, k, L, U);
    if (L != U) {
        reduce_row(island, k, U, L);
    }
    return 0;
}

/* dv = L^-1 dv: tree k, and what that takes from those behind it */
static void forward(const il_island *island, int64_t k, const double *L)
{
    const int64_t *columns = columns_of(island);
    const double *own = L + island->pattern[k] * BLOCK;
    double *x = island->dv + k * N;

    for (int64_t i = 0; i < island->size; i++) {
        x[i] *= own[N * i + i];
        for (int64_t j = i + 1; j < island->size; j++) {
            x[j] -= own[N * i + j] * x[i];
        }
    }
    for (int64_t at = island->pattern[k] + 1; at < island->pattern[k + 1]; at++) {
        const double *below = L + at * BLOCK;
        double *to = island->dv + columns[at] * N;
        for (int64_t m = 0; m < island->size; m++) {
            for (int b = 0; b < N; b++) {
                to[b] -= below[N * m + b] * x[m];
            }
        }
    }
}

/* dv = U^-1 dv: tree k from those behind it */
static void backward(const il_island *island, int64_t k)
{
    const int64_t *columns = columns_of(island);
    const double *U = island->blocks + island->pattern[k] * BLOCK;
    double *x = island->dv + k * N;

    for (int64_t at = island->pattern[k] + 1; at < island->pattern[k + 1]; at++) {
        const double *right = island->blocks + at * BLOCK, *known = island->dv + columns[at] * N;
        for (int64_t m = 0; m < island->size; m++) {
            double sum = 0.0;
            for (int64_t b = 0; b < island->size; b++) {
                sum += right[N * m + b] * known[b];
            }
            x[m] -= sum;
        }
    }
    for (int64_t i = island->size - 1; i >= 0; i--) {
        for (int64_t j = i + 1; j < island->size; j++) {
            x[i] -= U[N * i + j] * x[j];
        }
        x[i] *= U[N * i + i];
    }
}

int il_island_factor(const il_island *island, int skew)
{
    double *U = island->blocks, *L = skew ? lower_of(island) : U;

    for (int64_t k = 0; k < island->tree_count; k++) {
        if (factor_row(island, k, L, U)) {
            return 1;
        }
        forward(island, k, L);
    }
    for (int64_t k = island->tree_count - 1; k >= 0; k--) {
        backward(island, k);
    }
    return 0;
}
