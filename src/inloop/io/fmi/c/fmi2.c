/* The functions of FMI 2.0, as listed in the standard; the implementation is in fmu.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fmu.h"

#ifdef FMI2_FUNCTION_PREFIX
#define PASTED(a, b) a##b
#define JOINED(a, b) PASTED(a, b)
#define FMI(type, name) FMU_EXPORT type JOINED(FMI2_FUNCTION_PREFIX, name)
#else
#define FMI(type, name) FMU_EXPORT type name
#endif

enum {
    ANY = (1 << FMU_PHASES) - 1,
    RUNNING = 1 << FMU_EVENTS | 1 << FMU_CONTINUOUS | 1 << FMU_STEPPING
};

typedef int status;
typedef const char *text;
typedef void (*log_message)(void *environment, text name, int status, text category, text format,
                            ...);

/* Callbacks of an importer: its logger, its memory (unused), its step_finished (unused). */
typedef struct callbacks {
    log_message log;
    void *(*allocate)(size_t count, size_t size);
    void (*release)(void *memory);
    void (*step_finished)(void *environment, int status);
    void *environment;
} callbacks;

typedef struct event_info {
    int again, terminate, nominals, values, next_defined;
    double next;
} event_info;

enum { MODEL_EXCHANGE = 0, CO_SIMULATION = 1 };
enum { DO_STEP_STATUS = 0, PENDING_STATUS, LAST_SUCCESSFUL_TIME, TERMINATED };

static void tell(const fmu *c, int severity, const char *message)
{
    log_message log;
    *(void **)&log = c->logger;
    if (log) {
        log(c->environment, c->name, severity,
            severity == FMU_WARNING ? "logStatusWarning" : "logStatusError", "%s", message);
    }
}

/* ---- life cycle ---- */

FMI(text, fmi2GetTypesPlatform)(void)
{
    return "default";
}

FMI(text, fmi2GetVersion)(void)
{
    return "2.0";
}

FMI(status, fmi2SetDebugLogging)(fmu *c, int on, size_t count, const text *categories)
{
    (void)on, (void)count, (void)categories;
    return fmu_check(c, "fmi2SetDebugLogging", ANY);
}

FMI(fmu *, fmi2Instantiate)(text name, int type, text token, text resources,
                            const callbacks *functions, int visible, int on)
{
    fmu_request request = {.name = name, .token = token, .exchange = type == MODEL_EXCHANGE,
                           .tell = tell};
    (void)resources, (void)visible, (void)on;
    if (functions) {
        log_message log = functions->log;
        request.environment = functions->environment;
        request.logger = *(void **)&log;
    }
    return type == MODEL_EXCHANGE || type == CO_SIMULATION ? fmu_make(&request) : NULL;
}

FMI(void, fmi2FreeInstance)(fmu *c)
{
    fmu_free(c);
}

FMI(status, fmi2SetupExperiment)(fmu *c, int tolerance_defined, double tolerance, double start,
                                 int stop_defined, double stop)
{
    (void)tolerance_defined, (void)tolerance, (void)stop_defined, (void)stop;
    if (fmu_check(c, "fmi2SetupExperiment", 1 << FMU_INSTANTIATED) != FMU_OK) {
        return FMU_ERROR;
    }
    c->start = start;
    return FMU_OK;
}

FMI(status, fmi2EnterInitializationMode)(fmu *c)
{
    if (fmu_check(c, "fmi2EnterInitializationMode", 1 << FMU_INSTANTIATED) != FMU_OK) {
        return FMU_ERROR;
    }
    return fmu_begin(c, c->start);
}

FMI(status, fmi2ExitInitializationMode)(fmu *c)
{
    if (fmu_check(c, "fmi2ExitInitializationMode", 1 << FMU_INITIALIZING) != FMU_OK) {
        return FMU_ERROR;
    }
    return fmu_leave_initialization(c);
}

FMI(status, fmi2Terminate)(fmu *c)
{
    if (fmu_check(c, "fmi2Terminate", RUNNING) != FMU_OK) {
        return FMU_ERROR;
    }
    c->phase = FMU_TERMINATED;
    return FMU_OK;
}

FMI(status, fmi2Reset)(fmu *c)
{
    return fmu_check(c, "fmi2Reset", ANY) == FMU_OK ? fmu_reset(c) : FMU_ERROR;
}

/* ---- variables ---- */

FMI(status, fmi2GetReal)(fmu *c, const uint32_t *variables, size_t count, double *values)
{
    return fmu_check(c, "fmi2GetReal", ANY) == FMU_OK ? fmu_get(c, variables, count, values)
                                                      : FMU_ERROR;
}

FMI(status, fmi2SetReal)(fmu *c, const uint32_t *variables, size_t count, const double *values)
{
    return fmu_check(c, "fmi2SetReal", ANY) == FMU_OK ? fmu_set(c, variables, count, values)
                                                      : FMU_ERROR;
}

FMI(status, fmi2GetInteger)(fmu *c, const uint32_t *variables, size_t count, int *values)
{
    status done = fmu_check(c, "fmi2GetInteger", ANY);
    for (size_t k = 0; done == FMU_OK && k < count; k++) {
        int64_t whole = 0;
        done = fmu_get_whole(c, variables + k, 1, &whole);
        values[k] = (int)whole;
    }
    return done;
}

/* Types that no variable of a plant has, or that cannot be set. */
#define NO_SUCH(name, type)                                                                        \
    FMI(status, name)(fmu *c, const uint32_t *variables, size_t count, type *values)               \
    {                                                                                              \
        (void)variables, (void)values;                                                             \
        return count == 0 ? FMU_OK : fmu_refuse(c, #name ": there is no such variable");           \
    }

NO_SUCH(fmi2SetInteger, const int)
NO_SUCH(fmi2GetBoolean, int)
NO_SUCH(fmi2SetBoolean, const int)
NO_SUCH(fmi2GetString, text)
NO_SUCH(fmi2SetString, const text)

/* ---- saved states ---- */

FMI(status, fmi2GetFMUstate)(fmu *c, void **state)
{
    return fmu_check(c, "fmi2GetFMUstate", ANY) == FMU_OK && state ? fmu_get_state(c, state)
                                                                   : FMU_ERROR;
}

FMI(status, fmi2SetFMUstate)(fmu *c, void *state)
{
    if (fmu_check(c, "fmi2SetFMUstate", ANY) != FMU_OK) {
        return FMU_ERROR;
    }
    return fmu_set_state(c, state, fmu_state_size(c));
}

FMI(status, fmi2FreeFMUstate)(fmu *c, void **state)
{
    (void)c;
    if (state) {
        free(*state);
        *state = NULL;
    }
    return FMU_OK;
}

FMI(status, fmi2SerializedFMUstateSize)(fmu *c, void *state, size_t *size)
{
    if (fmu_check(c, "fmi2SerializedFMUstateSize", ANY) != FMU_OK || state == NULL) {
        return FMU_ERROR;
    }
    *size = fmu_state_size(c);
    return FMU_OK;
}

FMI(status, fmi2SerializeFMUstate)(fmu *c, void *state, char *bytes, size_t size)
{
    if (fmu_check(c, "fmi2SerializeFMUstate", ANY) != FMU_OK) {
        return FMU_ERROR;
    }
    if (state == NULL || bytes == NULL || size < fmu_state_size(c)) {
        return fmu_refuse(c, "fmi2SerializeFMUstate: the buffer is too small");
    }
    memcpy(bytes, state, fmu_state_size(c));
    return FMU_OK;
}

FMI(status, fmi2DeSerializeFMUstate)(fmu *c, const char *bytes, size_t size, void **state)
{
    if (fmu_check(c, "fmi2DeSerializeFMUstate", ANY) != FMU_OK || state == NULL) {
        return FMU_ERROR;
    }
    return fmu_copy_state(c, bytes, size, state);
}

FMI(status, fmi2GetDirectionalDerivative)(fmu *c, const uint32_t *unknowns, size_t unknown_count,
                                          const uint32_t *knowns, size_t known_count,
                                          const double *seed, double *sensitivity)
{
    if (fmu_check(c, "fmi2GetDirectionalDerivative", ANY) != FMU_OK) {
        return FMU_ERROR;
    }
    return fmu_derivative(c, unknowns, unknown_count, knowns, known_count, seed, sensitivity);
}

/* ---- model exchange ---- */

static status check_exchange(const fmu *c, const char *function, int phases)
{
    if (fmu_check(c, function, phases) != FMU_OK) {
        return FMU_ERROR;
    }
    return c->exchange ? FMU_OK : fmu_refuse(c, "%s belongs to model exchange", function);
}

static status change_phase(fmu *c, const char *function, int from, int to)
{
    if (check_exchange(c, function, from) != FMU_OK) {
        return FMU_ERROR;
    }
    c->phase = to;
    return FMU_OK;
}

FMI(status, fmi2EnterEventMode)(fmu *c)
{
    const int from = 1 << FMU_CONTINUOUS | 1 << FMU_EVENTS;
    return change_phase(c, "fmi2EnterEventMode", from, FMU_EVENTS);
}

FMI(status, fmi2EnterContinuousTimeMode)(fmu *c)
{
    return change_phase(c, "fmi2EnterContinuousTimeMode", 1 << FMU_EVENTS, FMU_CONTINUOUS);
}

FMI(status, fmi2NewDiscreteStates)(fmu *c, event_info *info)
{
    il_happened happened = {0, 0, HUGE_VAL};
    if (check_exchange(c, "fmi2NewDiscreteStates", 1 << FMU_EVENTS) != FMU_OK) {
        return FMU_ERROR;
    }
    const status done = fmu_update(c, &happened);
    const int jumped = happened.jumped != 0, defined = happened.next < HUGE_VAL;
    *info = (event_info){happened.again != 0, 0, jumped, jumped, defined,
                         defined ? happened.next : 0.0};
    return done;
}

FMI(status, fmi2CompletedIntegratorStep)(fmu *c, int stays, int *event, int *terminate)
{
    (void)stays;
    if (check_exchange(c, "fmi2CompletedIntegratorStep", 1 << FMU_CONTINUOUS) != FMU_OK) {
        return FMU_ERROR;
    }
    *terminate = 0;
    return fmu_completed(c, event);
}

FMI(status, fmi2SetTime)(fmu *c, double t)
{
    return check_exchange(c, "fmi2SetTime", RUNNING) == FMU_OK ? fmu_set_time(c, t) : FMU_ERROR;
}

FMI(status, fmi2SetContinuousStates)(fmu *c, const double *x, size_t count)
{
    return check_exchange(c, "fmi2SetContinuousStates", RUNNING) == FMU_OK
               ? fmu_set_states(c, x, count)
               : FMU_ERROR;
}

/* Vectors of model exchange. */
#define NUMBERS(name, get)                                                                         \
    FMI(status, name)(fmu *c, double *values, size_t count)                                        \
    {                                                                                              \
        return check_exchange(c, #name, ANY) == FMU_OK ? get(c, values, count) : FMU_ERROR;        \
    }

NUMBERS(fmi2GetDerivatives, fmu_get_rates)
NUMBERS(fmi2GetEventIndicators, fmu_get_levels)
NUMBERS(fmi2GetContinuousStates, fmu_get_states)
NUMBERS(fmi2GetNominalsOfContinuousStates, fmu_get_nominals)

/* ---- co-simulation ---- */

FMI(status, fmi2DoStep)(fmu *c, double t, double size, int stays)
{
    fmu_stepped stepped;
    (void)stays;
    if (fmu_check(c, "fmi2DoStep", 1 << FMU_STEPPING) != FMU_OK) {
        return FMU_ERROR;
    }
    return fmu_do_step(c, t, size, &stepped);
}

FMI(status, fmi2CancelStep)(fmu *c)
{
    return fmu_refuse(c, "fmi2CancelStep: steps are not asynchronous");
}

FMI(status, fmi2SetRealInputDerivatives)(fmu *c, const uint32_t *variables, size_t count,
                                         const int *orders, const double *values)
{
    (void)variables, (void)count, (void)orders, (void)values;
    return fmu_refuse(c, "fmi2SetRealInputDerivatives: inputs are held during a step");
}

FMI(status, fmi2GetRealOutputDerivatives)(fmu *c, const uint32_t *variables, size_t count,
                                          const int *orders, double *values)
{
    (void)variables, (void)count, (void)orders, (void)values;
    return fmu_refuse(c, "fmi2GetRealOutputDerivatives: derivatives of outputs are not available");
}

FMI(status, fmi2GetStatus)(fmu *c, int kind, status *value)
{
    (void)kind;
    *value = FMU_OK;
    return fmu_check(c, "fmi2GetStatus", ANY);
}

FMI(status, fmi2GetRealStatus)(fmu *c, int kind, double *value)
{
    if (fmu_check(c, "fmi2GetRealStatus", ANY) != FMU_OK) {
        return FMU_ERROR;
    }
    if (kind != LAST_SUCCESSFUL_TIME) {
        return fmu_refuse(c, "fmi2GetRealStatus: only the last successful time is available");
    }
    *value = fmu_time(c);
    return FMU_OK;
}

FMI(status, fmi2GetBooleanStatus)(fmu *c, int kind, int *value)
{
    if (fmu_check(c, "fmi2GetBooleanStatus", ANY) != FMU_OK) {
        return FMU_ERROR;
    }
    *value = 0;
    return kind == TERMINATED ? FMU_OK : fmu_refuse(c, "fmi2GetBooleanStatus: unknown kind");
}

FMI(status, fmi2GetIntegerStatus)(fmu *c, int kind, int *value)
{
    (void)kind, (void)value;
    return fmu_refuse(c, "fmi2GetIntegerStatus: there is no such status");
}

FMI(status, fmi2GetStringStatus)(fmu *c, int kind, text *value)
{
    (void)kind, (void)value;
    return fmu_refuse(c, "fmi2GetStringStatus: steps are not asynchronous");
}
