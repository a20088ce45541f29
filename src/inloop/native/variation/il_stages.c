/* Linear equations of the stages of an implicit step, M = I - h (a_ij J_j), with J at each stage.
   The first entries of x are positions, whose rates are velocities, the next entries: positions are
   eliminated before the factorization. */
#include <string.h>

#include "il_linear.h"
#include "il_variation.h"
#include "il_vectors.h"

static double dot(int64_t count, const double *a, const double *b)
{
    double sum = 0.0;
    for (int64_t i = 0; i < count; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

/* J of one stage by unit directions, as many at a time as there are lanes */
static int jacobian(const il_stages *at, int64_t stage)
{
    const il_collocation *c = at->implicit;
    const int64_t n = at->size, lanes = c->lanes;
    il_variation still = *at->self;
    double *J = c->J + stage * n * n;
    still.dg = c->still;
    for (int64_t first = 0; first < n; first += lanes) {
        const int64_t count = n - first < lanes ? n - first : lanes;
        memset(c->unit, 0, (size_t)(n * lanes) * sizeof *c->unit);
        for (int64_t k = 0; k < count; k++) {
            c->unit[(first + k) * lanes + k] = 1.0;
        }
        const int status = c->slopes(&still, at->t + at->method->c[stage] * at->h,
                                     at->u + stage * at->u_stage, at->x + stage * n,
                                     at->dep + stage * at->dep_stage, c->unit, c->f, c->column);
        if (status != IL_OK) return status;
        for (int64_t i = 0; i < n; i++) {
            il_copy(J + i * n + first, c->column + i * lanes, count);
        }
    }
    return IL_OK;
}

/* Factorize M = I - h (a_ij J_j), with J at the stages and without positions; or its transpose:

       block i, k: I - h a_ik J_k - h^2 sum_j a_ij a_jk (J_j by positions), on velocities */
int il_stages_factorize(const il_stages *at, int transposed)
{
    il_collocation *c = at->implicit;
    const int64_t n = at->size, s = at->method->stages, q = at->coordinates, rest = n - q;
    const int64_t down = transposed ? 1 : s * rest, right = transposed ? s * rest : 1;
    const double *a = at->method->a, h = at->h;
    for (int64_t j = 0; j < s; j++) {
        const int status = jacobian(at, j);
        if (status != IL_OK) return status;
    }
    for (int64_t i = 0; i < s; i++) {
        for (int64_t k = 0; k < s; k++) {
            double *block = c->M + i * rest * down + k * rest * right;
            for (int64_t row = 0; row < rest; row++) {
                const double *J = c->J + (k * n + q + row) * n + q;
                for (int64_t col = 0; col < rest; col++) {
                    double entry = (i == k && row == col) - h * a[i * s + k] * J[col];
                    for (int64_t j = 0; j < s && col < q; j++) {
                        const double w = h * h * a[i * s + j] * a[j * s + k];
                        entry -= w * c->J[(j * n + q + row) * n + col];
                    }
                    block[row * down + col * right] = entry;
                }
            }
        }
    }
    c->factorized = il_lu_factor(s * rest, c->M, c->pivots) == 0;
    c->h = h;
    return c->factorized ? IL_OK : IL_DIVERGED;
}

/* b = M^-1 b, of all stages */
void il_stages_solve(const il_stages *at, double *b)
{
    const il_collocation *c = at->implicit;
    const int64_t n = at->size, s = at->method->stages, q = at->coordinates, rest = n - q;
    const double *a = at->method->a;
    for (int64_t i = 0; i < s; i++) {
        il_copy(c->rest + i * rest, b + i * n + q, rest);
        for (int64_t j = 0; j < s; j++) {
            for (int64_t row = 0; row < rest; row++) {
                const double *J = c->J + (j * n + q + row) * n;
                c->rest[i * rest + row] += at->h * a[i * s + j] * dot(q, J, b + j * n);
            }
        }
    }
    il_lu_solve(s * rest, c->M, c->pivots, c->rest);
    for (int64_t i = 0; i < s; i++) {
        il_copy(b + i * n + q, c->rest + i * rest, rest);
        for (int64_t j = 0; j < s; j++) {
            il_add_scaled(q, b + i * n, at->h * a[i * s + j], c->rest + j * rest);
        }
    }
}

/* y += w k, of entries that are `lanes` numbers each */
static void add_lanes(int64_t lanes, double *restrict y, double w, const double *restrict k)
{
    for (int64_t l = 0; l < lanes; l++) {
        y[l] += w * k[l];
    }
}

/* The same for many right sides: entries of b are `lanes` numbers each. */
static void solve_lanes(int64_t n, const double *LU, const int64_t *pivots, int64_t lanes, double *b)
{
    for (int64_t k = 0; k < n; k++) {
        for (int64_t l = 0; pivots[k] != k && l < lanes; l++) {
            const double kept = b[k * lanes + l];
            b[k * lanes + l] = b[pivots[k] * lanes + l];
            b[pivots[k] * lanes + l] = kept;
        }
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < i; j++) {
            add_lanes(lanes, b + i * lanes, -LU[i * n + j], b + j * lanes);
        }
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        for (int64_t j = i + 1; j < n; j++) {
            add_lanes(lanes, b + i * lanes, -LU[i * n + j], b + j * lanes);
        }
        for (int64_t l = 0; l < lanes; l++) {
            b[i * lanes + l] /= LU[i * n + i];
        }
    }
}

/* b = M^-1 b, of all stages and lanes */
void il_stages_solve_lanes(const il_stages *at, double *b)
{
    const il_collocation *c = at->implicit;
    const int64_t n = at->size, s = at->method->stages, q = at->coordinates, rest = n - q;
    const int64_t lanes = c->lanes;
    const double *a = at->method->a;
    for (int64_t i = 0; i < s; i++) {
        double *right = c->wide_rest + i * rest * lanes;
        il_copy(right, b + (i * n + q) * lanes, rest * lanes);
        for (int64_t j = 0; j < s; j++) {
            for (int64_t row = 0; row < rest; row++) {
                const double *J = c->J + (j * n + q + row) * n;
                for (int64_t k = 0; k < q; k++) {
                    if (J[k] == 0.0) continue;
                    add_lanes(lanes, right + row * lanes, at->h * a[i * s + j] * J[k],
                              b + (j * n + k) * lanes);
                }
            }
        }
    }
    solve_lanes(s * rest, c->M, c->pivots, lanes, c->wide_rest);
    for (int64_t i = 0; i < s; i++) {
        il_copy(b + (i * n + q) * lanes, c->wide_rest + i * rest * lanes, rest * lanes);
        for (int64_t j = 0; j < s; j++) {
            il_add_scaled(q * lanes, b + i * n * lanes, at->h * a[i * s + j],
                          c->wide_rest + j * rest * lanes);
        }
    }
}

/* b = M^-T b, of all stages */
void il_stages_solve_transposed(const il_stages *at, double *b)
{
    const il_collocation *c = at->implicit;
    const int64_t n = at->size, s = at->method->stages, q = at->coordinates, rest = n - q;
    const double *a = at->method->a;
    for (int64_t k = 0; k < s; k++) {
        il_copy(c->rest + k * rest, b + k * n + q, rest);
        for (int64_t i = 0; i < s; i++) {
            il_add_scaled(q, c->rest + k * rest, at->h * a[i * s + k], b + i * n);
        }
    }
    il_lu_solve(s * rest, c->M, c->pivots, c->rest);
    for (int64_t j = 0; j < s; j++) {
        il_copy(b + j * n + q, c->rest + j * rest, rest);
        for (int64_t i = 0; i < s; i++) {
            for (int64_t row = 0; row < rest; row++) {
                const double w = at->h * a[i * s + j] * c->rest[i * rest + row];
                il_add_scaled(q, b + j * n, w, c->J + (j * n + q + row) * n);
            }
        }
    }
}

void il_stages_soften(const il_stages *at, double *e)
{
    const il_collocation *c = at->implicit;
    const int64_t before = (at->method->stages - 1) * at->size * c->lanes, wide = at->size * c->lanes;
    memset(c->wide, 0, (size_t)before * sizeof *c->wide);
    il_copy(c->wide + before, e, wide);
    il_stages_solve_lanes(at, c->wide);
    il_copy(e, c->wide + before, wide);
}
