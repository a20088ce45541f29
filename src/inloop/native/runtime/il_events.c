/* Locate the first event in a trial step; see il_events.h and the rules in il_machine.h. */
#include "il_events.h"

#include <float.h>
#include <math.h>

#include "il_contacts.h"
#include "il_dense.h"
#include "il_root.h"

enum { PARTS = 4 };

/* A transition, and the level that its indicator falls through. */
typedef struct watched {
    il_machine *machine;
    const il_leg *leg;
    const il_transition *transition;
    int64_t armed;
    double tolerance;
} watched;

double il_time_tolerance(const il_machine *machine, double t)
{
    const double rounding = 4.0 * DBL_EPSILON * fabs(t);
    return rounding > machine->time_tolerance ? rounding : machine->time_tolerance;
}

int il_interpolate(il_stepper *stepper, il_leg *leg)
{
    if (leg->dense_known) {
        return IL_OK;
    }
    const int status = stepper->method->interpolate(stepper, &leg->span);
    if (status != IL_OK) {
        return status;
    }
    leg->dense_known = il_all_finite(stepper->dense, 5 * stepper->size);
    return leg->dense_known ? IL_OK : IL_DIVERGED;
}

int il_state_at(il_stepper *stepper, const il_leg *leg, double s, double *x)
{
    if (s > 0.0 && s < 1.0 && stepper->method->reach) {
        return stepper->method->reach(stepper, &leg->span, s, x);
    }
    if (s > 0.0 && s < 1.0) {
        il_dense_at(stepper, s, x);
        il_normalize(&stepper->system, x);
    } else {
        const double *exact = s > 0.0 ? stepper->x_new : leg->span.x;
        memcpy(x, exact, (size_t)stepper->size * sizeof *x);
    }
    return IL_OK;
}

static double time_at(const il_leg *leg, double s)
{
    return s < 1.0 ? leg->span.t + s * leg->span.h : leg->span.t_new;
}

void il_blame(il_machine *machine, double t, int64_t transition)
{
    machine->fault_t = t;
    machine->fault_mode = machine->mode;
    machine->fault_transition = transition;
}

/* Blame the first transition whose indicator is not finite. */
static int lost_indicator(il_machine *machine, double t, const double *g)
{
    const il_mode *mode = &machine->modes[machine->mode];
    for (int64_t k = 0; k < mode->transition_count; k++) {
        if (!il_all_finite(&g[mode->transitions[k].indicator], 1)) {
            il_blame(machine, t, k);
            return IL_INDICATOR_LOST;
        }
    }
    return IL_OK;
}

int il_indicate(il_machine *machine, double t, const double *x, double *g)
{
    const il_mode *mode = &machine->modes[machine->mode];
    const int status = mode->indicators(mode->context, t, x, g);
    if (status != IL_OK) {
        il_blame(machine, t, -1);
        return status;
    }
    return lost_indicator(machine, t, g);
}

static int indicate_at(il_machine *machine, const il_leg *leg, double s, double *g)
{
    const int status = il_state_at(&machine->stepper, leg, s, machine->x_event);
    return status == IL_OK ? il_indicate(machine, time_at(leg, s), machine->x_event, g) : status;
}

int64_t il_arm(const il_transition *transition, int64_t armed, double g, double tolerance)
{
    if (armed == 0 && transition->direction <= 0 && g > tolerance) {
        return 1;
    }
    if (armed == 0 && transition->direction >= 0 && g < -tolerance) {
        return -1;
    }
    return armed;
}

double il_level(const il_transition *transition, int64_t armed, double g, double tolerance)
{
    return armed ? (double)armed * g : tolerance - (double)transition->direction * g;
}

/* An armed transition fires at zero, others beyond their tolerance. */
static int has_fired(int64_t armed, double level)
{
    return armed ? level <= 0.0 : level < 0.0;
}

/* an il_curve over the span */
static int level_at(void *context, double s, double *f)
{
    const watched *w = context;
    double *g = w->machine->g_trial;
    const int status = indicate_at(w->machine, w->leg, s, g);
    *f = il_level(w->transition, w->armed, g[w->transition->indicator], w->tolerance);
    return status;
}

static double part_tolerance(const il_machine *machine, const il_leg *leg)
{
    return il_time_tolerance(machine, leg->span.t) / fabs(leg->span.h);
}

/* The root between two points of the span; it has not fired at the first. */
static int close_in(watched *w, double left, double right, double *s)
{
    il_point a = {left, 0.0}, b = {right, 0.0};

    int status = level_at(w, a.s, &a.f);
    if (status == IL_OK) {
        status = level_at(w, b.s, &b.f);
    }
    if (status != IL_OK) {
        return status;
    }
    if (has_fired(w->armed, a.f)) {
        if (w->armed || a.f < -w->tolerance) {
            *s = left; /* an input has changed since the last step */
            return IL_OK;
        }
        /* at a point where it has fired before: does it return inside, or leave at once? */
        a.f = DBL_EPSILON * w->tolerance;
    }
    return il_find_root(level_at, w, a, b, part_tolerance(w->machine, w->leg),
                        w->tolerance, s);
}

/* Time at which a transition fires that has not at `left` and has at `right`. */
static int locate(watched *w, double left, double right, double *s)
{
    static const double parts[] = {0.5, 0.25, 0.75};

    int status = close_in(w, left, right, s);
    /* had it been on its armed side before? Then it fired at zero, earlier */
    for (int i = 0; i < 3 && status == IL_OK && !w->armed; i++) {
        double f;
        const double middle = parts[i] * *s;
        status = level_at(w, middle, &f);
        if (status == IL_OK && f > 2.0 * w->tolerance) {
            w->armed = -w->transition->direction;
            status = close_in(w, middle, *s, s);
        }
    }
    return status;
}

/* The earliest of the transitions that have fired between left and right. */
static int first_between(il_machine *machine, il_leg *leg, double left, double right)
{
    const il_mode *mode = &machine->modes[machine->mode];
    const double s_tolerance = part_tolerance(machine, leg);

    for (int64_t k = 0; k < mode->transition_count; k++) {
        const il_transition *transition = &mode->transitions[k];
        const double tolerance = mode->tolerances[transition->indicator];
        const int64_t armed = machine->armed_new[k];
        double s;
        const double g = machine->g[transition->indicator];
        if (!has_fired(armed, il_level(transition, armed, g, tolerance))) {
            continue;
        }
        watched w = {machine, leg, transition, armed, tolerance};
        const int status = locate(&w, left, right, &s);
        if (status != IL_OK) {
            return status;
        }
        machine->armed_new[k] = w.armed;
        if (leg->transition < 0 || s < leg->s - s_tolerance) {
            leg->transition = k;
            leg->s = s;
        }
    }
    return IL_OK;
}

static void arm_all(il_machine *machine)
{
    const il_mode *mode = &machine->modes[machine->mode];
    for (int64_t k = 0; k < mode->transition_count; k++) {
        const il_transition *transition = &mode->transitions[k];
        const double tolerance = mode->tolerances[transition->indicator];
        const double g = machine->g[transition->indicator];
        machine->armed_new[k] = il_arm(transition, machine->armed_new[k], g, tolerance);
    }
}

int il_search(il_machine *machine, il_leg *leg)
{
    const int64_t count = machine->modes[machine->mode].transition_count;
    /* without dense output the inside of a step is not searched */
    const il_contacts *contacts = machine->stepper.system.contacts;
    const int parts = contacts && contacts->table ? 1 : PARTS;

    memcpy(machine->armed_new, machine->armed, (size_t)count * sizeof *machine->armed);
    int status = il_interpolate(&machine->stepper, leg);
    for (int part = 0; part < parts && status == IL_OK && leg->transition < 0; part++) {
        const double left = (double)part / parts;
        const double right = (double)(part + 1) / parts;
        status = indicate_at(machine, leg, right, machine->g);
        if (status == IL_OK) {
            status = first_between(machine, leg, left, right);
        }
        if (status == IL_OK && leg->transition < 0) {
            arm_all(machine);
        }
    }
    leg->t_end = time_at(leg, leg->s);
    return status;
}
