/* Cholesky's factor within a profile of blocks, S = U^T U; see il_pile_matrix.h. */
#include "il_pile_matrix.h"

#include <math.h>
#include <string.h>

enum { N = IL_TREE_MOST, BLOCK = N * N };

int64_t il_island_blocks(int64_t trees)
{
    return trees * (trees + 1) / 2;
}

/* The block of a row and a column within its profile. */
static double *block(const il_island *island, int64_t row, int64_t column)
{
    const int64_t *at = island->profile + 2 * column;
    return island->blocks + (at[1] + row - at[0]) * BLOCK;
}

void il_island_arrange(const il_island *island)
{
    int64_t *profile = island->profile;

    for (int64_t k = 0; k < island->tree_count; k++) {
        island->position[island->trees[k]] = k;
        profile[2 * k] = k;
    }
    for (int64_t i = 0; i < island->count; i++) {
        const int64_t *tree = island->contacts[island->members[i]].tree;
        if (tree[0] < 0 || tree[1] < 0) {
            continue;
        }
        const int64_t a = island->position[tree[0]], b = island->position[tree[1]];
        const int64_t low = a < b ? a : b, high = a < b ? b : a;
        profile[2 * high] = low < profile[2 * high] ? low : profile[2 * high];
    }
    int64_t used = 0;
    for (int64_t k = 0; k < island->tree_count; k++) {
        profile[2 * k + 1] = used;
        used += k + 1 - profile[2 * k];
    }
}

void il_island_clear(const il_island *island)
{
    for (int64_t k = 0; k < island->tree_count; k++) {
        const int64_t above = k - island->profile[2 * k];
        double *column = block(island, island->profile[2 * k], k);
        memset(column, 0, (size_t)(above * BLOCK) * sizeof *column);
        memcpy(column + above * BLOCK, island->M + island->trees[k] * BLOCK, BLOCK * sizeof *column);
    }
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

void il_island_add(const il_island *island, const il_pile_contact *contact, const double *D)
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
        add_product(island->size, contact->H[side], T, block(island, at, at));
        if (other < at) {
            add_product(island->size, contact->H[1 - side], T, block(island, other, at));
        }
    }
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

/* The factor of one block in its place, reciprocal pivots on the diagonal; not 0: it is not positive
   definite. */
static int factor_block(int64_t size, double *U)
{
    for (int64_t i = 0; i < size; i++) {
        if (!(U[N * i + i] > 0.0)) {
            return 1;
        }
        const double per = 1.0 / sqrt(U[N * i + i]);
        for (int64_t j = i; j < size; j++) {
            U[N * i + j] *= per;
        }
        U[N * i + i] = per;
        for (int64_t k = i + 1; k < size; k++) {
            const double f = U[N * i + k];
            for (int j = 0; j < N; j++) {
                U[N * k + j] -= f * U[N * i + j];
            }
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

/* Column j of U; not 0: the matrix is not positive definite. */
static int factor_column(const il_island *island, int64_t j)
{
    const int64_t *profile = island->profile;

    for (int64_t i = profile[2 * j]; i <= j; i++) {
        double *here = block(island, i, j);
        const int64_t low = profile[2 * i] > profile[2 * j] ? profile[2 * i] : profile[2 * j];
        for (int64_t k = low; k < i; k++) {
            subtract(island->size, block(island, k, i), block(island, k, j), here);
        }
        if (i < j) {
            solve_block(island->size, block(island, i, i), here);
        }
    }
    return factor_block(island->size, block(island, j, j));
}

/* dv = U^-T dv, tree j after those before it */
static void forward(const il_island *island, int64_t j)
{
    const double *U = block(island, j, j);
    double *x = island->dv + j * N;

    for (int64_t i = island->profile[2 * j]; i < j; i++) {
        const double *above = block(island, i, j), *known = island->dv + i * N;
        for (int64_t m = 0; m < island->size; m++) {
            for (int b = 0; b < N; b++) {
                x[b] -= above[N * m + b] * known[m];
            }
        }
    }
    for (int64_t i = 0; i < island->size; i++) {
        x[i] *= U[N * i + i];
        for (int64_t k = i + 1; k < island->size; k++) {
            x[k] -= U[N * i + k] * x[i];
        }
    }
}

/* dv = U^-1 dv, tree j after those behind it */
static void backward(const il_island *island, int64_t j)
{
    const double *U = block(island, j, j);
    double *x = island->dv + j * N;

    for (int64_t i = island->size - 1; i >= 0; i--) {
        for (int64_t k = i + 1; k < island->size; k++) {
            x[i] -= U[N * i + k] * x[k];
        }
        x[i] *= U[N * i + i];
    }
    for (int64_t i = island->profile[2 * j]; i < j; i++) {
        const double *above = block(island, i, j);
        double *to = island->dv + i * N;
        for (int64_t m = 0; m < island->size; m++) {
            double sum = 0.0;
            for (int64_t b = 0; b < island->size; b++) {
                sum += above[N * m + b] * x[b];
            }
            to[m] -= sum;
        }
    }
}

int il_island_factor(const il_island *island)
{
    for (int64_t j = 0; j < island->tree_count; j++) {
        if (factor_column(island, j)) {
            return 1;
        }
        forward(island, j);
    }
    for (int64_t j = island->tree_count - 1; j >= 0; j--) {
        backward(island, j);
    }
    return 0;
}
