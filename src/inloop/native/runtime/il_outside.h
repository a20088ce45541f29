/* A plant integrated by an external solver, such as the importer of an FMU for model exchange.
 *
 * The host writes time and state (il_put_outside), reads rates and levels, and reports when one of
 * its steps is accepted (il_done_outside). When a level has fallen to zero or below, a sample is
 * due or other independent coordinates are wanted, it calls il_happen_outside. Loops are closed to
 * rounding and estimates of dependent coordinates are not pulled: the host's steps are unknown.
 */
#ifndef IL_OUTSIDE_H
#define IL_OUTSIDE_H

#include "il_host.h"

/* Data of an instance for the host, in memory of the host. */
typedef struct il_outside {
    il_instance *instance;
    double *xd;      /* il_largest_state numbers */
    double *levels;  /* il_most_transitions numbers */
    double *pivots;  /* il_most_rows numbers: reciprocal pivots at the last check of the choice */
    int64_t *seen;   /* il_most_transitions numbers: sides on which transitions would be armed */
    int64_t samples; /* number of controller samples so far */
    int64_t wanted;  /* not 0: other independent coordinates may be better */
} il_outside;

/* Result of il_happen_outside. */
typedef struct il_happened {
    int64_t again;   /* not 0: call again, further events may follow */
    int64_t jumped;  /* not 0: the state has changed */
    double next;     /* time of the next sample [s]; infinite: none */
} il_happened;

/* Maximum sizes over all modes. */
IL_EXPORT int64_t il_largest_state(const il_plant *plant);
IL_EXPORT int64_t il_most_transitions(const il_plant *plant);
IL_EXPORT int64_t il_most_rows(const il_plant *plant);

/* Initialize at the start of the instance. */
IL_EXPORT int il_begin_outside(il_outside *outside);

/* After il_restore: as before, with this number of controller samples so far. */
IL_EXPORT int il_resume_outside(il_outside *outside);

/* Set time and state; the state of a mode may be shorter than that of another one. */
IL_EXPORT void il_put_outside(il_outside *outside, double t, const double *x);

/* Length of the state of the current mode. */
IL_EXPORT int64_t il_length_outside(const il_outside *outside);

/* Rates at the current time and state, into xd. */
IL_EXPORT int il_rates_outside(il_outside *outside);

/* Event levels of the current mode, which fall to zero when a transition fires; padded with 1. */
IL_EXPORT int il_levels_outside(il_outside *outside);

/* Not 0: the loops are near a singular position, where no independent coordinates are good. */
IL_EXPORT int il_singular_outside(il_outside *outside);

/* The host has accepted the current time and state. If `wanted` is not 0: call il_happen_outside.
   */
IL_EXPORT int il_done_outside(il_outside *outside);

/* Handle the sample that is due, the transition that has fired, other independent coordinates. A
   failure leaves everything unchanged. */
IL_EXPORT int il_happen_outside(il_outside *outside, il_happened *happened);

#endif
