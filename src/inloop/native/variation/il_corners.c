/* Kinks of force laws that a run passes: an absolute value, a minimum, a maximum. The force is
   continuous there, but its slope changes. A step sums the slopes of its stages with weights b,
   whereas the motion keeps the slope from before up to the kink, at the fraction c of the step. So
   the derivative of the step lacks

       e = h (c - sum of b of stages before the kink) (A_before - A_after) dx

   where A are the slopes of the rates on the two sides of the kink and dx is that before the step.
   With this correction, derivatives past a kink are accurate to first order in h, as the step itself;
   adjoints get the same with the transpose. In implicit steps e enters the equation of the last
   stage, since that may be stiff.
   The remaining error is about the change of e between dx before and after the step: its squares are
   summed for each law. A run that starts at a kink has not passed it. */
#include <math.h>
#include <string.h>

#include "il_variation.h"
#include "il_vectors.h"

static const double LEAST_PART = 0.25; /* fraction of a step: minimum in the remaining error */

static void count_corner(const il_corners *c, const il_corner *corner)
{
    const int64_t law = c->owners[corner->number];
    if (c->crossings[law] == 0 || corner->t < c->first[law]) c->first[law] = corner->t;
    if (!c->charged[law]) c->crossings[law]++;
    c->charged[law] = 1;
}

/* c->bent += correction of derivatives by a kink, c->bends += squares of the remaining error. Slopes
   on both sides are in c->dk for dx before the step, followed by those for dx after it. */
static void bend(const il_corners *c, const il_corner *corner, double h, int64_t count)
{
    const double *later = c->dk + 2 * count;
    const double rest = h * fmax(fabs(corner->part), LEAST_PART);
    double *bends = c->bends + c->owners[corner->number] * count;
    for (int64_t i = 0; i < count; i++) {
        const double jump = c->dk[i] - c->dk[count + i];
        const double left = rest * (later[i] - later[count + i] - jump);
        bends[i] += left * left;
        c->bent[i] += h * corner->part * jump;
    }
}

static il_passing passing(const il_varied_run *p, double t, const double *u)
{
    const il_corners *c = p->corners;
    const il_passing step = {p->self, c,    &p->tableau, p->size, p->dependent, t,
                             p->h,    u,    p->u_stage,  c->x,    p->x,         p->dep,
                             p->implicit ? p->implicit->x : c->stages};
    return step;
}

/* States of explicit stages, from their slopes. */
static void rebuild_stages(const il_varied_run *p)
{
    const int64_t s = p->tableau.stages, n = p->size;
    const double *k = p->memory + (s + 1) * n * p->lanes;
    for (int64_t i = 0; i < s; i++) {
        double *x = p->corners->stages + i * n;
        il_copy(x, p->corners->x, n);
        for (int64_t j = 0; j < i; j++) {
            for (int64_t m = 0; m < n; m++) {
                x[m] += p->h * p->tableau.a[i * s + j] * k[j * n + m];
            }
        }
    }
}

int il_corners_begin(const il_varied_run *p)
{
    il_passing step = passing(p, p->t, p->u);
    return il_passing_look(&step, 0.0, p->x, p->corners->values);
}

void il_corners_before(const il_varied_run *p)
{
    il_copy(p->corners->x, p->x, p->size);
    il_copy(p->corners->dx, p->dx, p->size * p->lanes);
}

/* Slopes on both sides of a kink along dx. */
static int slopes_beside(const il_varied_run *p, const il_corner *corner, const double *dx, double *dk)
{
    const il_corners *c = p->corners;
    int status = IL_OK;
    for (int side = 0; side < 2 && status == IL_OK; side++) {
        il_copy(c->dep, p->dep, p->dependent);
        status = p->slopes(p->self, corner->t, corner->u, c->x + (1 + side) * p->size, c->dep, dx,
                           c->k + 2 * p->size, dk + side * p->size * p->lanes);
    }
    return status;
}

static int past_corners(const il_varied_run *p, const il_passing *step)
{
    const il_corners *c = p->corners;
    const int64_t wide = p->size * p->lanes;
    const il_stages stages = {p->self, &p->tableau, p->implicit, p->size, p->coordinates, step->t,
                              p->h, step->u, p->u_stage, step->stages, p->dep, 0};
    il_corner corner = {0, 0.0, NULL, 0.0};

    if (!p->implicit) rebuild_stages(p);
    memset(c->charged, 0, (size_t)c->laws * sizeof *c->charged);
    memset(c->bent, 0, (size_t)wide * sizeof *c->bent);
    int status = il_passing_begin(step);
    while (status == IL_OK) {
        status = il_passing_next(step, &corner);
        if (corner.number < 0) break;
        if (status == IL_OK) status = slopes_beside(p, &corner, c->dx, c->dk);
        if (status == IL_OK) status = slopes_beside(p, &corner, p->dx, c->dk + 2 * wide);
        if (status != IL_OK) break;
        count_corner(c, &corner);
        bend(c, &corner, p->h, wide);
    }
    if (p->implicit) il_stages_soften(&stages, c->bent);
    for (int64_t i = 0; i < wide; i++) {
        p->dx[i] += c->bent[i];
    }
    return status;
}

int il_corners_after(const il_varied_run *p, double t, const double *u)
{
    const il_corners *c = p->corners;
    const il_passing step = passing(p, t, u);
    int status = il_passing_look(&step, 1.0, p->x, c->values + c->count);
    if (status == IL_OK && il_passing_any(&step)) status = past_corners(p, &step);
    il_copy(c->values, c->values + c->count, c->count);
    return status;
}

static il_passing passing_back(const il_backward_run *r, int64_t k)
{
    const int64_t s = r->tableau.stages > 0 ? r->tableau.stages : 1;
    const double *x = r->x + k * r->size;
    const il_passing step = {
        r->self, r->corners, &r->tableau, r->size, r->dependent, r->t + (double)k * r->h, r->h,
        r->u + k * r->u_step, r->u_stage, x, x + r->size, r->stage_dep + k * s * r->dependent,
        r->stage_x + k * s * r->size};
    return step;
}

int il_corners_back_begin(const il_backward_run *r)
{
    const il_passing step = passing_back(r, r->steps - 1);
    return il_passing_look(&step, 1.0, step.after, r->corners->values);
}

/* Adjoints on both sides of a kink. */
static int owed_beside(const il_backward_run *r, const il_passing *step, const il_corner *corner,
                       const double *weights, double *owed)
{
    const il_corners *c = r->corners;
    int status = IL_OK;
    for (int side = 0; side < 2 && status == IL_OK; side++) {
        il_copy(c->dep, step->dep, r->dependent);
        status = r->pull(r->self, corner->t, corner->u, c->x + (1 + side) * r->size, c->dep, weights,
                         owed + side * (r->size + r->varied));
    }
    return status;
}

static int back_past_corners(const il_backward_run *r, const il_passing *step, const double *later)
{
    const il_corners *c = r->corners;
    const int64_t all = r->size + r->varied;
    il_corner corner = {0, 0.0, NULL, 0.0};

    memset(c->charged, 0, (size_t)c->laws * sizeof *c->charged);
    memset(c->bent, 0, (size_t)all * sizeof *c->bent);
    int status = il_passing_begin(step);
    while (status == IL_OK) {
        status = il_passing_next(step, &corner);
        if (corner.number < 0) break;
        if (status == IL_OK) status = owed_beside(r, step, &corner, later, c->dk);
        if (status == IL_OK) status = owed_beside(r, step, &corner, r->weights, c->dk + 2 * all);
        if (status != IL_OK) break;
        count_corner(c, &corner);
        bend(c, &corner, r->h, all);
    }
    for (int64_t i = 0; i < all; i++) {
        *(i < r->size ? r->weights + i : r->owed + i - r->size) += c->bent[i];
    }
    return status;
}

int il_corners_back(const il_backward_run *r, int64_t k, const double *later)
{
    const il_corners *c = r->corners;
    const il_passing step = passing_back(r, k);
    for (int64_t i = 0; i < r->size; i++) {
        c->most[i] = fmax(c->most[i], fabs(later[i]));
    }
    /* the later end was evaluated as the earlier one of the next step */
    il_copy(c->values + c->count, c->values, c->count);
    const int status = il_passing_look(&step, 0.0, step.x, c->values);
    if (status != IL_OK || !il_passing_any(&step)) return status;
    return back_past_corners(r, &step, later);
}
