/* Sparse solution of the constrained equations of motion for one partition (Eq. 16; il_closed.h).
 *
 * J_v is factored once per position; Newton's step, velocities, accelerations, multipliers and the
 * efforts of drives are solved with its factors.
 */
#include "il_closed.h"

#include <string.h>

void il_closed_factor(const il_closed *s, const il_closed_work *w, const double *Jv,
    double *reciprocals)
{
    if (s->factor) {
        s->factor(Jv, w->Jv, reciprocals);
    } else {
        il_sparse_factor(&s->Jv, Jv, w->Jv, reciprocals, w->row);
    }
}

/* x = J_v^-1 x */
static void solve(const il_closed *s, const il_closed_work *w, const double *reciprocals, double *x)
{
    if (s->solve) {
        s->solve(w->Jv, reciprocals, x, w->row, x);
    } else {
        il_sparse_solve(&s->Jv, w->Jv, reciprocals, x);
    }
}

void il_closed_newton(const il_closed *s, const il_closed_work *w, const double *Jv,
    const double *h, double *step, double *reciprocals)
{
    il_closed_factor(s, w, Jv, reciprocals);
    for (int32_t i = 0; i < s->m; i++) step[i] = -h[i];
    solve(s, w, reciprocals, step);
}

/* x_v = -J_v^-1 (J_k x_k + b), x in the inner order */
static void follow(const il_closed *s, const il_closed_work *w, const double *Jk, const double *b,
    double *x)
{
    const double *known = x + s->m;
    for (int32_t i = 0; i < s->m; i++) {
        double sum = b[i];
        for (int32_t p = s->Jk.begin[i]; p < s->Jk.begin[i + 1]; p++) {
            sum += Jk[p] * known[s->Jk.column[p]];
        }
        x[i] = -sum;
    }
    solve(s, w, w->reciprocals, x);
}

void il_closed_velocities(const il_closed *s, const il_closed_work *w, const double *Jv,
    const double *Jk, const double *nu, const double *qd, double *v)
{
    const int32_t n = s->m + s->nu + s->nd;
    il_closed_factor(s, w, Jv, w->reciprocals);
    for (int32_t k = s->m; k < n; k++) w->x[k] = qd[s->order[k]];
    follow(s, w, Jk, nu, w->x);
    for (int32_t k = 0; k < n; k++) v[s->order[k]] = w->x[k];
}

/* B = dv/du, where J_v B = -J_u */
static void follow_independent(const il_closed *s, const il_closed_work *w, const double *Jk)
{
    memset(w->B, 0, (size_t)(s->m * s->nu) * sizeof *w->B);
    for (int32_t i = 0; i < s->m; i++) {
        for (int32_t p = s->Jk.begin[i]; p < s->Jk.begin[i + 1]; p++) {
            const int32_t c = s->Jk.column[p];
            if (c < s->nu) w->B[i * s->nu + c] = -Jk[p];
        }
    }
    il_sparse_solve_columns(&s->Jv, w->Jv, w->reciprocals, &s->B, s->nu, w->B);
}

/* row i of M A in w->row, where A holds B and, below it, ones for the independent coordinates */
static void row_of_MA(const il_closed *s, const il_closed_work *w, const double *M, int32_t i)
{
    for (int32_t p = s->MA.begin[i]; p < s->MA.begin[i + 1]; p++) w->row[s->MA.column[p]] = 0.0;
    const int32_t *column = s->M.column, *entry = s->M_entry, end = s->M.begin[i + 1];
    int32_t p = s->M.begin[i];
    for (; p < end && column[p] < s->m; p++) {
        const int32_t j = column[p];
        il_sparse_add(&s->B, j, s->B.begin[j], M[entry[p]], w->B + j * s->nu, w->row);
    }
    for (; p < end && column[p] < s->m + s->nu; p++) w->row[column[p] - s->m] += M[entry[p]];
}

/* row c of the upper half of Mr += factor * row i of M A, which is in w->row */
static void add_to_Mr(const il_closed *s, const il_closed_work *w, int32_t i, int32_t c,
    double factor)
{
    int32_t first = s->MA.begin[i];
    while (first < s->MA.begin[i + 1] && s->MA.column[first] < c) first++;
    il_sparse_add(&s->MA, i, first, factor, w->row, w->Mr + c * s->nu);
}

/* Mr = A^T M A, factorized */
static void reduce_mass(const il_closed *s, const il_closed_work *w, const double *M)
{
    memset(w->Mr, 0, (size_t)(s->nu * s->nu) * sizeof *w->Mr);
    for (int32_t i = 0; i < s->m + s->nu; i++) {
        row_of_MA(s, w, M, i);
        if (i >= s->m) {
            add_to_Mr(s, w, i, i - s->m, 1.0);
            continue;
        }
        for (int32_t b = s->B.begin[i]; b < s->B.begin[i + 1]; b++) {
            const int32_t c = s->B.column[b];
            add_to_Mr(s, w, i, c, w->B[i * s->nu + c]);
        }
    }
    il_symmetric_factor(&s->Mr, w->Mr, w->Mr_pivots);
}

/* need = M x + c, without loops, in the inner order */
static void efforts(const il_closed *s, const il_closed_work *w, const double *M, const double *c)
{
    const int32_t *column = s->M.column, *entry = s->M_entry;
    for (int32_t i = 0; i < s->M.count; i++) {
        const int32_t end = s->M.begin[i + 1];
        int32_t p = s->M.begin[i];
        /* four independent sums, to break the dependency chain */
        double sum[4] = {c[s->order[i]], 0.0, 0.0, 0.0};
        for (; p + 4 <= end; p += 4) {
            for (int32_t k = 0; k < 4; k++) sum[k] += M[entry[p + k]] * w->x[column[p + k]];
        }
        for (; p < end; p++) sum[0] += M[entry[p]] * w->x[column[p]];
        w->need[i] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
}

/* accelerations of the independent coordinates: Mr qdd_u = A^T (tau - tau0) */
static void accelerate(const il_closed *s, const il_closed_work *w, const double *tau,
    double *qdd_u)
{
    const int32_t m = s->m, nu = s->nu;
    for (int32_t c = 0; c < nu; c++) qdd_u[c] = tau[s->order[m + c]] - w->need[m + c];
    for (int32_t i = 0; i < m; i++) {
        const double left = tau[s->order[i]] - w->need[i];
        il_sparse_add(&s->B, i, s->B.begin[i], left, w->B + i * nu, qdd_u);
    }
    il_symmetric_solve(&s->Mr, w->Mr, w->Mr_pivots, qdd_u);
}

void il_closed_motion(const il_closed *s, const il_closed_work *w, const double *Jk,
    const double *M, const double *gamma, const double *c, const double *tau, const double *qdd,
    double *a, double *lam, double *effort)
{
    const int32_t m = s->m, nu = s->nu, n = m + nu + s->nd;
    double *x = w->x;
    /* accelerations for qdd_u = 0, and the efforts for them */
    for (int32_t k = m; k < n; k++) x[k] = k < m + nu ? 0.0 : qdd[s->order[k]];
    follow(s, w, Jk, gamma, x);
    efforts(s, w, M, c);
    /* accelerations of the independent coordinates */
    follow_independent(s, w, Jk);
    reduce_mass(s, w, M);
    accelerate(s, w, tau, x + m);
    for (int32_t i = 0; i < m; i++) {
        for (int32_t b = s->B.begin[i]; b < s->B.begin[i + 1]; b++) {
            const int32_t column = s->B.column[b];
            x[i] += w->B[i * nu + column] * x[m + column];
        }
    }
    for (int32_t k = 0; k < n; k++) a[s->order[k]] = x[k];
    /* required efforts without loops: J_v^T lam = need_v - tau_v */
    efforts(s, w, M, c);
    for (int32_t i = 0; i < m; i++) lam[i] = w->need[i] - tau[s->order[i]];
    il_sparse_solve_transposed(&s->Jv, w->Jv, w->reciprocals, lam);
    for (int32_t k = 0; k < s->nd; k++) effort[k] = w->need[m + nu + k];
    for (int32_t i = 0; i < m; i++) {
        for (int32_t p = s->Jk.begin[i]; p < s->Jk.begin[i + 1]; p++) {
            const int32_t column = s->Jk.column[p];
            if (column >= nu) effort[column - nu] -= Jk[p] * lam[i];
        }
    }
}
