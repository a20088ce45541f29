/* The state of an instance as one block of bytes: saved, restored, serialized. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fmu.h"
#include "il_finite.h"

/* First part of a block. */
typedef struct header {
    char mark[8];
    uint64_t hash; /* of the plant */
    uint64_t size; /* of the block [bytes] */
    double t;      /* of the plant [s] */
    double start;  /* of the importer [s] */
    double samples;
    int64_t phase, exchange;
} header;

static const char MARK[8] = {'i', 'n', 'l', 'o', 'o', 'p', '1', '\0'};
static const double MOST = 9007199254740992.0; /* 2^53 */

static int64_t numbers_of(const fmu *instance)
{
    const il_plant *table = instance->table;
    return table->parameter_count + table->input_count + fmu_start_count(table) +
           il_snapshot_size(instance->plant);
}

size_t fmu_state_size(const fmu *instance)
{
    return sizeof(header) + (size_t)numbers_of(instance) * sizeof(double);
}

/* header, parameters, inputs, start values, snapshot of the plant */
int fmu_get_state(fmu *instance, void **state)
{
    const il_plant *table = instance->table;
    const size_t size = fmu_state_size(instance);
    if (fmu_settle(instance) != FMU_OK) {
        return FMU_ERROR;
    }
    char *block = *state ? *state : malloc(size);
    if (block == NULL) {
        return fmu_refuse(instance, "there is not enough memory for a state");
    }
    header head = {.hash = table->hash, .size = size, .t = il_time(instance->plant),
                   .start = instance->start,
                   .samples = (double)instance->outside.samples, .phase = instance->phase,
                   .exchange = instance->exchange};
    memcpy(head.mark, MARK, sizeof MARK);
    memcpy(block, &head, sizeof head);
    double *numbers = (double *)(void *)(block + sizeof head);
    il_copy(numbers, instance->parameters, table->parameter_count);
    numbers += table->parameter_count;
    il_copy(numbers, instance->plant->inputs, table->input_count);
    numbers += table->input_count;
    il_copy(numbers, instance->q, fmu_start_count(table));
    il_take_snapshot(instance->plant, numbers + fmu_start_count(table));
    *state = block;
    return FMU_OK;
}

static const char *objection(const fmu *instance, const char *block, size_t size, header *head)
{
    const il_plant *table = instance->table;
    const int64_t given = table->parameter_count + table->input_count + fmu_start_count(table);
    if (block == NULL || size != fmu_state_size(instance)) {
        return "its size is not that of a state of this FMU";
    }
    memcpy(head, block, sizeof *head);
    if (memcmp(head->mark, MARK, sizeof MARK) != 0 || head->hash != table->hash ||
        head->size != size) {
        return "it is not a state of this FMU";
    }
    if (head->exchange != instance->exchange) {
        return "it belongs to the other type of the FMU: model exchange, co-simulation";
    }
    if (!isfinite(head->t) || !isfinite(head->start) || head->phase < 0 || head->phase >= FMU_PHASES ||
        !(head->samples >= 0.0 && head->samples <= MOST)) {
        return "its time or mode is invalid";
    }
    const double *numbers = (const double *)(const void *)(block + sizeof *head);
    return il_all_finite(numbers, given) ? NULL : "a parameter, input or start value in it is not finite";
}

int fmu_set_state(fmu *instance, const void *state, size_t size)
{
    const il_plant *table = instance->table;
    const char *block = state;
    header head;
    const char *wrong = objection(instance, block, size, &head);
    if (wrong) {
        return fmu_refuse(instance, "this state cannot be set: %s", wrong);
    }
    const double *numbers = (const double *)(const void *)(block + sizeof head);
    const double *inputs = numbers + table->parameter_count;
    const double *starts = inputs + table->input_count;
    int status = il_restore(instance->plant, starts + fmu_start_count(table));
    if (status != IL_OK) {
        return fmu_judge(instance, "setting a state", status);
    }
    il_copy(instance->parameters, numbers, table->parameter_count);
    il_copy(instance->q, starts, fmu_start_count(table));
    il_begin_with(instance->plant, instance->parameters);
    for (int64_t k = 0; k < table->input_count; k++) {
        if (!il_leads(instance->plant, k)) {
            il_write_input(instance->plant, k, inputs[k]);
        }
    }
    instance->start = head.start;
    instance->phase = (int)head.phase;
    instance->changed = 0;
    instance->outside.samples = (int64_t)head.samples;
    fmu_forget(instance);
    if (instance->exchange) {
        il_put_outside(&instance->outside, head.t, instance->plant->machine.x);
        status = il_resume_outside(&instance->outside);
    }
    return fmu_judge(instance, "setting a state", status);
}

int fmu_copy_state(const fmu *instance, const void *state, size_t size, void **copy)
{
    header head;
    /* bytes of an importer need not be aligned, numbers must be */
    void *block = state && size == fmu_state_size(instance) ? malloc(size) : NULL;
    if (block) {
        memcpy(block, state, size);
    }
    const char *wrong = objection(instance, block, size, &head);
    if (wrong) {
        free(block);
        return fmu_refuse(instance, "this state cannot be read: %s", wrong);
    }
    free(*copy);
    *copy = block;
    return FMU_OK;
}
