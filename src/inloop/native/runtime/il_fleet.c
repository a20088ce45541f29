/* Instances that step together; see il_fleet.h. */
#include "il_fleet.h"

#include <math.h>

static int advance(const il_fleet *fleet, int64_t number, const double *inputs)
{
    il_instance *instance = fleet->instances[number];
    int status = IL_OK;
    il_set_inputs(instance, inputs);
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

static void go_on(const il_fleet *fleet, int64_t number, const double *inputs)
{
    const int status = advance(fleet, number, inputs), seen = look(fleet, number);
    fleet->status[number] = status != IL_OK ? status : seen;
}

void il_advance_fleet(const il_fleet *fleet, int64_t begin, int64_t end)
{
    for (int64_t k = begin; k < end; k++) {
        if (fleet->status[k] == IL_OK) {
            go_on(fleet, k, fleet->inputs + k * fleet->input_count);
        }
    }
}

void il_play_fleet(const il_fleet *fleet, const il_play *play, int64_t begin, int64_t end)
{
    for (int64_t k = begin; k < end; k++) {
        const double *outputs = fleet->outputs + k * fleet->output_count;
        for (int64_t block = 0; block < play->blocks && fleet->status[k] == IL_OK; block++) {
            const int64_t row = block * play->count + k;
            go_on(fleet, k, play->inputs + row * fleet->input_count);
            for (int64_t c = 0; c < play->kept; c++) {
                play->told[row * play->kept + c] = outputs[play->columns[c]];
            }
        }
    }
}
