/* Moreau and Jean's time-stepping with theta = 1/2, for hard contacts (il_contacts.h):

     x* = x + h/2 f(t, x)                                   half-way, without contacts
     v_new = v + h f_v(t + h/2, x*) + what contacts that are closed at q* add
     q_new = q + h/2 (v + v_new) + what impacts move,  z_new = z + h f_z(t + h/2, x*)

   It is of order 2, and exact under constant forces, where nothing touches and through impacts, at
   which the step is divided; where friction changes between sticking and slipping of order 1.

   Systems with a predictor, whose force laws may be stiff, are taken linearly implicit:

     (I - h W) k = f(t, x) + h df/dt,  (I - h W) y = f(t + h/2, x + h/2 k) - k

   with h (k + y) in place of h f. Its order is 2 for any W, too (see il_implicit.c; here b2 = 1,
   alpha_21 = 1/2). Why gamma = 1: what is stiff decays by 1/2 in each step, laws are evaluated on
   the side on which they are, and the answer of an oscillator to impulses, (1 + 2 y^2) /
   (1 + y^2)^2 for y = omega h, is positive for all of them, so that contacts can always be solved;
   that asks for gamma >= 1/3. What rests against a stop stays at rest and is carried by just the
   force of the laws, because impulses count in both stages as forces do. */
#include "il_contacts.h"
#include "il_dense.h"

#include <math.h>

static int64_t stage_size(int64_t n, int64_t m)
{
    return 6 * (2 * n + m);
}

/* x* and the mean slope of the step without contacts, explicit. */
static int push(il_stepper *stepper, const il_span *span, double *x_middle, double *slope)
{
    const int status = il_first_slope(stepper, span);
    if (status != IL_OK) {
        return status;
    }
    il_move_by(stepper->size, x_middle, span->x, 0.5 * span->h, stepper->slope);
    il_normalize(&stepper->system, x_middle);
    return il_evaluate(stepper, span->t + 0.5 * span->h, x_middle, slope);
}

/* The same, linearly implicit. */
static int push_implicitly(il_stepper *stepper, const il_span *span, double *x_middle,
                           double *slope)
{
    const il_system *system = &stepper->system;
    const int64_t n = system->n, size = stepper->size;
    const double h = span->h;
    double *const k = x_middle + 2 * size;

    stepper->evaluations += 2;
    int status = system->predict(system->context, span->t, span->x, h, k);
    if (status != IL_OK) {
        return status;
    }
    il_move_by(size, x_middle, span->x, 0.5 * h, k);
    il_normalize(system, x_middle);
    status = system->correct(system->context, span->t + 0.5 * h, x_middle, h, 1.0, k, slope);
    il_move_by(size, slope, slope, 1.0, k);
    /* contacts are looked at where velocities lead */
    il_move_by(n, x_middle, span->x, 0.5 * h, span->x + n);
    return status;
}

/* Memory of a step. */
typedef struct stages {
    double *x_middle, *slope; /* x* and the mean slope */
    double *x_hit;            /* at an impact; k of the predictor lies between */
    double *x_end;            /* where x* leads */
    double *x_after;          /* after an impact */
} stages;

/* Dependent coordinates and attitudes, from entry `at` of x on, move with the mean velocity. */
static int follow(il_stepper *stepper, const il_span *span, int64_t at, const stages *s)
{
    const int64_t n = stepper->system.n;

    /* coordinates count turns: what they did tells the mean */
    for (int64_t k = 0; k < n; k++) {
        s->x_middle[n + k] = (stepper->x_new[k] - span->x[k]) / span->h;
    }
    const int status = il_evaluate(stepper, span->t + 0.5 * span->h, s->x_middle, s->slope);
    il_move_by(stepper->size - at, stepper->x_new + at, span->x + at, span->h, s->slope + at);
    return status;
}

static il_strike strike_of(const il_stepper *stepper, const il_span *span, const stages *s,
                           double whole)
{
    const il_system *system = &stepper->system;
    return (il_strike){
        .context = system->context,
        .t = span->t,
        .h = span->h,
        .whole = whole,
        .x_middle = s->x_middle,
        .x_end = s->x_end,
        .x = span->x,
        .n = system->n,
        .respond = system->respond,
    };
}

/* x_new without contacts, but for coordinates. */
static int free_motion(il_stepper *stepper, const il_span *span, const stages *s)
{
    const int64_t n = stepper->system.n;
    const int status = stepper->system.predict
                           ? push_implicitly(stepper, span, s->x_middle, s->slope)
                           : push(stepper, span, s->x_middle, s->slope);
    il_move_by(stepper->size - n, stepper->x_new + n, span->x + n, span->h, s->slope + n);
    memset(stepper->x_new, 0, (size_t)n * sizeof *stepper->x_new);
    for (int64_t k = 0; k < stepper->size; k++) {
        s->x_end[k] = 2.0 * s->x_middle[k] - span->x[k];
    }
    il_normalize(&stepper->system, s->x_end);
    return status;
}

/* x_new after contacts have acted. */
static int finish(il_stepper *stepper, const il_span *span, const stages *s,
                  const il_strike *strike)
{
    const il_system *system = &stepper->system;
    const il_contacts *contacts = system->contacts;
    const int64_t n = system->n, attitudes = stepper->size - IL_QUATERNION * system->attitudes;
    const int64_t following = strike ? 2 * n + contacts->table->states : attitudes;
    double *const x_new = stepper->x_new;

    const int status = strike ? il_contacts_strike(contacts, strike, x_new) : IL_OK;
    for (int64_t k = 0; k < n; k++) {
        x_new[k] += span->x[k] + 0.5 * span->h * (span->x[n + k] + x_new[n + k]);
    }
    return status == IL_OK && following < stepper->size ? follow(stepper, span, following, s)
                                                        : status;
}

/* Up to an impact, a share of what is left of the step: its state to x_hit. */
static int approach(il_stepper *stepper, const il_span *span, const stages *s, double whole,
                    double share)
{
    const il_span before = {span->t, share * span->h, span->t + share * span->h, span->x};

    memcpy(s->x_hit, span->x, (size_t)stepper->size * sizeof *s->x_hit);
    if (share <= 0.0) {
        return IL_OK;
    }
    int status = free_motion(stepper, &before, s);
    if (status == IL_OK) {
        il_strike strike = strike_of(stepper, &before, s, whole);
        strike.without = 1;
        status = finish(stepper, &before, s, &strike);
    }
    memcpy(s->x_hit, stepper->x_new, (size_t)stepper->size * sizeof *s->x_hit);
    il_normalize(&stepper->system, s->x_hit);
    return status;
}

/* x_hit as a strike. */
static il_strike strike_at(const il_stepper *stepper, const stages *s, double whole, double t)
{
    const il_span now = {t, whole, t, s->x_hit};

    memcpy(s->x_middle, s->x_hit, (size_t)stepper->size * sizeof *s->x_hit);
    return strike_of(stepper, &now, s, whole);
}

/* Find the state at an impact. `share` is a guess, because contacts that are closed are not in it:
   Newton's method leads on from it, and halving where that leaves what is known. What is open still at
   the end of the step, with a share of 1, does not hit in it. */
static int find_impact(il_stepper *stepper, const il_span *span, const stages *s, double whole,
                       double *share)
{
    enum { TRIES = 6 };
    double early = 0.0, late = 1.0;
    il_miss missed = {0.0, 0.0};
    int closes = 0;

    for (int k = 0; k < TRIES; k++) {
        il_contacts_keep(stepper->system.contacts, k > 0);
        int status = approach(stepper, span, s, whole, *share);
        const il_strike strike = strike_at(stepper, s, whole, span->t + *share * span->h);
        status = status == IL_OK ? il_contacts_miss(stepper->system.contacts, &strike, &missed)
                                 : status;
        const int open = missed.gap > 0.0;
        if (status != IL_OK || missed.gap == 0.0 || *share <= 0.0 || (open && *share >= 1.0) ||
            k == TRIES - 1) {
            return status;
        }
        early = open ? *share : early;
        late = open ? late : *share;
        closes = closes || !open;
        const double next = *share - missed.gap / (missed.rate * span->h);
        const int ahead = missed.rate < 0.0 && next > early;
        *share = ahead && next < late ? next : ahead && !closes ? 1.0 : 0.5 * (early + late);
    }
    return IL_OK;
}

/* The impact at x_hit, in no time; laws answer it as within a whole step. */
static int collide(il_stepper *stepper, const stages *s, double whole, double t)
{
    const il_system *system = &stepper->system;
    const il_strike strike = strike_at(stepper, s, whole, t);
    int status = IL_OK;

    if (system->predict) {
        stepper->evaluations++;
        status = system->predict(system->context, t, s->x_hit, whole, s->slope);
    }
    return status == IL_OK ? il_contacts_hit(system->contacts, &strike, s->x_hit) : status;
}

/* What is left of the step, up to the next impact and beyond; `span` is then what is left. Not 0 in
   `done`: nothing is. */
static int go_on(il_stepper *stepper, il_span *span, const stages *s, double whole, int *done)
{
    const il_contacts *contacts = stepper->system.contacts;
    const int last = *done;
    double share = 1.0;

    int status = free_motion(stepper, span, s);
    if (status != IL_OK) {
        return status;
    }
    il_strike strike = strike_of(stepper, span, s, whole);
    status = il_contacts_first_impact(contacts, &strike, stepper->x_new + strike.n, &share);
    *done = share >= 1.0 || last;
    strike.looked = 1;
    if (status != IL_OK || *done) {
        return status == IL_OK ? finish(stepper, span, s, &strike) : status;
    }
    status = find_impact(stepper, span, s, whole, &share);
    if (status == IL_OK && share >= 1.0) {
        *done = 1;
        return status;
    }
    const double t_hit = span->t + share * span->h;
    status = status == IL_OK ? collide(stepper, s, whole, t_hit) : status;
    memcpy(s->x_after, s->x_hit, (size_t)stepper->size * sizeof *s->x_hit);
    *span = (il_span){t_hit, (1.0 - share) * span->h, span->t_new, s->x_after};
    stepper->slope_known = 0;
    return status;
}

/* x_new onto the constraints, of systems whose states have some. */
static int fit(il_stepper *stepper, const il_span *span)
{
    const il_system *system = &stepper->system;
    if (system->fit == NULL) {
        return IL_OK;
    }
    il_normalize(system, stepper->x_new);
    return system->fit(system->context, span->t_new, stepper->x_new);
}

static int attempt(il_stepper *stepper, const il_span *span)
{
    enum { MOST_IMPACTS = 4 }; /* of a step, before all that are left hit at once */
    const int64_t size = stepper->size;
    double *const at = stepper->stages;
    const stages s = {at, at + size, at + 3 * size, at + 4 * size, at + 5 * size};
    const il_contacts *contacts = stepper->system.contacts;
    il_span rest = *span;
    int status = IL_OK, done = 0;

    if (contacts == NULL || contacts->table == NULL) {
        status = free_motion(stepper, span, &s);
        status = status == IL_OK ? finish(stepper, span, &s, NULL) : status;
        return status == IL_OK ? fit(stepper, span) : status;
    }
    il_contacts_begin(contacts, stepper->system.n, span->x);
    for (int k = 0; status == IL_OK && !done; k++) {
        done = k == MOST_IMPACTS;
        status = go_on(stepper, &rest, &s, span->h, &done);
    }
    if (rest.x != span->x) {
        stepper->slope_known = 0;
    }
    il_contacts_tell(contacts, span->h, stepper->x_new);
    return status == IL_OK ? fit(stepper, span) : status;
}

/* Velocities jump: no polynomial tells what is between. The line is for those who only draw it. */
static int interpolate(il_stepper *stepper, const il_span *span)
{
    il_dense_line(stepper, span);
    return IL_OK;
}

const il_method il_method_moreau = {0, stage_size, attempt, interpolate, il_dense_reach};
