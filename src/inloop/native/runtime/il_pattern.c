/* Symbolic elimination; see il_pattern.h.
 *
 * Sets of columns are rows of a matrix of flags; tables are read from it in increasing order.
 */
#include "il_pattern.h"

#include <string.h>

#define ABSENT (-1)

static void clear(int32_t *index, int32_t rows, int32_t columns)
{
    const size_t size = (size_t)rows * (size_t)columns;
    for (size_t k = 0; k < size; k++) index[k] = ABSENT;
}

/* union: to = to or from, starting at column `first` */
static void unite(int32_t *to, const int32_t *from, int32_t first, int32_t columns)
{
    for (int32_t j = first; j < columns; j++) {
        if (from[j] != ABSENT) to[j] = 0;
    }
}

static void mark(int32_t *to, const il_rows *rows, int32_t row)
{
    for (int32_t p = rows->begin[row]; p < rows->begin[row + 1]; p++) to[rows->column[p]] = 0;
}

/* convert flags to rows; each flag becomes the index of its place */
static il_rows read_off(int32_t *index, int32_t rows, int32_t columns, il_open_rows to)
{
    int32_t next = 0;
    for (int32_t i = 0; i < rows; i++) {
        to.begin[i] = next;
        for (int32_t j = 0; j < columns; j++) {
            int32_t *flag = index + (size_t)i * (size_t)columns + j;
            if (*flag == ABSENT) continue;
            to.column[next] = j;
            *flag = next++;
        }
    }
    to.begin[rows] = next;
    return (il_rows){rows, to.begin, to.column};
}

/* dependent columns of J: L and U with fill, and locations of the given entries */
static void fill_Jv(const il_terms *terms, const il_partition *choice, il_pattern *p)
{
    const int32_t m = choice->m;
    const il_rows *J = &terms->J;
    int32_t given = 0;
    clear(p->index, m, m);
    for (int32_t i = 0; i < m; i++) {
        int32_t *row = p->index + i * m;
        const int32_t begin = J->begin[choice->rows[i]], end = J->begin[choice->rows[i] + 1];
        row[i] = 0;
        for (int32_t e = begin; e < end; e++) {
            if (p->place[J->column[e]] < m) row[p->place[J->column[e]]] = 0;
        }
        for (int32_t k = 0; k < i; k++) {
            if (row[k] != ABSENT) unite(row, p->index + k * m, k + 1, m);
        }
    }
    p->closed.Jv.rows = read_off(p->index, m, m, p->Jv);
    for (int32_t i = 0; i < m; i++) {
        const int32_t begin = J->begin[choice->rows[i]], end = J->begin[choice->rows[i] + 1];
        p->Jv_diagonal[i] = p->index[i * m + i];
        for (int32_t e = begin; e < end; e++) {
            const int32_t column = p->place[J->column[e]];
            if (column >= m) continue;
            p->Jv_into[given] = p->index[i * m + column];
            p->Jv_from[given++] = e;
        }
    }
    p->closed.Jv.diagonal = p->Jv_diagonal;
    p->closed.Jv.places = p->Jv.begin[m];
    p->closed.Jv.given = given;
    p->closed.Jv.into = p->Jv_into;
}

/* the other columns of J, independent ones first */
static void fill_Jk(const il_terms *terms, const il_partition *choice, il_pattern *p)
{
    const int32_t m = choice->m;
    const il_rows *J = &terms->J;
    int32_t next = 0;
    for (int32_t i = 0; i < m; i++) {
        p->Jk.begin[i] = next;
        for (int32_t e = J->begin[choice->rows[i]]; e < J->begin[choice->rows[i] + 1]; e++) {
            if (p->place[J->column[e]] < m) continue;
            p->Jk.column[next] = p->place[J->column[e]] - m;
            p->Jk_from[next++] = e;
        }
    }
    p->Jk.begin[m] = next;
    p->closed.Jk = (il_rows){m, p->Jk.begin, p->Jk.column};
}

/* both halves of the mass matrix */
static void fill_M(const il_terms *terms, il_pattern *p)
{
    const int32_t n = terms->n;
    clear(p->index, n, n);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t e = terms->M.begin[i]; e < terms->M.begin[i + 1]; e++) {
            const int32_t a = p->place[i], b = p->place[terms->M.column[e]];
            p->index[a * n + b] = e;
            p->index[b * n + a] = e;
        }
    }
    int32_t next = 0;
    for (int32_t k = 0; k < n * n; k++) {
        if (p->index[k] != ABSENT) p->M_entry[next++] = p->index[k];
    }
    p->closed.M = read_off(p->index, n, n, p->M);
    p->closed.M_entry = p->M_entry;
}

/* B = -J_v^-1 J_u: input, forward, back substitution */
static void fill_B(const il_partition *choice, il_pattern *p)
{
    const int32_t m = choice->m, nu = choice->nu;
    const int32_t *begin = p->Jv.begin, *column = p->Jv.column;
    clear(p->index, m, nu);
    for (int32_t i = 0; i < m; i++) {
        int32_t *row = p->index + i * nu;
        for (int32_t e = p->Jk.begin[i]; e < p->Jk.begin[i + 1]; e++) {
            if (p->Jk.column[e] < nu) row[p->Jk.column[e]] = 0;
        }
        for (int32_t e = begin[i]; e < p->Jv_diagonal[i]; e++) {
            unite(row, p->index + column[e] * nu, 0, nu);
        }
    }
    for (int32_t i = m - 1; i >= 0; i--) {
        for (int32_t e = p->Jv_diagonal[i] + 1; e < begin[i + 1]; e++) {
            unite(p->index + i * nu, p->index + column[e] * nu, 0, nu);
        }
    }
    p->closed.B = read_off(p->index, m, nu, p->B);
}

/* M A, where A is B and, below it, ones */
static void fill_MA(const il_partition *choice, il_pattern *p)
{
    const int32_t m = choice->m, nu = choice->nu, n = m + nu + choice->nd;
    clear(p->index, n, nu);
    for (int32_t i = 0; i < n; i++) {
        int32_t *row = p->index + i * nu;
        for (int32_t e = p->M.begin[i]; e < p->M.begin[i + 1]; e++) {
            const int32_t j = p->M.column[e];
            if (j < m) mark(row, &p->closed.B, j);
            else if (j < m + nu) row[j - m] = 0;
        }
    }
    p->closed.MA = read_off(p->index, n, nu, p->MA);
}

/* add row i of M A to row c of A^T M A, from its diagonal on */
static void add_row(const il_pattern *p, int32_t i, int32_t c, int32_t nu)
{
    for (int32_t e = p->MA.begin[i]; e < p->MA.begin[i + 1]; e++) {
        if (p->MA.column[e] > c) p->index[c * nu + p->MA.column[e]] = 0;
    }
}

/* A^T M A above its diagonal, without fill */
static void mark_Mr(const il_partition *choice, il_pattern *p)
{
    const int32_t m = choice->m, nu = choice->nu;
    clear(p->index, nu, nu);
    for (int32_t i = 0; i < m; i++) {
        for (int32_t e = p->B.begin[i]; e < p->B.begin[i + 1]; e++) {
            add_row(p, i, p->B.column[e], nu);
        }
    }
    for (int32_t c = 0; c < nu; c++) add_row(p, m + c, c, nu);
}

static void fill_Mr(const il_partition *choice, il_pattern *p)
{
    const int32_t nu = choice->nu;
    mark_Mr(choice, p);
    for (int32_t k = 0; k < nu; k++) {
        const int32_t *row = p->index + k * nu;
        for (int32_t i = k + 1; i < nu; i++) {
            if (row[i] != ABSENT) unite(p->index + i * nu, row, i + 1, nu);
        }
    }
    p->closed.Mr = read_off(p->index, nu, nu, p->Mr);
}

/* the remaining one with the fewest neighbors whose diagonal is not marked */
static int32_t loneliest(const int32_t *index, int32_t nu)
{
    int32_t best = 0, least = nu + 1;
    for (int32_t i = 0; i < nu; i++) {
        int32_t neighbors = 0;
        if (index[i * nu + i] != ABSENT) continue;
        for (int32_t j = 0; j < nu; j++) neighbors += index[i * nu + j] != ABSENT;
        if (neighbors >= least) continue;
        least = neighbors;
        best = i;
    }
    return best;
}

/* low-fill order of the independent coordinates in A^T M A: minimum degree */
static void order_independent(const il_partition *choice, il_pattern *p)
{
    const int32_t nu = choice->nu;
    mark_Mr(choice, p);
    for (int32_t i = 0; i < nu; i++) {
        for (int32_t j = i + 1; j < nu; j++) p->index[j * nu + i] = p->index[i * nu + j];
    }
    for (int32_t next = 0; next < nu; next++) {
        const int32_t k = loneliest(p->index, nu);
        for (int32_t i = 0; i < nu; i++) {
            int32_t *row = p->index + i * nu;
            if (row[k] == ABSENT || row[i] != ABSENT) continue;
            /* the neighbors of k become neighbors of each other */
            unite(row, p->index + k * nu, 0, nu);
            row[k] = ABSENT;
            row[i] = ABSENT;
        }
        p->index[k * nu + k] = 0;
        p->order[choice->m + next] = choice->order[choice->m + k];
    }
}

/* tables that depend on the order of the independent coordinates */
static void fill_others(const il_terms *terms, const il_partition *choice, il_pattern *p)
{
    for (int32_t k = 0; k < terms->n; k++) p->place[p->order[k]] = k;
    fill_Jk(terms, choice, p);
    fill_M(terms, p);
    fill_B(choice, p);
    fill_MA(choice, p);
}

void il_pattern_fill(const il_terms *terms, const il_partition *choice, il_pattern *p)
{
    memcpy(p->order, choice->order, (size_t)terms->n * sizeof *p->order);
    for (int32_t k = 0; k < terms->n; k++) p->place[p->order[k]] = k;
    p->closed.m = choice->m;
    p->closed.nu = choice->nu;
    p->closed.nd = choice->nd;
    p->closed.order = p->order;
    p->closed.factor = NULL;
    p->closed.solve = NULL;
    fill_Jv(terms, choice, p);
    fill_others(terms, choice, p);
    order_independent(choice, p);
    fill_others(terms, choice, p);
    fill_Mr(choice, p);
}
