/* Memory layout of an il_reduction; see il_reduction.h. */
#include <string.h>

#include "il_arena.h"
#include "il_reduction.h"

#define LINE 64 /* bytes of a cache line */

static double *numbers(il_arena *a, int64_t count)
{
    return il_take(a, count, sizeof(double), LINE);
}

static int32_t *indices(il_arena *a, int64_t count)
{
    return il_take(a, count, sizeof(int32_t), LINE);
}

static il_open_rows open_rows(il_arena *a, int64_t rows, int64_t places)
{
    int32_t *begin = indices(a, rows + 1);
    return (il_open_rows){begin, indices(a, places)};
}

static void lay_out_choice(il_arena *a, const il_terms *terms, il_partition *choice)
{
    choice->order = indices(a, terms->n);
    choice->rows = indices(a, terms->J.count);
}

/* tables, for the maximum number of dependent coordinates */
static void lay_out_pattern(il_arena *a, const il_terms *terms, il_pattern *p)
{
    const int64_t n = terms->n, J = terms->J.begin[terms->J.count], M = terms->M.begin[n];
    const int64_t most = n < terms->J.count ? n : terms->J.count;
    p->order = indices(a, n);
    p->Jv_from = indices(a, J);
    p->Jv_into = indices(a, J);
    p->Jv_diagonal = indices(a, most);
    p->Jv = open_rows(a, most, most * most);
    p->Jk_from = indices(a, J);
    p->Jk = open_rows(a, most, J);
    p->M = open_rows(a, n, 2 * M);
    p->M_entry = indices(a, 2 * M);
    p->B = open_rows(a, most, n * n / 4);
    p->MA = open_rows(a, n, n * n);
    p->Mr = open_rows(a, n, n * n / 2);
    p->place = indices(a, n);
    p->index = indices(a, n * n);
}

static void lay_out_point(il_arena *a, const il_terms *terms, il_terms_at *at)
{
    const int64_t n = terms->n, rows = terms->J.count;
    at->q = numbers(a, il_terms_positions(terms));
    at->qd = numbers(a, n);
    at->qdd = numbers(a, n);
    at->sine = numbers(a, terms->angles);
    at->cosine = numbers(a, terms->angles);
    at->h = numbers(a, rows);
    at->nu = numbers(a, rows);
    at->J = numbers(a, terms->J.begin[rows]);
    at->M = numbers(a, terms->M.begin[n]);
    at->gamma = numbers(a, rows);
    at->c = numbers(a, n);
    at->lam = numbers(a, rows);
}

static void lay_out_work(il_arena *a, const il_terms *terms, il_closed_work *w)
{
    const int64_t n = terms->n, most = n < terms->J.count ? n : terms->J.count;
    w->reciprocals = numbers(a, most);
    w->row = numbers(a, n);
    w->x = numbers(a, n);
    w->need = numbers(a, n);
    w->Mr_pivots = numbers(a, n);
    w->Jv = numbers(a, most * most);
    w->B = numbers(a, n * n / 4);
    w->Mr = numbers(a, n * n);
}

/* data read in a step first, then data for a new choice */
static void lay_out(il_arena *a, il_reduction *r)
{
    const il_terms *terms = r->mechanism.terms;
    const int64_t n = terms->n, rows = terms->J.count, J = terms->J.begin[rows];
    lay_out_choice(a, terms, &r->choice);
    lay_out_point(a, terms, &r->at);
    r->Jv = numbers(a, J);
    r->Jk = numbers(a, J);
    r->h = numbers(a, rows);
    r->nu = numbers(a, rows);
    r->gamma = numbers(a, rows);
    r->step = numbers(a, rows);
    r->pivots = numbers(a, rows);
    r->dq = numbers(a, n);
    r->lam = numbers(a, rows);
    r->effort = numbers(a, 3 * terms->nd);
    r->zd = numbers(a, terms->states);
    r->zeros = numbers(a, terms->states);
    lay_out_work(a, terms, &r->work);
    lay_out_pattern(a, terms, &r->pattern);
    lay_out_choice(a, terms, &r->next);
    r->J = numbers(a, rows * n);
    r->elimination = numbers(a, rows * n + rows + n);
}

size_t il_reduction_measure(const il_mechanism *mechanism)
{
    il_reduction r = {.mechanism = *mechanism};
    il_arena a = {NULL, 0};
    (void)il_take(&a, 1, sizeof r, LINE);
    lay_out(&a, &r);
    return a.used;
}

il_reduction *il_reduction_place(const il_mechanism *mechanism, void *memory)
{
    const il_terms *terms = mechanism->terms;
    il_arena a = {memory, 0};
    memset(memory, 0, il_reduction_measure(mechanism));
    il_reduction *r = il_take(&a, 1, sizeof *r, LINE);
    r->mechanism = *mechanism;
    r->at.pre = mechanism->pre;
    lay_out(&a, r);
    /* driven coordinates come last in every choice */
    int32_t *ends[2] = {r->choice.order, r->next.order};
    for (int k = 0; k < 2; k++) {
        memcpy(ends[k] + terms->n - terms->nd, terms->driven, (size_t)terms->nd * sizeof(int32_t));
    }
    return r;
}
