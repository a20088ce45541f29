/* A plant whose state somebody else integrates, such as the importer of an FMU for model exchange.
 *
 * The host writes time and state (il_put_outside), reads rates and levels, and tells when a step of
 * its own is done (il_done_outside). Where a level has fallen to zero or below, a sample is due or
 * other independent coordinates are wanted, it calls il_happen_outside. Loops are closed to the
 * last bit and estimates of dependent coordinates are not pulled: the host's steps are not known.
 */
#ifndef IL_OUTSIDE_H
#define IL_OUTSIDE_H

#include "il_host.h"

/* What a host has to know of an instance, and memory of the host. */
typedef struct il_outside {
    il_instance *instance;
    double *xd;      /* il_largest_state numbers */
    double *levels;  /* il_most_transitions numbers */
    double *pivots;  /* il_most_rows numbers: reciprocal pivots when the choice was last judged */
    int64_t *seen;   /* il_most_transitions numbers: sides on which transitions would be armed */
    int64_t samples; /* of the controller so far */
    int64_t wanted;  /* not 0: other independent coordinates may be better */
} il_outside;

/* What has happened. */
typedef struct il_happened {
    int64_t again;   /* not 0: call once more, something may have followed from it */
    int64_t jumped;  /* not 0: the state is another one */
    double next;     /* time of the next sample [s]; infinite: there is none */
} il_happened;

/* The largest numbers among all modes. */
IL_EXPORT int64_t il_largest_state(const il_plant *plant);
IL_EXPORT int64_t il_most_transitions(const il_plant *plant);
IL_EXPORT int64_t il_most_rows(const il_plant *plant);

/* Get ready at the start of the instance. */
IL_EXPORT int il_begin_outside(il_outside *outside);

/* After il_restore: as it was, with so many samples of the controller so far. */
IL_EXPORT int il_resume_outside(il_outside *outside);

/* Time and state of now; the state of a mode may be shorter than that of another one. */
IL_EXPORT void il_put_outside(il_outside *outside, double t, const double *x);

/* Length of the state of the present mode. */
IL_EXPORT int64_t il_length_outside(const il_outside *outside);

/* Rates at the present time and state, into xd. */
IL_EXPORT int il_rates_outside(il_outside *outside);

/* What falls to zero when a transition of the present mode fires, into levels; 1 behind them. */
IL_EXPORT int il_levels_outside(il_outside *outside);

/* Not 0: loops are near a singular position now, where no independent coordinates are good. */
IL_EXPORT int il_singular_outside(il_outside *outside);

/* The host has come to the present time and state and does not go back. Not 0 in `wanted`: call
   il_happen_outside. */
IL_EXPORT int il_done_outside(il_outside *outside);

/* The sample that is due, the transition that has fired, other independent coordinates. When it
   fails all is as before. */
IL_EXPORT int il_happen_outside(il_outside *outside, il_happened *happened);

#endif
