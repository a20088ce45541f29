/* Instances that step together; see il_fleet.h. */
#include "il_fleet.h"

#include <math.h>

static int advance(const il_fleet *fleet, int64_t number)
{
    il_instance *instance = fleet->instances[number];
    int status = IL_OK;
    il_set_inputs(instance, fleet->inputs + number * fleet->input_count);
    for (int64_t k = 0; k < fleet->steps && status == IL_OK; k++) {
        status = il_advance(instance);
    }
    return status;
}

static int look(const il_fleet *fleet, int64_t number)
{
    double *row = fleet->outputs + number * fleet->output_count;
    const int status = il_outputs(fleet->instances[number], row);
    for (int64_t k = 0; k < fleet->output_count && status != IL_OK; k++) {
        row[k] = (double)NAN;
    }
    return status;
}

void il_advance_fleet(const il_fleet *fleet, int64_t begin, int64_t end)
{
    for (int64_t k = begin; k < end; k++) {
        if (fleet->status[k] == IL_OK) {
            const int status = advance(fleet, k), seen = look(fleet, k);
            fleet->status[k] = status != IL_OK ? status : seen;
        }
    }
}
