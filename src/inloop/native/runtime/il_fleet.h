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

#endif
