/* Where in a trial step a transition fires. Not for users. */
#ifndef IL_EVENTS_H
#define IL_EVENTS_H

#include "il_machine.h"
#include "il_method.h"

/* A trial step, up to the event that ends it or to its own end. */
typedef struct il_leg {
    il_span span;
    double t_end;       /* time of the event, or the end of the span */
    double s;           /* the same as a part of the span */
    int64_t transition; /* -1: no event */
    int dense_known;    /* is there a polynomial over the span? */
} il_leg;

/* Two times that differ by less are the same [s]. */
double il_time_tolerance(const il_machine *machine, double t);

/* The polynomial over the span, if it is finite. */
int il_interpolate(il_stepper *stepper, il_leg *leg);

/* State at the part s of the span; its ends exactly. */
int il_state_at(il_stepper *stepper, const il_leg *leg, double s, double *x);

/* g at (t, x), finite where a transition watches it. */
int il_indicate(il_machine *machine, double t, const double *x, double *g);

/* Note where a step fails because of an event; transition -1: because of the indicators. */
void il_blame(il_machine *machine, double t, int64_t transition);

/* Which side of a transition is armed when its indicator is g. */
int64_t il_arm(const il_transition *transition, int64_t armed, double g, double tolerance);

/* What falls below zero when a transition fires. */
double il_level(const il_transition *transition, int64_t armed, double g, double tolerance);

/* The earliest crossing in a leg that goes to the end of its span, if there is one; armed_new. */
int il_search(il_machine *machine, il_leg *leg);

/* The first event of a good trial step, if there is one: sets all but the span, and armed_new. */
static inline int il_find_event(il_machine *machine, il_leg *leg)
{
    leg->transition = -1;
    leg->s = 1.0;
    leg->t_end = leg->span.t_new;
    leg->dense_known = 0;
    return machine->modes[machine->mode].transition_count ? il_search(machine, leg) : IL_OK;
}

#endif
