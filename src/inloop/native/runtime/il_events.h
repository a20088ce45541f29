/* Locate the first event in a trial step. Internal. */
#ifndef IL_EVENTS_H
#define IL_EVENTS_H

#include "il_machine.h"
#include "il_method.h"

/* A trial step, up to its first event or to its end. */
typedef struct il_leg {
    il_span span;
    double t_end;       /* time of the event, or the end of the span */
    double s;           /* the same as a fraction of the span */
    int64_t transition; /* -1: no event */
    int dense_known;    /* is there a polynomial over the span? */
} il_leg;

/* Smaller time differences are ignored [s]. */
double il_time_tolerance(const il_machine *machine, double t);

/* The polynomial over the span, if it is finite. */
int il_interpolate(il_stepper *stepper, il_leg *leg);

/* State at the fraction s of the span; exact at its ends. */
int il_state_at(il_stepper *stepper, const il_leg *leg, double s, double *x);

/* g at (t, x), checked to be finite where used. */
int il_indicate(il_machine *machine, double t, const double *x, double *g);

/* Record that a step failed because of an event; transition -1: because of the indicators. */
void il_blame(il_machine *machine, double t, int64_t transition);

/* Armed side of a transition for the indicator value g. */
int64_t il_arm(const il_transition *transition, int64_t armed, double g, double tolerance);

/* The value that falls below zero when a transition fires. */
double il_level(const il_transition *transition, int64_t armed, double g, double tolerance);

/* The earliest crossing in a leg that spans the whole step, if any; sets armed_new. */
int il_search(il_machine *machine, il_leg *leg);

/* The first event of a successful trial step, if any: sets everything but the span, and armed_new.
   */
static inline int il_find_event(il_machine *machine, il_leg *leg)
{
    leg->transition = -1;
    leg->s = 1.0;
    leg->t_end = leg->span.t_new;
    leg->dense_known = 0;
    return machine->modes[machine->mode].transition_count ? il_search(machine, leg) : IL_OK;
}

#endif
