/* Samples of which some sensors come late, for an observer that follows records.
 *
 * The observer runs at the time of the latest sensor: what the others told is kept until then. From
 * there it looks ahead to now, with the inputs that were held since, tells what it sees, and goes
 * back. Each sample by which the latest one is late costs one prediction more.
 */
#ifndef IL_LATE_H
#define IL_LATE_H

#include "il_follower.h"

/* Numbers of memory that samples need, and the follower's use of it from nothing. */
int64_t il_late_room(const il_follower *follower);
void il_late_begin(il_follower *follower, double *memory);
void il_late_forget(il_follower *follower);

/* The sample y, u of a follower: predict and correct with what belongs to one time. */
int il_late_sample(il_follower *follower);

/* Call something where the observer has come to now, and go back. */
int il_late_ahead(il_follower *follower, int (*tell)(il_follower *));

#endif
