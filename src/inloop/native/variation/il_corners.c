/* Corners of laws that a run passes: an absolute value, a minimum, a maximum. The force goes on from
   there without a jump, but its slope changes, and nothing tells where within the step. The
   derivative of a step is off by up to

       e = h (A_after - A_before) dx

   where A are the slopes of the rates before and after it. Corners lie anywhere within their steps: of
   each law e^2 / 3 is added up. A run that begins at a corner has not passed it. */
#include <string.h>

#include "il_variation.h"

static int look(const il_varied_run *p, double t, const double *u, double *values)
{
    const il_corners *c = p->corners;
    memcpy(c->dep, p->dep, (size_t)p->dependent * sizeof *c->dep);
    return c->look(p->self, t, u, p->x, c->dep, NULL, values, NULL);
}

static int slopes_at(const il_varied_run *p, double t, const double *u, const double *x, double *dk)
{
    const il_corners *c = p->corners;
    memcpy(c->dep, p->dep, (size_t)p->dependent * sizeof *c->dep);
    return p->slopes(p->self, t, u, x, c->dep, p->dx, c->k, dk);
}

/* What one law may have cost in this step. */
static void charge(const il_varied_run *p, int64_t law, double t)
{
    const il_corners *c = p->corners;
    const int64_t wide = p->size * p->lanes;
    const double *before = c->dk, *after = c->dk + wide;
    double *bends = c->bends + law * wide;

    if (c->crossings[law]++ == 0) c->first[law] = t;
    for (int64_t i = 0; i < wide; i++) {
        const double e = p->h * (after[i] - before[i]);
        bends[i] += e * e / 3.0;
    }
}

int il_corners_begin(const il_varied_run *p)
{
    return look(p, p->t, p->u, p->corners->values);
}

void il_corners_before(const il_varied_run *p)
{
    memcpy(p->corners->x, p->x, (size_t)p->size * sizeof *p->x);
}

int il_corners_after(const il_varied_run *p, double t, const double *u)
{
    const il_corners *c = p->corners;
    double *before = c->values, *after = c->values + c->count;
    int known = 0;

    int status = look(p, t + p->h, u, after);
    memset(c->charged, 0, (size_t)c->laws * sizeof *c->charged);
    for (int64_t k = 0; status == IL_OK && k < c->count; k++) {
        const int64_t law = c->owners[k];
        const int passed = before[k] != 0.0 && (before[k] > 0.0) != (after[k] > 0.0);
        if (!passed || c->charged[law]) continue;
        if (!known) {
            known = 1;
            status = slopes_at(p, t, u, c->x, c->dk);
            if (status == IL_OK) {
                status = slopes_at(p, t + p->h, u, p->x, c->dk + p->size * p->lanes);
            }
        }
        if (status == IL_OK) charge(p, law, t);
        c->charged[law] = 1;
    }
    memcpy(before, after, (size_t)c->count * sizeof *before);
    return status;
}
