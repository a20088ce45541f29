/* Life cycle of an instance: created, initialized, reset, freed; see fmu.h. */
#include "fmu.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 400, LONGEST_NAME = 200 };

static const char *const PHASES[] = {
    "instantiated", "initialization mode", "event mode", "continuous-time mode", "step mode",
    "terminated"};

/* by il_status */
static const char *const OUTCOMES[] = {
    [IL_OK] = "successful",
    [IL_OVERRUN] = "it took too long",
    [IL_DIVERGED] = "a state is not finite",
    [IL_LOOP_OPEN] = "a kinematic loop cannot be closed",
    [IL_INPUT_STALE] = "an input is too old",
    [IL_STOPPED] = "it was stopped",
    [IL_BAD_ARGUMENT] = "an argument is invalid",
    [IL_STEP_TOO_SMALL] = "the required step is too small",
    [IL_TOO_MANY_STEPS] = "too many steps",
    [IL_SAMPLES_FULL] = "too many samples",
    [IL_CHATTERING] = "events follow each other endlessly",
    [IL_INDICATOR_LOST] = "an event indicator is not finite",
    [IL_OUT_OF_BOUNDS] = "a coordinate or velocity is beyond its bounds",
    [IL_CONTROLLER_FAILED] = "the plant's controller returns values that are not finite",
    [IL_CONTACT_INEXACT] = "contact impulses were not found to tolerance",
    [IL_CONTACT_JAMMED] = "sliding contacts are jammed: no finite forces are possible"};

int fmu_refuse(const fmu *instance, const char *format, ...)
{
    char line[LINE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (instance && instance->tell) {
        instance->tell(instance, FMU_ERROR, line);
    }
    return FMU_ERROR;
}

int fmu_judge(fmu *instance, const char *act, int status)
{
    const int known = status >= 0 && status < (int)(sizeof OUTCOMES / sizeof *OUTCOMES);
    if (status == IL_OK) {
        return FMU_OK;
    }
    return fmu_refuse(instance, "%s at t = %.9g s: %s", act, fmu_time(instance),
                      known ? OUTCOMES[status] : "unknown status");
}

int fmu_check(const fmu *instance, const char *function, int phases)
{
    if (instance == NULL) {
        return FMU_ERROR;
    }
    if ((phases & 1 << instance->phase) == 0) {
        return fmu_refuse(instance, "%s cannot be called now; mode of the FMU: %s", function,
                          PHASES[instance->phase]);
    }
    return FMU_OK;
}

void fmu_forget(fmu *instance)
{
    instance->outputs_known = instance->rates_known = instance->levels_known = 0;
}

/* ---- creation and release ---- */

/* Memory in one block: the instance, then arrays, then the plant at the start of a cache line. */
static size_t doubles_of(const il_plant *table)
{
    const int64_t states = il_largest_state(table);
    const int64_t of_derivatives = 5 * states + 3 * table->output_count + 2 * table->input_count +
                                   fmu_tangent_room();
    const int64_t of_start = fmu_start_room(table);
    const int64_t count = table->parameter_count + table->output_count + states +
                          fmu_start_count(table) + 2 * il_most_transitions(table) +
                          il_most_rows(table);
    return (size_t)(count + (of_start > of_derivatives ? of_start : of_derivatives)) + 1;
}

static void share_out(fmu *instance, double *room)
{
    const il_plant *table = instance->table;
    const int64_t states = il_largest_state(table);
    instance->parameters = room;
    room += table->parameter_count;
    instance->outputs = room;
    room += table->output_count;
    instance->outside.xd = room;
    room += states;
    instance->outside.levels = room;
    room += il_most_transitions(table);
    instance->outside.pivots = room;
    room += il_most_rows(table);
    instance->outside.seen = (int64_t *)(void *)room;
    room += il_most_transitions(table);
    fmu_share_start(instance, room);
    room += fmu_start_count(table);
    instance->work = room;
}

/* Processor features that all files were compiled for, if one is missing. */
static const char *missing_in_processor(void)
{
#if defined __GNUC__ && defined __AVX__ && !defined __TINYC__
    __builtin_cpu_init();
#ifdef __AVX512F__
    if (!__builtin_cpu_supports("avx512f")) {
        return "this FMU was built for processors with AVX-512: export it with portable=True";
    }
#endif
#ifdef __AVX2__
    if (!__builtin_cpu_supports("avx2")) {
        return "this FMU was built for processors with AVX2: export it with portable=True";
    }
#endif
#ifdef __FMA__
    if (!__builtin_cpu_supports("fma")) {
        return "this FMU was built for processors with FMA: export it with portable=True";
    }
#endif
#endif
    return NULL;
}

static const char *objection(const fmu_request *request, size_t size)
{
    const char *missing = missing_in_processor();
    if (missing) {
        return missing;
    }
    if (request->token == NULL || strcmp(request->token, fmu_exported.token) != 0) {
        return "the instantiation token is not that of this FMU: take it from its "
               "modelDescription.xml";
    }
    if (request->exchange && fmu_exported.no_exchange) {
        return fmu_exported.no_exchange;
    }
    return size == 0 ? "its table is invalid" : NULL;
}

fmu *fmu_make(const fmu_request *request)
{
    const il_plant *table = fmu_exported.plant();
    const size_t size = il_instance_size(table, fmu_exported.method);
    const size_t numbers = doubles_of(table) * sizeof(double);
    const char *name = request->name ? request->name : "";
    const char *wrong = objection(request, size);
    const fmu nobody = {.name = (char *)(size_t)name, .environment = request->environment,
                        .logger = request->logger, .tell = request->tell};
    if (wrong) {
        (void)fmu_refuse(&nobody, "%s", wrong);
        return NULL;
    }
    char *memory = calloc(1, sizeof(fmu) + LONGEST_NAME + numbers + size + 2 * IL_ALIGNMENT);
    if (memory == NULL) {
        (void)fmu_refuse(&nobody, "there is not enough memory");
        return NULL;
    }
    fmu *instance = (fmu *)(void *)memory;
    *instance = nobody;
    instance->memory = memory;
    instance->table = table;
    instance->exchange = request->exchange;
    instance->name = memory + sizeof(fmu);
    (void)snprintf(instance->name, LONGEST_NAME, "%s", name);
    /* a cache line for the numbers, and one for the plant */
    char *room = instance->name + LONGEST_NAME;
    room += (IL_ALIGNMENT - (size_t)room % IL_ALIGNMENT) % IL_ALIGNMENT;
    share_out(instance, (double *)(void *)room);
    room += numbers;
    room += (IL_ALIGNMENT - (size_t)room % IL_ALIGNMENT) % IL_ALIGNMENT;
    instance->plant = il_initialize(room, table, fmu_exported.method, fmu_exported.step);
    instance->outside.instance = instance->plant;
    if (instance->plant == NULL || fmu_reset(instance) != FMU_OK) {
        (void)fmu_refuse(&nobody, "the plant cannot be reset to its start");
        free(memory);
        return NULL;
    }
    return instance;
}

void fmu_free(fmu *instance)
{
    if (instance) {
        free(instance->memory);
    }
}

/* ---- initialization and reset ---- */

double fmu_time(const fmu *instance)
{
    return instance->start + il_time(instance->plant);
}

int fmu_reset(fmu *instance)
{
    const il_plant *table = instance->table;
    for (int64_t k = 0; k < table->parameter_count; k++) {
        instance->parameters[k] = table->parameters[k].start;
    }
    fmu_forget_start(instance);
    il_begin_with(instance->plant, instance->parameters);
    for (int64_t k = 0; k < table->input_count; k++) {
        il_write_input(instance->plant, k, table->inputs[k].start);
    }
    instance->phase = FMU_INSTANTIATED;
    instance->changed = 0;
    instance->start = 0.0;
    instance->evaluations = instance->singular_told = 0;
    fmu_forget(instance);
    const int status = il_reset(instance->plant);
    if (status == IL_OK && instance->exchange) {
        return fmu_judge(instance, "reset", il_begin_outside(&instance->outside));
    }
    return fmu_judge(instance, "reset", status);
}

int fmu_begin(fmu *instance, double start)
{
    if (!isfinite(start)) {
        return fmu_refuse(instance, "the start time is not finite");
    }
    if (start != 0.0 && fmu_exported.timed) {
        return fmu_refuse(instance, "the start time is %.9g s, but the plant begins at t = 0: its "
                          "drives, laws or controllers are functions of time", start);
    }
    instance->start = start;
    instance->phase = FMU_INITIALIZING;
    return FMU_OK;
}

int fmu_leave_initialization(fmu *instance)
{
    if (fmu_settle(instance) != FMU_OK) {
        return FMU_ERROR;
    }
    instance->phase = instance->exchange || instance->event_mode ? FMU_EVENTS : FMU_STEPPING;
    fmu_forget(instance);
    return FMU_OK;
}
