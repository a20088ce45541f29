/* Samples with late sensors, for an observer that follows records.
 *
 * The observer runs at the time of the latest sensor: measurements of the others are stored until
 * then. From there it predicts to the current time with the inputs held since, reports the result,
 * and goes back. Each sample of delay costs one more prediction.
 */
#ifndef IL_LATE_H
#define IL_LATE_H

#include "il_follower.h"

/* Memory that samples need, and its initialization. */
int64_t il_late_room(const il_follower *follower);
void il_late_begin(il_follower *follower, double *memory);
void il_late_forget(il_follower *follower);

/* The sample y, u of a follower: predict and correct with the measurements of one time. */
int il_late_sample(il_follower *follower);

/* Call a function with the observer predicted to the current time, and go back. */
int il_late_ahead(il_follower *follower, int (*tell)(il_follower *));

#endif
