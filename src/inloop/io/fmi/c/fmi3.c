/* The functions of FMI 3.0, as listed in the standard; the implementation is in fmu.h. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fmu.h"

#ifdef FMI3_FUNCTION_PREFIX
#define PASTED(a, b) a##b
#define JOINED(a, b) PASTED(a, b)
#define FMI(type, name) FMU_EXPORT type JOINED(FMI3_FUNCTION_PREFIX, name)
#else
#define FMI(type, name) FMU_EXPORT type name
#endif

enum {
    ANY = (1 << FMU_PHASES) - 1,
    BEFORE = 1 << FMU_INSTANTIATED | 1 << FMU_INITIALIZING,
    RUNNING = 1 << FMU_EVENTS | 1 << FMU_CONTINUOUS | 1 << FMU_STEPPING
};

typedef int status;
typedef const char *text;
typedef void (*log_message)(void *environment, int status, text category, text message);

static void tell(const fmu *c, int severity, const char *message)
{
    log_message log;
    *(void **)&log = c->logger;
    if (log) {
        log(c->environment, severity,
            severity == FMU_WARNING ? "logStatusWarning" : "logStatusError", message);
    }
}

static void *as_object(log_message log)
{
    return *(void **)&log;
}

/* ---- life cycle ---- */

FMI(text, fmi3GetVersion)(void)
{
    return "3.0";
}

FMI(status, fmi3SetDebugLogging)(fmu *c, bool on, size_t count, const text *categories)
{
    (void)on, (void)count, (void)categories;
    return fmu_check(c, "fmi3SetDebugLogging", ANY);
}

FMI(fmu *, fmi3InstantiateModelExchange)(text name, text token, text resources, bool visible,
                                         bool on, void *environment, log_message log)
{
    const fmu_request request = {name, token, 1, environment, as_object(log), tell};
    (void)resources, (void)visible, (void)on;
    return fmu_make(&request);
}

FMI(fmu *, fmi3InstantiateCoSimulation)(text name, text token, text resources, bool visible,
                                        bool on, bool event_mode, bool early_return,
                                        const uint32_t *intermediate, size_t intermediate_count,
                                        void *environment, log_message log, void (*update)(void))
{
    const fmu_request request = {name, token, 0, environment, as_object(log), tell};
    (void)resources, (void)visible, (void)on, (void)update;
    (void)intermediate, (void)intermediate_count;
    fmu *c = fmu_make(&request);
    if (c) {
        c->event_mode = event_mode;
        c->early_return = early_return;
    }
    return c;
}

FMI(fmu *, fmi3InstantiateScheduledExecution)(text name, text token, text resources, bool visible,
                                              bool on, void *environment, log_message log,
                                              void (*clock)(void), void (*lock)(void),
                                              void (*unlock)(void))
{
    (void)name, (void)token, (void)resources, (void)visible, (void)on;
    (void)clock, (void)lock, (void)unlock;
    if (log) {
        log(environment, FMU_ERROR, "logStatusError", "this FMU has no scheduled execution");
    }
    return NULL;
}

FMI(void, fmi3FreeInstance)(fmu *c)
{
    fmu_free(c);
}

FMI(status, fmi3EnterInitializationMode)(fmu *c, bool tolerance_defined, double tolerance,
                                         double start, bool stop_defined, double stop)
{
    (void)tolerance_defined, (void)tolerance, (void)stop_defined, (void)stop;
    if (fmu_check(c, "fmi3EnterInitializationMode", 1 << FMU_INSTANTIATED) != FMU_OK) {
        return FMU_ERROR;
    }
    return fmu_begin(c, start);
}

FMI(status, fmi3ExitInitializationMode)(fmu *c)
{
    if (fmu_check(c, "fmi3ExitInitializationMode", 1 << FMU_INITIALIZING) != FMU_OK) {
        return FMU_ERROR;
    }
    return fmu_leave_initialization(c);
}

static status change_phase(fmu *c, const char *function, int from, int to)
{
    if (fmu_check(c, function, from) != FMU_OK) {
        return FMU_ERROR;
    }
    c->phase = to;
    return FMU_OK;
}

FMI(status, fmi3EnterEventMode)(fmu *c)
{
    return change_phase(c, "fmi3EnterEventMode", 1 << FMU_CONTINUOUS | 1 << FMU_STEPPING,
                        FMU_EVENTS);
}

FMI(status, fmi3Terminate)(fmu *c)
{
    return change_phase(c, "fmi3Terminate", RUNNING, FMU_TERMINATED);
}

FMI(status, fmi3Reset)(fmu *c)
{
    return fmu_check(c, "fmi3Reset", ANY) == FMU_OK ? fmu_reset(c) : FMU_ERROR;
}

/* ---- variables ---- */

static status check_counts(const fmu *c, const char *function, size_t variables, size_t values)
{
    if (fmu_check(c, function, ANY) != FMU_OK) {
        return FMU_ERROR;
    }
    if (variables != values) {
        return fmu_refuse(c, "%s: variables and values differ in number", function);
    }
    return FMU_OK;
}

FMI(status, fmi3GetFloat64)(fmu *c, const uint32_t *variables, size_t count, double *values,
                            size_t value_count)
{
    if (check_counts(c, "fmi3GetFloat64", count, value_count) != FMU_OK) {
        return FMU_ERROR;
    }
    return fmu_get(c, variables, count, values);
}

FMI(status, fmi3SetFloat64)(fmu *c, const uint32_t *variables, size_t count, const double *values,
                            size_t value_count)
{
    if (check_counts(c, "fmi3SetFloat64", count, value_count) != FMU_OK) {
        return FMU_ERROR;
    }
    return fmu_set(c, variables, count, values);
}

FMI(status, fmi3GetInt64)(fmu *c, const uint32_t *variables, size_t count, int64_t *values,
                          size_t value_count)
{
    if (check_counts(c, "fmi3GetInt64", count, value_count) != FMU_OK) {
        return FMU_ERROR;
    }
    return fmu_get_whole(c, variables, count, values);
}

/* Types that no variable of a plant has. */
#define NO_SUCH(name, type)                                                                        \
    FMI(status, fmi3Get##name)(fmu *c, const uint32_t *variables, size_t count, type *values,      \
                              size_t value_count)                                                  \
    {                                                                                              \
        (void)variables, (void)values, (void)value_count;                                          \
        return count == 0 ? FMU_OK : fmu_refuse(c, "there are no variables of type " #name);       \
    }                                                                                              \
    NOT_SET(name, type)
#define NOT_SET(name, type)                                                                        \
    FMI(status, fmi3Set##name)(fmu *c, const uint32_t *variables, size_t count,                    \
                               const type *values, size_t value_count)                             \
    {                                                                                              \
        (void)variables, (void)values, (void)value_count;                                          \
        return count == 0 ? FMU_OK : fmu_refuse(c, "no variable of type " #name " can be set");    \
    }

NO_SUCH(Float32, float)
NO_SUCH(Int8, int8_t)
NO_SUCH(UInt8, uint8_t)
NO_SUCH(Int16, int16_t)
NO_SUCH(UInt16, uint16_t)
NO_SUCH(Int32, int32_t)
NO_SUCH(UInt32, uint32_t)
NOT_SET(Int64, int64_t)
NO_SUCH(UInt64, uint64_t)
NO_SUCH(Boolean, bool)
NO_SUCH(String, text)

/* Functions for features that a plant does not have: binary variables, clocks, partitions. */
#define NOT_THERE(name, what, ...)                                                                 \
    FMI(status, name)(fmu *c, __VA_ARGS__)                                                         \
    {                                                                                              \
        return fmu_refuse(c, #name ": this FMU has no " what);                                     \
    }

/* defined by the standard, unused here */
#pragma GCC diagnostic ignored "-Wunused-parameter"
NOT_THERE(fmi3GetBinary, "binary variables", const uint32_t *a, size_t b, size_t *sizes,
          const uint8_t **values, size_t count)
NOT_THERE(fmi3SetBinary, "binary variables", const uint32_t *a, size_t b, const size_t *sizes,
          const uint8_t *const *values, size_t count)
NOT_THERE(fmi3GetClock, "clocks", const uint32_t *a, size_t b, bool *values)
NOT_THERE(fmi3SetClock, "clocks", const uint32_t *a, size_t b, const bool *values)
NOT_THERE(fmi3GetIntervalDecimal, "clocks", const uint32_t *a, size_t b, double *intervals,
          int *qualifiers)
NOT_THERE(fmi3GetIntervalFraction, "clocks", const uint32_t *a, size_t b, uint64_t *counters,
          uint64_t *resolutions, int *qualifiers)
NOT_THERE(fmi3GetShiftDecimal, "clocks", const uint32_t *a, size_t b, double *shifts)
NOT_THERE(fmi3GetShiftFraction, "clocks", const uint32_t *a, size_t b, uint64_t *counters,
          uint64_t *resolutions)
NOT_THERE(fmi3SetIntervalDecimal, "clocks", const uint32_t *a, size_t b, const double *intervals)
NOT_THERE(fmi3SetIntervalFraction, "clocks", const uint32_t *a, size_t b, const uint64_t *counters,
          const uint64_t *resolutions)
NOT_THERE(fmi3SetShiftDecimal, "clocks", const uint32_t *a, size_t b, const double *shifts)
NOT_THERE(fmi3SetShiftFraction, "clocks", const uint32_t *a, size_t b, const uint64_t *counters,
          const uint64_t *resolutions)
NOT_THERE(fmi3ActivateModelPartition, "scheduled execution", uint32_t a, double b)
NOT_THERE(fmi3GetNumberOfVariableDependencies, "variables with elements", uint32_t a, size_t *b)
NOT_THERE(fmi3GetVariableDependencies, "variables with elements", uint32_t a, size_t *b,
          uint32_t *independents, size_t *elements, int *kinds, size_t count)
NOT_THERE(fmi3GetAdjointDerivative, "adjoint derivatives", const uint32_t *a, size_t b,
          const uint32_t *knowns, size_t known_count, const double *seed, size_t seed_count,
          double *sensitivity, size_t sensitivity_count)
NOT_THERE(fmi3GetOutputDerivatives, "derivatives of outputs", const uint32_t *a, size_t b,
          const int32_t *orders, double *values, size_t count)

static status nothing_to_configure(const fmu *c)
{
    return fmu_refuse(c, "this FMU has no structural parameters");
}

FMI(status, fmi3EnterConfigurationMode)(fmu *c)
{
    return nothing_to_configure(c);
}

FMI(status, fmi3ExitConfigurationMode)(fmu *c)
{
    return nothing_to_configure(c);
}

/* ---- saved states ---- */

FMI(status, fmi3GetFMUState)(fmu *c, void **state)
{
    return fmu_check(c, "fmi3GetFMUState", ANY) == FMU_OK && state ? fmu_get_state(c, state)
                                                                   : FMU_ERROR;
}

FMI(status, fmi3SetFMUState)(fmu *c, void *state)
{
    if (fmu_check(c, "fmi3SetFMUState", ANY) != FMU_OK) {
        return FMU_ERROR;
    }
    return fmu_set_state(c, state, fmu_state_size(c));
}

FMI(status, fmi3FreeFMUState)(fmu *c, void **state)
{
    (void)c;
    if (state) {
        free(*state);
        *state = NULL;
    }
    return FMU_OK;
}

FMI(status, fmi3SerializedFMUStateSize)(fmu *c, void *state, size_t *size)
{
    if (fmu_check(c, "fmi3SerializedFMUStateSize", ANY) != FMU_OK || state == NULL) {
        return FMU_ERROR;
    }
    *size = fmu_state_size(c);
    return FMU_OK;
}

FMI(status, fmi3SerializeFMUState)(fmu *c, void *state, uint8_t *bytes, size_t size)
{
    if (fmu_check(c, "fmi3SerializeFMUState", ANY) != FMU_OK) {
        return FMU_ERROR;
    }
    if (state == NULL || bytes == NULL || size < fmu_state_size(c)) {
        return fmu_refuse(c, "fmi3SerializeFMUState: the buffer is too small");
    }
    memcpy(bytes, state, fmu_state_size(c));
    return FMU_OK;
}

FMI(status, fmi3DeserializeFMUState)(fmu *c, const uint8_t *bytes, size_t size, void **state)
{
    if (fmu_check(c, "fmi3DeserializeFMUState", ANY) != FMU_OK || state == NULL) {
        return FMU_ERROR;
    }
    return fmu_copy_state(c, bytes, size, state);
}

FMI(status, fmi3GetDirectionalDerivative)(fmu *c, const uint32_t *unknowns, size_t unknown_count,
                                          const uint32_t *knowns, size_t known_count,
                                          const double *seed, size_t seed_count,
                                          double *sensitivity, size_t sensitivity_count)
{
    const char *name = "fmi3GetDirectionalDerivative";
    if (check_counts(c, name, known_count, seed_count) != FMU_OK ||
        check_counts(c, name, unknown_count, sensitivity_count) != FMU_OK) {
        return FMU_ERROR;
    }
    return fmu_derivative(c, unknowns, unknown_count, knowns, known_count, seed, sensitivity);
}

/* ---- events ---- */

FMI(status, fmi3EvaluateDiscreteStates)(fmu *c)
{
    return fmu_check(c, "fmi3EvaluateDiscreteStates", BEFORE | 1 << FMU_EVENTS);
}

FMI(status, fmi3UpdateDiscreteStates)(fmu *c, bool *again, bool *terminate, bool *nominals,
                                      bool *values, bool *next_defined, double *next)
{
    if (fmu_check(c, "fmi3UpdateDiscreteStates", 1 << FMU_EVENTS) != FMU_OK) {
        return FMU_ERROR;
    }
    il_happened happened = {0, 0, HUGE_VAL};
    /* in co-simulation, steps have already handled their events */
    const status done = c->exchange ? fmu_update(c, &happened) : fmu_settle(c);
    *again = happened.again != 0;
    *terminate = false;
    *nominals = *values = happened.jumped != 0;
    *next_defined = happened.next < HUGE_VAL;
    *next = *next_defined ? happened.next : 0.0;
    return done;
}

/* ---- model exchange ---- */

static status check_exchange(const fmu *c, const char *function, int phases)
{
    if (fmu_check(c, function, phases) != FMU_OK) {
        return FMU_ERROR;
    }
    return c->exchange ? FMU_OK : fmu_refuse(c, "%s belongs to model exchange", function);
}

FMI(status, fmi3EnterContinuousTimeMode)(fmu *c)
{
    if (check_exchange(c, "fmi3EnterContinuousTimeMode", 1 << FMU_EVENTS) != FMU_OK) {
        return FMU_ERROR;
    }
    c->phase = FMU_CONTINUOUS;
    return FMU_OK;
}

FMI(status, fmi3CompletedIntegratorStep)(fmu *c, bool stays, bool *event, bool *terminate)
{
    int wanted = 0;
    (void)stays;
    if (check_exchange(c, "fmi3CompletedIntegratorStep", 1 << FMU_CONTINUOUS) != FMU_OK) {
        return FMU_ERROR;
    }
    const status done = fmu_completed(c, &wanted);
    *event = wanted != 0;
    *terminate = false;
    return done;
}

FMI(status, fmi3SetTime)(fmu *c, double t)
{
    return check_exchange(c, "fmi3SetTime", RUNNING) == FMU_OK ? fmu_set_time(c, t) : FMU_ERROR;
}

FMI(status, fmi3SetContinuousStates)(fmu *c, const double *x, size_t count)
{
    return check_exchange(c, "fmi3SetContinuousStates", RUNNING) == FMU_OK
               ? fmu_set_states(c, x, count)
               : FMU_ERROR;
}

FMI(status, fmi3GetContinuousStateDerivatives)(fmu *c, double *xd, size_t count)
{
    return check_exchange(c, "fmi3GetContinuousStateDerivatives", ANY) == FMU_OK
               ? fmu_get_rates(c, xd, count)
               : FMU_ERROR;
}

FMI(status, fmi3GetEventIndicators)(fmu *c, double *levels, size_t count)
{
    return check_exchange(c, "fmi3GetEventIndicators", ANY) == FMU_OK
               ? fmu_get_levels(c, levels, count)
               : FMU_ERROR;
}

FMI(status, fmi3GetContinuousStates)(fmu *c, double *x, size_t count)
{
    return check_exchange(c, "fmi3GetContinuousStates", ANY) == FMU_OK ? fmu_get_states(c, x, count)
                                                                       : FMU_ERROR;
}

FMI(status, fmi3GetNominalsOfContinuousStates)(fmu *c, double *nominals, size_t count)
{
    return check_exchange(c, "fmi3GetNominalsOfContinuousStates", ANY) == FMU_OK
               ? fmu_get_nominals(c, nominals, count)
               : FMU_ERROR;
}

FMI(status, fmi3GetNumberOfEventIndicators)(fmu *c, size_t *count)
{
    if (check_exchange(c, "fmi3GetNumberOfEventIndicators", ANY) != FMU_OK) {
        return FMU_ERROR;
    }
    *count = (size_t)fmu_level_count(c);
    return FMU_OK;
}

FMI(status, fmi3GetNumberOfContinuousStates)(fmu *c, size_t *count)
{
    if (check_exchange(c, "fmi3GetNumberOfContinuousStates", ANY) != FMU_OK) {
        return FMU_ERROR;
    }
    *count = (size_t)fmu_state_count(c);
    return FMU_OK;
}

/* ---- co-simulation ---- */

FMI(status, fmi3EnterStepMode)(fmu *c)
{
    return change_phase(c, "fmi3EnterStepMode", 1 << FMU_EVENTS, FMU_STEPPING);
}

FMI(status, fmi3DoStep)(fmu *c, double t, double size, bool stays, bool *event, bool *terminate,
                        bool *early, double *reached)
{
    fmu_stepped stepped;
    (void)stays;
    if (fmu_check(c, "fmi3DoStep", 1 << FMU_STEPPING) != FMU_OK) {
        return FMU_ERROR;
    }
    const status done = fmu_do_step(c, t, size, &stepped);
    *event = stepped.event != 0;
    *terminate = false;
    *early = stepped.early != 0;
    *reached = stepped.reached;
    return done;
}
