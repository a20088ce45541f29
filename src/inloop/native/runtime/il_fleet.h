/* Instances of one plant that step together, each with inputs and outputs of its own.
 *
 * A host with several threads hands out ranges of instances. Nothing here allocates or knows of
 * threads, and no instance knows of the others: the numbers are those of il_advance.
 */
#ifndef IL_FLEET_H
#define IL_FLEET_H

#include "il_host.h"

typedef struct il_fleet {
    il_instance **instances;
    int64_t steps;         /* that each one makes */
    const double *inputs;  /* a row for each instance, in the order of the table of its plant */
    double *outputs;       /* likewise; NaN in all of a row where they cannot be found */
    int64_t input_count, output_count;
    int64_t *status;       /* by instance: IL_OK, or why it stays where it is; see il_status */
} il_fleet;

/* Set the inputs of instances begin to end - 1, step them and take their outputs. One that fails
   stays in its last good state, with the status of the failure; one whose status is not IL_OK
   already is left alone. */
IL_EXPORT void il_advance_fleet(const il_fleet *fleet, int64_t begin, int64_t end);

/* What instances are given, and what is kept of what they tell: rows of the instances of a fleet
   beside each other, one block after the other. */
typedef struct il_play {
    int64_t blocks;          /* of steps with the same inputs */
    int64_t count;           /* instances of the fleet */
    const double *inputs;    /* blocks x instances x inputs */
    int64_t kept;            /* outputs that are kept after each block */
    const int64_t *columns;  /* which */
    double *told;            /* blocks x instances x kept */
} il_play;

/* Advance instances begin to end - 1 through all blocks, as so many calls of il_advance_fleet
   would. What one that failed would have told later stays as it is. */
IL_EXPORT void il_play_fleet(const il_fleet *fleet, const il_play *play, int64_t begin,
                             int64_t end);

#endif
