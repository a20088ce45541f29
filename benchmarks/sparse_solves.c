/* Times of sparse solvers: factor with new values and solve, hot and cold.
 *
 * A contestant is a function of (context, values, b, x). Hot: the value sets one after the other,
 * many times. Cold: one call after other work has taken its place in the caches of the core (8 MB
 * of data and 320 kB of code), or in all caches (64 MiB of data, twice).
 * Libraries that may be absent are opened at run time; their prototypes are written down here.
 */
#define _GNU_SOURCE
#include "il_export.h"
#include "il_sparse_lu.h"

#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    int32_t n, given;
    const int32_t *begin, *row; /* compressed columns */
} pattern;

typedef void contestant(void *context, const double *values, const double *b, double *x);

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* inloop: the kernel alone, tables, and with everything that is watched */

typedef struct {
    const il_sparse_lu *lu;
    il_sparse_lu_memory *memory;
    const double *given, *arranged; /* all value sets: as they are given, as the code reads them */
    int32_t status;
} ours;

static void kernel(void *context, const double *values, const double *b, double *x)
{
    const ours *c = context;
    il_sparse_lu_memory *m = c->memory;
    c->lu->solve_with(values, b, m->factors, m->reciprocals, m->y, x);
}

/* from values that were written in the order in which the code reads them */
static void arranged(void *context, const double *values, const double *b, double *x)
{
    const ours *c = context;
    kernel(context, c->arranged + (values - c->given), b, x);
}

static void tables(void *context, const double *values, const double *b, double *x)
{
    const ours *c = context;
    il_sparse_lu_memory *m = c->memory;
    const il_sparse_lu *lu = c->lu;
    il_sparse_factor(&lu->factors, values, m->factors, m->reciprocals, m->y);
    for (int32_t k = 0; k < lu->n; k++) m->y[k] = b[lu->row[k]];
    il_sparse_solve(&lu->factors, m->factors, m->reciprocals, m->y);
    for (int32_t k = 0; k < lu->n; k++) x[lu->column[k]] = m->y[k];
}

static void watched(void *context, const double *values, const double *b, double *x)
{
    ours *c = context;
    c->status |= il_sparse_lu_solve_with(c->lu, values, b, c->memory, x);
}

/* KLU: refactor with the pivots of the first values */

typedef struct {
    const pattern *p;
    double common[256]; /* klu_common is smaller */
    void *symbolic, *numeric;
    int (*refactor)(int *, int *, double *, void *, void *, void *);
    int (*solve)(void *, void *, int, int, double *, void *);
} klu;

static int klu_begin(klu *c, const pattern *p, const double *values)
{
    void *library = dlopen("libklu.so", RTLD_NOW);
    if (!library) library = dlopen("libklu.so.2", RTLD_NOW);
    if (!library) library = dlopen("libklu.so.1", RTLD_NOW);
    if (!library) return 0;
    int (*defaults)(void *) = (int (*)(void *))dlsym(library, "klu_defaults");
    void *(*analyze)(int, int *, int *, void *) =
        (void *(*)(int, int *, int *, void *))dlsym(library, "klu_analyze");
    void *(*factor)(int *, int *, double *, void *, void *) =
        (void *(*)(int *, int *, double *, void *, void *))dlsym(library, "klu_factor");
    c->refactor =
        (int (*)(int *, int *, double *, void *, void *, void *))dlsym(library, "klu_refactor");
    c->solve = (int (*)(void *, void *, int, int, double *, void *))dlsym(library, "klu_solve");
    c->p = p;
    defaults(c->common);
    c->symbolic = analyze(p->n, (int *)p->begin, (int *)p->row, c->common);
    c->numeric = factor((int *)p->begin, (int *)p->row, (double *)values, c->symbolic, c->common);
    return c->numeric != NULL;
}

static void klu_run(void *context, const double *values, const double *b, double *x)
{
    klu *c = context;
    c->refactor((int *)c->p->begin, (int *)c->p->row, (double *)values, c->symbolic, c->numeric,
        c->common);
    memcpy(x, b, (size_t)c->p->n * sizeof *x);
    c->solve(c->symbolic, c->numeric, c->p->n, 1, x, c->common);
}

/* UMFPACK: symbolic once, numeric and solve each time */

typedef struct {
    const pattern *p;
    void *symbolic;
    double control[20], info[90];
    int (*numeric)(const int *, const int *, const double *, void *, void **, const double *,
        double *);
    int (*solve)(int, const int *, const int *, const double *, double *, const double *, void *,
        const double *, double *);
    void (*release)(void **);
} umfpack;

static int umfpack_begin(umfpack *c, const pattern *p, const double *values)
{
    void *library = dlopen("libumfpack.so", RTLD_NOW);
    if (!library) library = dlopen("libumfpack.so.6", RTLD_NOW);
    if (!library) library = dlopen("libumfpack.so.5", RTLD_NOW);
    if (!library) return 0;
    void (*defaults)(double *) = (void (*)(double *))dlsym(library, "umfpack_di_defaults");
    int (*symbolic)(int, int, const int *, const int *, const double *, void **, const double *,
        double *) =
        (int (*)(int, int, const int *, const int *, const double *, void **, const double *,
            double *))dlsym(library, "umfpack_di_symbolic");
    c->numeric = (int (*)(const int *, const int *, const double *, void *, void **, const double *,
        double *))dlsym(library, "umfpack_di_numeric");
    c->solve = (int (*)(int, const int *, const int *, const double *, double *, const double *,
        void *, const double *, double *))dlsym(library, "umfpack_di_solve");
    c->release = (void (*)(void **))dlsym(library, "umfpack_di_free_numeric");
    c->p = p;
    defaults(c->control);
    c->control[7] = 0.0; /* UMFPACK_IRSTEP: no refinement, as the others */
    return symbolic(p->n, p->n, p->begin, p->row, values, &c->symbolic, c->control, c->info) == 0;
}

static void umfpack_run(void *context, const double *values, const double *b, double *x)
{
    umfpack *c = context;
    void *numeric;
    c->numeric(c->p->begin, c->p->row, values, c->symbolic, &numeric, c->control, c->info);
    c->solve(0, c->p->begin, c->p->row, values, x, b, numeric, c->control, c->info);
    c->release(&numeric);
}

/* dense LAPACK: dgesv of the library that is handed over */

typedef struct {
    const pattern *p;
    double *A;
    int32_t *pivots;
    void (*gesv)(const int *, const int *, double *, const int *, int *, double *, const int *,
        int *);
} dense;

static void dense_run(void *context, const double *values, const double *b, double *x)
{
    dense *c = context;
    const int n = c->p->n, one = 1;
    int info;
    memset(c->A, 0, (size_t)n * (size_t)n * sizeof *c->A);
    for (int32_t j = 0; j < n; j++) {
        for (int32_t p = c->p->begin[j]; p < c->p->begin[j + 1]; p++) {
            c->A[(size_t)j * (size_t)n + (size_t)c->p->row[p]] = values[p];
        }
    }
    memcpy(x, b, (size_t)n * sizeof *x);
    c->gesv(&n, &one, c->A, &n, c->pivots, x, &n, &info);
}

/* The idea of MBDyn's naive solver: a full array with lists of the places in use, pivots chosen
   while it runs, of those within 1e-8 of the largest the one with the shortest row. */

typedef struct {
    const pattern *p;
    double *A;           /* n x n, by rows */
    unsigned char *used; /* n x n */
    int32_t *rows, *row_count, *columns, *column_count; /* places in use, n x n each */
    int32_t *pivot_row, *done;
    double *y;
} naive;

static void naive_put(naive *c, int32_t i, int32_t j)
{
    const size_t n = (size_t)c->p->n;
    c->used[(size_t)i * n + (size_t)j] = 1;
    c->rows[(size_t)i * n + (size_t)c->row_count[i]++] = j;
    c->columns[(size_t)j * n + (size_t)c->column_count[j]++] = i;
}

static int32_t naive_pivot(const naive *c, int32_t j)
{
    const size_t n = (size_t)c->p->n;
    const int32_t *column = c->columns + (size_t)j * n;
    double most = 0.0;
    int32_t best = -1;
    for (int32_t k = 0; k < c->column_count[j]; k++) {
        const double size = fabs(c->A[(size_t)column[k] * n + (size_t)j]);
        if (!c->done[column[k]] && size > most) most = size;
    }
    for (int32_t k = 0; k < c->column_count[j]; k++) {
        const int32_t i = column[k];
        if (c->done[i] || fabs(c->A[(size_t)i * n + (size_t)j]) < 1e-8 * most) continue;
        if (best < 0 || c->row_count[i] < c->row_count[best]) best = i;
    }
    return best;
}

static void naive_run(void *context, const double *values, const double *b, double *x)
{
    naive *c = context;
    const int32_t count = c->p->n;
    const size_t n = (size_t)count;
    memset(c->used, 0, n * n);
    memset(c->row_count, 0, n * sizeof(int32_t));
    memset(c->column_count, 0, n * sizeof(int32_t));
    memset(c->done, 0, n * sizeof(int32_t));
    memcpy(c->y, b, n * sizeof(double));
    for (int32_t j = 0; j < count; j++) {
        for (int32_t p = c->p->begin[j]; p < c->p->begin[j + 1]; p++) {
            naive_put(c, c->p->row[p], j);
            c->A[(size_t)c->p->row[p] * n + (size_t)j] = values[p];
        }
    }
    for (int32_t j = 0; j < count; j++) {
        const int32_t pivot = naive_pivot(c, j);
        const double *upper = c->A + (size_t)pivot * n;
        const double reciprocal = 1.0 / upper[j];
        const int32_t *column = c->columns + (size_t)j * n, *row = c->rows + (size_t)pivot * n;
        c->pivot_row[j] = pivot;
        c->done[pivot] = 1;
        for (int32_t k = 0; k < c->column_count[j]; k++) {
            const int32_t i = column[k];
            if (c->done[i]) continue;
            double *target = c->A + (size_t)i * n;
            const double factor = target[j] * reciprocal;
            c->y[i] -= factor * c->y[pivot];
            for (int32_t q = 0; q < c->row_count[pivot]; q++) {
                const int32_t at = row[q];
                if (at <= j) continue;
                if (c->used[(size_t)i * n + (size_t)at]) {
                    target[at] -= factor * upper[at];
                } else {
                    target[at] = -factor * upper[at];
                    naive_put(c, i, at);
                }
            }
        }
    }
    for (int32_t j = count - 1; j >= 0; j--) {
        const int32_t pivot = c->pivot_row[j], *row = c->rows + (size_t)pivot * n;
        double sum = c->y[pivot];
        for (int32_t q = 0; q < c->row_count[pivot]; q++) {
            if (row[q] > j) sum -= c->A[(size_t)pivot * n + (size_t)row[q]] * x[row[q]];
        }
        x[j] = sum / c->A[(size_t)pivot * n + (size_t)j];
    }
}

static void naive_begin(naive *c, const pattern *p)
{
    const size_t n = (size_t)p->n, square = n * n;
    c->p = p;
    c->A = calloc(square, sizeof(double));
    c->used = malloc(square);
    c->rows = malloc(square * sizeof(int32_t));
    c->columns = malloc(square * sizeof(int32_t));
    c->row_count = malloc(n * sizeof(int32_t));
    c->column_count = malloc(n * sizeof(int32_t));
    c->pivot_row = malloc(n * sizeof(int32_t));
    c->done = malloc(n * sizeof(int32_t));
    c->y = malloc(n * sizeof(double));
}

/* timing */

/* What empties caches before a cold call. */
typedef void cooling(void);

enum { CORE_DATA = 1000000, ALL_DATA = 64 << 17 }; /* numbers: 8 MB, 64 MiB */
static volatile double dirt[ALL_DATA];

static void walk(size_t numbers)
{
    for (size_t k = 0; k < numbers; k += 8) dirt[k] += 1.0;
}

/* The caches of the core, L1 and L2: 8 MB of data, then 5,120 lines of code, 320 kB. */
static void empty_core(void)
{
    walk(CORE_DATA);
    __asm__ volatile(".rept 5120\n nop\n .balign 64\n .endr");
}

/* All caches: memory of twice the last one, walked through twice. Code has to come from memory as
   well, because the last cache holds code and data alike. */
static void empty_all(void)
{
    walk(ALL_DATA);
    walk(ALL_DATA);
}

static int smaller(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int32_t count)
{
    qsort(x, (size_t)count, sizeof *x, smaller);
    return x[count / 2];
}

enum { CONTESTANTS = 9, ROUNDS = 40, MOST_SETS = 64 };
#define PATIENCE 1e9 /* for the rounds of one contestant [ns] */

/* One of the race: `there` is 0 for libraries that are absent. */
typedef struct {
    contestant *run;
    void *context;
    int there;
} runner;

/* Value sets of one pattern and the right side. */
typedef struct {
    const double *values, *b;
    int32_t sets, given, n;
} problems;

static void run_set(const runner *r, const problems *p, int32_t set, double *x)
{
    r->run(r->context, p->values + (size_t)set * (size_t)p->given, p->b, x);
}

/* Mean time of one solution, all sets one after the other, `repeats` times. */
static double one_round(const runner *r, const problems *p, int32_t repeats, double *x)
{
    const double begin = now();
    for (int32_t k = 0; k < repeats; k++) {
        for (int32_t s = 0; s < p->sets; s++) run_set(r, p, s, x);
    }
    return (now() - begin) / repeats / p->sets;
}

/* Shorten the best times of one contestant. Who is fast is timed over rounds of a quarter of a
   millisecond; who is slow set by set, so that nothing of that length is ever interrupted. */
static void take_turn(const runner *r, const problems *p, int32_t repeats, double *best, double *x)
{
    if (repeats > 1) {
        const double each = one_round(r, p, repeats, x);
        for (int32_t s = 0; s < p->sets; s++) best[s] = each < best[s] ? each : best[s];
        return;
    }
    for (int32_t s = 0; s < p->sets; s++) {
        const double begin = now();
        run_set(r, p, s, x);
        const double each = now() - begin;
        best[s] = each < best[s] ? each : best[s];
    }
}

/* Hot: contestants take turns, so that what disturbs one of them disturbs all. */
static void race_hot(const runner *all, const problems *p, double *hot, double *x)
{
    int32_t repeats[CONTESTANTS];
    double spent[CONTESTANTS] = {0.0}, best[CONTESTANTS][MOST_SETS];
    for (int32_t c = 0; c < CONTESTANTS; c++) {
        hot[c] = 0.0;
        if (!all[c].there) continue;
        double *found = x + (size_t)c * (size_t)p->n;
        one_round(&all[c], p, 1, found);
        const double pass = p->sets * one_round(&all[c], p, 1, found);
        repeats[c] = pass > 1.25e5 ? 1 : (int32_t)(2.5e5 / pass);
        for (int32_t s = 0; s < p->sets; s++) best[c][s] = HUGE_VAL;
    }
    for (int32_t round = 0; round < ROUNDS; round++) {
        for (int32_t c = 0; c < CONTESTANTS; c++) {
            if (!all[c].there || spent[c] > PATIENCE) continue;
            const double begin = now();
            one_round(&all[c], p, 1, x + (size_t)c * (size_t)p->n); /* into the caches again */
            take_turn(&all[c], p, repeats[c], best[c], x + (size_t)c * (size_t)p->n);
            spent[c] += now() - begin;
        }
    }
    for (int32_t c = 0; c < CONTESTANTS; c++) {
        for (int32_t s = 0; all[c].there && s < p->sets; s++) hot[c] += best[c][s] / p->sets;
    }
}

/* Cold: a single call, contestants taking turns; median over the sets. Each is called once before,
   so that what the caches hold does not depend on the memory of the others. */
static void race_cold(
    const runner *all, const problems *p, cooling *cool, double *cold, double *x)
{
    double times[CONTESTANTS][MOST_SETS];
    for (int32_t s = 0; s < p->sets; s++) {
        for (int32_t c = 0; c < CONTESTANTS; c++) {
            if (!all[c].there) continue;
            double *found = x + (size_t)c * (size_t)p->n;
            run_set(&all[c], p, s, found);
            cool();
            const double begin = now();
            run_set(&all[c], p, s, found);
            times[c][s] = now() - begin;
        }
    }
    for (int32_t c = 0; c < CONTESTANTS; c++) {
        cold[c] = all[c].there ? median(times[c], p->sets) : 0.0;
    }
}

/* Time of each contestant [ns], 0 for those that are not there: a row hot, one with the caches of
   the core cold, one with all caches cold. And its solutions for the last value set; x has a row for
   each. `other` takes the value sets `arranged`. `eigen` and
   `gesv` may be NULL. */
IL_EXPORT int bench_sparse(const il_sparse_lu *lu, il_sparse_lu_memory *memory,
    const il_sparse_lu *other, il_sparse_lu_memory *other_memory, const double *arranged_values,
    const int32_t *begin, const int32_t *row, const double *values, int32_t sets, const double *b,
    contestant *eigen, void *eigen_context, void *gesv, double *times, double *x)
{
    const pattern p = {lu->n, lu->given, begin, row};
    const size_t n = (size_t)lu->n;
    ours own = {lu, memory, NULL, NULL, 0};
    ours own_arranged = {other, other_memory, values, arranged_values, 0};
    static klu k;
    static umfpack u;
    static naive v;
    dense d = {&p, malloc(n * n * sizeof(double)), malloc(n * sizeof(int32_t)), 0};
    memcpy(&d.gesv, &gesv, sizeof gesv);
    naive_begin(&v, &p);
    const problems q = {values, b, sets < MOST_SETS ? sets : MOST_SETS, p.given, p.n};
    const runner all[CONTESTANTS] = {
        {kernel, &own, lu->solve_with != NULL},
        {arranged, &own_arranged, other->solve_with != NULL},
        {tables, &own, lu->factors.places > 0},
        {watched, &own, 1},
        {klu_run, &k, klu_begin(&k, &p, values)},
        {umfpack_run, &u, umfpack_begin(&u, &p, values)},
        {naive_run, &v, 1},
        {eigen, eigen_context, eigen != NULL},
        {dense_run, &d, gesv != NULL},
    };
    race_hot(all, &q, times, x);
    race_cold(all, &q, empty_core, times + CONTESTANTS, x);
    race_cold(all, &q, empty_all, times + 2 * CONTESTANTS, x);
    free(d.A), free(d.pivots);
    free(v.A), free(v.used), free(v.rows), free(v.columns);
    free(v.row_count), free(v.column_count), free(v.pivot_row), free(v.done), free(v.y);
    return own.status;
}
