/* Hard contacts from event to event (il_touching.h): for few contacts, and many digits.
 *
 * Between events contacts keep their modes, and the method of Dormand and Prince leads on with
 * steps that it chooses by its error. Events are where a gap closes, a normal force or a slip comes
 * to zero, or a contact that sticks needs more than its friction. They are seen at the quarters of
 * such a step and at its end, and are located on steps that end there. Then contacts that meet hit,
 * and the modes are found anew.
 *
 * Forces that are told are means over the step, by Boole's rule and with the impulses of impacts.
 * Impacts that follow each other ever faster end where a rebound would be lost in rounding; steps
 * with more than MOST_EVENTS, or of which many happen at one time, fail with IL_CHATTERING.
 */
#include <float.h>
#include <math.h>

#include "il_control.h"
#include "il_dense.h"
#include "il_root.h"
#include "il_touching.h"

/* error of each step between events, in natural units */
static const double tolerance = 1e-12;

/* the least step to begin with after an event, in steps */
static const double restart = 1e-2;

/* by what steps are shortened in which shapes move too far: a part of what would do, and at most */
static const double hardly_less = 0.9, much_shorter = 0.1;

enum {
    MOST_EVENTS = 4000, /* in a step */
    MOST_AT_ONCE = 50,  /* at the same time */
    MOST_TRIALS = 20000 /* of steps between events */
};

enum { QUARTERS = 4 };

/* weights of Boole's rule */
static const double boole[QUARTERS + 1] = {7.0 / 90, 32.0 / 90, 12.0 / 90, 32.0 / 90, 7.0 / 90};

/* A step at work. */
typedef struct course {
    il_touching touching;
    il_stepper inner;  /* from x on */
    double *x;         /* where it has come to */
    double *seen;      /* a state within, and its rates */
    double *seen_rates;
    double t0, gone;   /* when it begins [s], and how far it has come since */
    double begun;      /* when the modes began, since t0 [s] */
    double h;          /* of the next step between events [s] */
    double stride;     /* how far shapes move in the step that was tried, in parts of what they may */
    int64_t trials;
} course;

static int64_t stage_size(int64_t n, int64_t m)
{
    const int64_t size = 2 * n + m;
    return il_work_size(IL_DOPRI, n, m) + (IL_TOUCHING_STATES + 3) * size;
}

/* A mode may have none. */
static int has_contacts(const il_stepper *stepper)
{
    return stepper->system.contacts && stepper->system.contacts->table;
}

/* The system between events has the contacts as its context. */
static int begin(il_stepper *stepper, const il_span *span, course *c)
{
    il_system system = stepper->system;
    const int64_t size = stepper->size;
    double *at = stepper->stages + il_work_size(IL_DOPRI, system.n, system.m);

    *c = (course){.t0 = span->t, .h = span->h};
    if (has_contacts(stepper)) {
        il_touching_begin(&c->touching, &system, span->h, span->x, at);
        system.rates = il_touching_rates;
        system.context = &c->touching;
    }
    at += IL_TOUCHING_STATES * size;
    c->x = at;
    c->seen = at + size;
    c->seen_rates = at + 2 * size;
    memcpy(c->x, span->x, (size_t)size * sizeof *c->x);
    return il_stepper_init(&c->inner, &system, IL_DOPRI, stepper->stages, NULL);
}

/* Forces of the step before are where the search for the first ones begins, and touches are those that
   they were. */
static void remember(course *c)
{
    const il_contact_table *table = c->touching.contacts.table;
    const size_t size = (size_t)il_touching_found_size(table) * sizeof(double);

    if (size > 0) {
        memcpy(c->touching.anchor, c->touching.p.memory, size);
    }
    memset(c->touching.starts, 0, (size_t)(IL_DISCS * table->count) * sizeof *c->touching.starts);
    for (int64_t i = 0; i < table->count; i++) {
        memcpy(c->touching.force + table->first[i], c->x + table->places[i],
               (size_t)(table->first[i + 1] - table->first[i]) * sizeof *c->x);
    }
}

static il_span span_of(const course *c, double h)
{
    const double t = c->t0 + c->gone;
    return (il_span){t, h, t + h, c->x};
}

static int try_step(course *c, double h)
{
    const il_span span = span_of(c, h);
    c->trials++;
    const int status = c->inner.method->attempt(&c->inner, &span);
    il_normalize(&c->inner.system, c->inner.x_new);
    return status;
}

/* The least of all indicators at a state `ahead` of x. */
static int watch(course *c, double ahead, const double *x, double *margin)
{
    const double t = c->t0 + c->gone + ahead;
    const int status = il_touching_rates(&c->touching, t, x, c->seen_rates);
    *margin = il_touching_margin(&c->touching, c->gone - c->begun + ahead);
    return status;
}

/* Look along the step that was tried: the first quarter at whose end something has happened, or 0;
   the indicators there and a quarter before; and what forces did in the step, to p.kept. */
static int look_along(course *c, double h, int *quarter, double margins[2])
{
    il_touching *const touching = &c->touching;
    const il_span span = span_of(c, h);
    double *const impulses = touching->p.kept;

    *quarter = 0;
    c->stride = 0.0;
    memset(impulses, 0, (size_t)touching->rows * sizeof *impulses);
    int status = c->inner.method->interpolate(&c->inner, &span);
    for (int k = 0; status == IL_OK && k <= QUARTERS; k++) {
        double margin;
        il_dense_at(&c->inner, (double)k / QUARTERS, c->seen);
        il_normalize(&c->inner.system, c->seen);
        status = watch(c, h * k / QUARTERS, c->seen, &margin);
        c->stride = fmax(c->stride, il_touching_stride(touching));
        il_move_by(touching->rows, impulses, impulses, h * boole[k], touching->found);
        if (*quarter == 0 && k > 0) {
            margins[1] = margin;
            *quarter = margin > 0.0 ? 0 : k;
        }
        margins[0] = *quarter == 0 ? margin : margins[0];
    }
    return status;
}

/* Where the margin falls to zero within the step. */
typedef struct search {
    course *c;
    double h;
} search;

static int margin_at(void *context, double s, double *margin)
{
    const search *found = context;
    course *const c = found->c;
    const int status = try_step(c, s * found->h);
    return status == IL_OK ? watch(c, s * found->h, c->inner.x_new, margin) : status;
}

/* When something happens in the step that was tried, as a share of it; 1: nothing does. That step
   then ends there. */
static int stop_at_event(course *c, double h, double *share)
{
    search found = {c, h};
    double margins[2];
    int quarter;

    *share = 1.0;
    if (c->touching.count == 0) {
        return IL_OK;
    }
    int status = look_along(c, h, &quarter, margins);
    if (status != IL_OK || quarter == 0 || c->stride > 1.0) {
        return status;
    }
    /* as the modes begin, some indicators are not known */
    const double before = quarter > 1 || c->gone > c->begun ? margins[0] : fabs(margins[1]);
    const il_point a = {(quarter - 1.0) / QUARTERS, before > 0.0 ? before : fabs(margins[1])};
    const il_point b = {(double)quarter / QUARTERS, margins[1]};
    status = il_find_root(margin_at, &found, a, b, 2.0 * DBL_EPSILON, INFINITY, share);
    /* what happens at once, as where a drive jumps, is behind the time of now */
    *share = fmin(1.0, fmax(*share, 4.0 * DBL_EPSILON * fabs(c->t0 + c->gone) / h));
    status = status == IL_OK ? try_step(c, *share * h) : status;
    return status == IL_OK ? look_along(c, *share * h, &quarter, margins) : status;
}

/* Largest error of the step that was tried, in parts of what is tolerated. */
static double error_of(const course *c)
{
    const double *sizes = c->inner.system.sizes;
    double most = 0.0;
    for (int64_t k = 0; k < c->inner.size; k++) {
        const double unit = (sizes ? sizes[k] : 1.0) + fabs(c->x[k]);
        most = fmax(most, fabs(c->inner.error[k]) / (tolerance * unit));
    }
    return most;
}

/* A step of at most h whose error is tolerated, up to the first event in it: its length in h, and
   in `happens` whether it ends with one. Steps that end there are judged anew: friction that turns
   round where slip ends may look smooth from afar. */
static int find_step(course *c, double *h, double *error, int *happens)
{
    const int power = c->inner.method->error_power;

    while (c->trials < MOST_TRIALS) {
        double share;
        int status = try_step(c, *h);
        *error = error_of(c);
        if (status != IL_OK || !(*error < INFINITY)) {
            return status == IL_OK ? IL_DIVERGED : status;
        }
        if (*error <= 1.0) {
            status = stop_at_event(c, *h, &share);
            if (status == IL_OK && c->stride > 1.0) {
                *h *= fmax(much_shorter, hardly_less / c->stride);
                continue;
            }
            *happens = share < 1.0;
            *h *= share;
            if (status != IL_OK || !*happens || (*error = error_of(c)) <= 1.0) {
                return status;
            }
        }
        *h = il_step_after_failure(*h, *error, power);
    }
    return IL_STEP_TOO_SMALL;
}

/* Lead on by one step, `rest` [s] at most. */
static int lead_on(course *c, double rest, int *happens)
{
    const double longest = c->h < rest ? c->h : rest;
    double h = longest, error = 0.0;

    const int status = find_step(c, &h, &error, happens);
    if (status != IL_OK) {
        return status;
    }
    /* what was cut short by the end of the step, or by an event, says nothing about the next one */
    if (h < longest ? !*happens : longest == c->h) {
        c->h = il_step_after_success(h, error, error, c->inner.method->error_power);
        c->h = c->stride > 0.0 ? fmin(c->h, h * fmax(1.0, hardly_less / c->stride)) : c->h;
    }
    c->gone = !*happens && h >= rest ? c->gone + rest : c->gone + h;
    il_move_by(c->touching.rows, c->touching.p.given, c->touching.p.given, 1.0, c->touching.p.kept);
    il_accept(&c->inner, c->x);
    il_touching_follow(&c->touching);
    return il_touching_holds(&c->touching) ? IL_OK : IL_CONTACT_INEXACT;
}

/* From event to event up to the end of the step. */
static int go(course *c, double whole)
{
    int status = IL_OK, at_once = 0;

    for (int events = 0; status == IL_OK; events++) {
        double rest = whole - c->gone;
        int happens = 0;
        if (events > MOST_EVENTS || at_once > MOST_AT_ONCE) {
            return IL_CHATTERING;
        }
        if (c->touching.count > 0) {
            status = il_touching_decide(&c->touching, c->t0 + c->gone, c->x);
        }
        c->begun = c->gone;
        /* short steps up to an event say nothing about those that follow */
        c->h = fmax(c->h, restart * whole);
        c->inner.slope_known = 0;
        while (status == IL_OK && !happens) {
            rest = whole - c->gone;
            if (!(rest > 4.0 * DBL_EPSILON * whole)) {
                return IL_OK;
            }
            status = lead_on(c, rest, &happens);
        }
        at_once = c->gone - c->begun > 4.0 * DBL_EPSILON * whole ? 0 : at_once + 1;
    }
    return status;
}

static int attempt(il_stepper *stepper, const il_span *span)
{
    const il_contacts *contacts = has_contacts(stepper) ? stepper->system.contacts : NULL;
    if ((contacts && !il_touching_can(contacts->table)) || !(span->h > 0.0)) {
        return IL_BAD_ARGUMENT;
    }
    course c;
    int status = begin(stepper, span, &c);
    if (contacts) {
        il_contacts_begin(contacts, stepper->system.n, span->x);
        remember(&c);
    }
    status = status == IL_OK ? go(&c, span->h) : status;
    stepper->evaluations += c.inner.evaluations;
    memcpy(stepper->x_new, c.x, (size_t)stepper->size * sizeof *c.x);
    if (contacts) {
        il_contacts_tell(contacts, span->h, stepper->x_new);
    }
    return status;
}

static int interpolate(il_stepper *stepper, const il_span *span)
{
    il_dense_line(stepper, span);
    return IL_OK;
}

const il_method il_method_event_driven = {0, stage_size, attempt, interpolate, il_dense_reach};
