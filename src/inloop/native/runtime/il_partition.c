/* Threshold pivoting; see il_partition.h. */
#include "il_partition.h"

#include <math.h>
#include <string.h>

#include "il_finite.h"
#include "il_precision.h"

/* of the largest entry: the remainder of a redundant row is below this */
#define RANK_TOLERANCE IL_BY_PRECISION(1e-9, 1e-5)
#define GOOD_PIVOT 0.2      /* of the largest remaining entry: larger pivots are acceptable */
#define POOR_PIVOT 0.05     /* of a unit: a preference must not lead to smaller pivots */

typedef struct {
    int32_t rows, n;
    double *A;                /* remaining part of J */
    double *per_row, *per_column;
    int32_t *free_rows;       /* those in use first, then the remaining ones */
    int32_t *columns;         /* likewise */
    int32_t pivots, column_count;
    double worst;             /* the smallest pivot */
} elimination;

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double largest_left(const elimination *e)
{
    double best = 0.0;
    for (int32_t a = e->pivots; a < e->rows; a++) {
        const double *row = e->A + e->free_rows[a] * e->n;
        for (int32_t b = e->pivots; b < e->column_count; b++) {
            best = larger(best, fabs(row[e->columns[b]]));
        }
    }
    return best;
}

/* number of other entries in each remaining row and column */
static void count_entries(const elimination *e, double best)
{
    for (int32_t b = e->pivots; b < e->column_count; b++) e->per_column[b] = -1.0;
    for (int32_t a = e->pivots; a < e->rows; a++) {
        const double *row = e->A + e->free_rows[a] * e->n;
        e->per_row[a] = -1.0;
        for (int32_t b = e->pivots; b < e->column_count; b++) {
            const double filled = fabs(row[e->columns[b]]) > RANK_TOLERANCE * best ? 1.0 : 0.0;
            e->per_row[a] += filled;
            e->per_column[b] += filled;
        }
    }
}

/* among good pivots the one with the fewest other entries in its row and column; ties: the larger
   */
static void find_cheapest(const elimination *e, double best, int32_t *row, int32_t *column)
{
    double least = INFINITY;
    for (int32_t a = e->pivots; a < e->rows; a++) {
        for (int32_t b = e->pivots; b < e->column_count; b++) {
            const double size = fabs(e->A[e->free_rows[a] * e->n + e->columns[b]]);
            const double cost = e->per_row[a] * e->per_column[b] - 0.5 * size / best;
            if (size < GOOD_PIVOT * best || cost >= least) continue;
            least = cost;
            *row = a;
            *column = b;
        }
    }
}

/* move entry k of a list to place `to`, the others keep their order */
static int32_t move_up(int32_t *list, int32_t k, int32_t to)
{
    const int32_t value = list[k];
    memmove(list + to + 1, list + to, (size_t)(k - to) * sizeof *list);
    list[to] = value;
    return value;
}

static void eliminate_below(elimination *e, int32_t row, int32_t column)
{
    const double *pivot = e->A + row * e->n;
    if (fabs(pivot[column]) < e->worst) e->worst = fabs(pivot[column]);
    for (int32_t a = e->pivots; a < e->rows; a++) {
        double *below = e->A + e->free_rows[a] * e->n;
        const double factor = below[column] / pivot[column];
        if (fabs(factor) <= 0.0) continue;
        for (int32_t b = e->pivots; b < e->column_count; b++) {
            below[e->columns[b]] -= factor * pivot[e->columns[b]];
        }
    }
}

/* pivots among the coordinates with a role of at most `most` */
static void eliminate(elimination *e, const double *J, const int32_t *roles, int32_t most)
{
    const size_t size = (size_t)e->rows * (size_t)e->n;
    double largest = 0.0;
    memcpy(e->A, J, size * sizeof *J);
    for (size_t k = 0; k < size; k++) largest = larger(largest, fabs(J[k]));
    for (int32_t a = 0; a < e->rows; a++) e->free_rows[a] = a;
    e->column_count = 0;
    for (int32_t j = 0; j < e->n; j++) {
        if (roles[j] <= most) e->columns[e->column_count++] = j;
    }
    e->worst = INFINITY;
    for (e->pivots = 0; e->pivots < e->rows && e->pivots < e->column_count;) {
        const double best = largest_left(e);
        int32_t row = e->pivots, column = e->pivots;
        if (best <= RANK_TOLERANCE * largest) break;
        count_entries(e, best);
        find_cheapest(e, best, &row, &column);
        row = move_up(e->free_rows, row, e->pivots);
        column = move_up(e->columns, column, e->pivots);
        e->pivots++;
        eliminate_below(e, row, column);
    }
}

static int has_role(const int32_t *roles, int32_t n, int32_t role)
{
    for (int32_t j = 0; j < n; j++) {
        if (roles[j] == role) return 1;
    }
    return 0;
}

int il_choose(int32_t rows, int32_t n, const double *J, const int32_t *roles, int32_t rank,
              double *work, il_partition *choice)
{
    double *lists = work + (size_t)rows * (size_t)n;
    elimination e = {
        .rows = rows, .n = n, .A = work, .per_row = lists, .per_column = lists + rows,
        .free_rows = choice->rows, .columns = choice->order,
    };
    if (!il_all_finite(J, (int64_t)rows * n)) return 0;
    eliminate(&e, J, roles, IL_ANY);
    if (has_role(roles, n, IL_PREFERRED) && (e.pivots < rank || e.worst < POOR_PIVOT)) {
        eliminate(&e, J, roles, IL_PREFERRED);
    }
    if (e.pivots < rank && has_role(roles, n, IL_SMALL)) eliminate(&e, J, roles, IL_SMALL);
    choice->m = e.pivots;
    choice->nu = n - choice->nd - e.pivots;
    if (e.pivots != rank || choice->nu < 0) return 0;
    /* after the dependent ones, all others that are not driven */
    int32_t next = e.pivots;
    for (int32_t j = 0; j < n; j++) {
        int32_t k = 0;
        while (k < e.pivots && choice->order[k] != j) k++;
        if (k == e.pivots && roles[j] != IL_DRIVEN) choice->order[next++] = j;
    }
    return 1;
}
