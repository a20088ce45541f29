/* Instances of one plant that step together, each with its own inputs and outputs.
 *
 * A host with several threads distributes ranges of instances. Nothing here allocates or uses
 * threads, and instances are independent: results are those of il_advance.
 */
#ifndef IL_FLEET_H
#define IL_FLEET_H

#include "il_host.h"

typedef struct il_fleet {
    il_instance **instances;
    int64_t steps;         /* steps of each one */
    const double *inputs;  /* a row for each instance, in the order of the table of its plant */
    double *outputs;       /* likewise; a row of NaN if they cannot be computed */
    int64_t input_count, output_count;
    int64_t *status;       /* by instance: IL_OK, or why it is not stepped; see il_status */
} il_fleet;

/* Set the inputs of instances begin to end - 1, step them and read their outputs. One that fails
   stays in its last valid state, with the status of the failure; one whose status is not IL_OK is
   skipped. */
IL_EXPORT void il_advance_fleet(const il_fleet *fleet, int64_t begin, int64_t end);

/* Inputs and recorded outputs of the instances of a fleet: rows of all instances, one block after
   the other. */
typedef struct il_play {
    int64_t blocks;          /* blocks of steps with constant inputs */
    int64_t count;           /* instances of the fleet */
    const double *inputs;    /* blocks x instances x inputs */
    int64_t kept;            /* number of outputs recorded after each block */
    const int64_t *columns;  /* their indices */
    double *told;            /* blocks x instances x kept */
} il_play;

/* Advance instances begin to end - 1 through all blocks, like repeated calls of il_advance_fleet.
   Rows after a failure are not written. */
IL_EXPORT void il_play_fleet(const il_fleet *fleet, const il_play *play, int64_t begin,
                             int64_t end);

#endif
