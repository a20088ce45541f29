/* Do the firings of a transition accumulate? Not for users. */
#ifndef IL_ACCUMULATION_H
#define IL_ACCUMULATION_H

#include "il_machine.h"

/* Add a firing at time t, which is known to `known` [s]. */
void il_note_firing(il_history *history, double t, double known);

/* Are the last two intervals shorter than those before them? */
int il_shrinks(const il_history *history);

/* Is the last interval, or the sum of those still to come, below settle_time? */
int il_ends_within(const il_history *history, double settle_time);

#endif
