/* A plant behind the functions of FMI: the part shared by both versions of the standard.
 *
 * An fmu is one instance with all its memory, which is allocated at once when it is created; there is
 * no other state, so that any number of instances may run in any number of threads. Functions return
 * FMU_OK, or FMU_ERROR after logging the reason (fmu_refuse).
 */
#ifndef FMU_H
#define FMU_H

#include "il_outside.h"
#include "il_variation.h"

#if defined _WIN32
#define FMU_EXPORT __declspec(dllexport)
#else
#define FMU_EXPORT __attribute__((visibility("default")))
#endif

enum { FMU_OK = 0, FMU_WARNING = 1, FMU_ERROR = 3 }; /* values of fmi2Status and fmi3Status */

/* Exact derivatives along one direction; generated. Arrays of indices (..._at) have an entry for each
   of the quantities in their name; -1: none. */
typedef struct fmu_tangent {
    void (*prepare)(const double *parameters, double *prepared);
    il_slopes slopes, observe;     /* rates of its states, and observed signals of the motion */
    int64_t prepared, states, varied, observed, dependent; /* counts */
    const int64_t *states_at;      /* their indices among states of the importer */
    const int64_t *estimates_at;   /* dependent coordinates among states of the importer */
    const int64_t *rates_at;       /* rate of each state of the importer; -1 - k: observed signal k */
    const int64_t *outputs_at;     /* observed signal of each output */
    const int64_t *inputs_at;      /* varied quantity of each input */
    const double *units;           /* scales of dependent coordinates */
} fmu_tangent;

/* Facts about the exported plant; generated. */
typedef struct fmu_facts {
    const char *token;             /* as in the model description */
    const il_plant *(*plant)(void);
    int64_t method;                /* of il_method_id, for co-simulation */
    double step;                   /* of co-simulation [s] */
    const char *no_exchange;       /* why there is no model exchange; NULL: there is */
    const int64_t *whole;          /* by output: not 0 if it is a whole number */
    const int64_t *starts;         /* by output: not 0 if its start can be chosen */
    int64_t timed;                 /* not 0: its equations depend on time */
    const fmu_tangent *tangent;    /* NULL: derivatives by finite differences */
} fmu_facts;

extern const fmu_facts fmu_exported;

enum fmu_phase {
    FMU_INSTANTIATED = 0,
    FMU_INITIALIZING,
    FMU_EVENTS,     /* event mode */
    FMU_CONTINUOUS, /* continuous-time mode of model exchange */
    FMU_STEPPING,   /* step mode of co-simulation */
    FMU_TERMINATED,
    FMU_PHASES
};

struct fmu;

/* Logs a message as in one version of the standard. */
typedef void (*fmu_tell)(const struct fmu *fmu, int status, const char *message);

typedef struct fmu {
    il_instance *plant;
    const il_plant *table;
    il_outside outside;       /* model exchange */
    double *parameters;       /* as set by the importer; applied once `changed` is 0 */
    double *outputs;
    double *work;             /* memory of directional derivatives */
    double *q, *qd;           /* start of the first mode, as set by the importer */
    double start;             /* time of the importer at which that of the plant is 0 [s] */
    int phase, exchange;
    int changed;              /* parameters or start values are not applied yet */
    int outputs_known, rates_known, levels_known;
    int64_t evaluations;      /* of rates since the last completed step */
    int singular_told;        /* the current singular position was reported */
    int event_mode, early_return; /* co-simulation: used by the importer */
    char *name;
    void *environment;
    void *logger;             /* of the version of the standard */
    fmu_tell tell;
    void *memory;             /* the allocated block */
} fmu;

/* ---- life cycle (fmu.c) ---- */

/* Arguments of an importer that creates an instance. */
typedef struct fmu_request {
    const char *name, *token;
    int exchange;
    void *environment, *logger;
    fmu_tell tell;
} fmu_request;

/* An instance, or NULL. */
fmu *fmu_make(const fmu_request *request);
void fmu_free(fmu *instance);
int fmu_refuse(const fmu *instance, const char *format, ...);
/* FMU_ERROR unless the instance exists and is in one of the phases (bits 1 << fmu_phase). */
int fmu_check(const fmu *instance, const char *function, int phases);
int fmu_begin(fmu *instance, double start);
int fmu_leave_initialization(fmu *instance);
int fmu_reset(fmu *instance);
/* Logs the status of a runtime function if it is not IL_OK. */
int fmu_judge(fmu *instance, const char *act, int status);
/* Invalidate values computed from variables. */
void fmu_forget(fmu *instance);

/* Time of the importer [s]. */
double fmu_time(const fmu *instance);

/* ---- the start (fmu_start.c) ---- */

/* Memory of a start: its size, and where it is; then reset it to the start of the table. */
int64_t fmu_start_room(const il_plant *table);
void fmu_share_start(fmu *instance, double *room);
void fmu_forget_start(fmu *instance);
int64_t fmu_start_count(const il_plant *table);
/* Set the value of an output at the start. */
int fmu_set_start(fmu *instance, int64_t output, double value);
/* Start there with the parameters that were set, which are within their bounds; returns a status of
   the runtime. */
int fmu_put_start(fmu *instance);

/* ---- variables (fmu_variables.c) ---- */

/* First number of each kind of variable. */
typedef struct fmu_places {
    int64_t parameters, inputs, outputs, states, rates, levels, end;
} fmu_places;

fmu_places fmu_places_of(const il_plant *table);
int64_t fmu_state_count(const fmu *instance);
int64_t fmu_level_count(const fmu *instance);
/* Apply parameters and start values. */
int fmu_settle(fmu *instance);
int fmu_get(fmu *instance, const uint32_t *variables, size_t count, double *values);
int fmu_set(fmu *instance, const uint32_t *variables, size_t count, const double *values);
/* Variables that are integers. */
int fmu_get_whole(fmu *instance, const uint32_t *variables, size_t count, int64_t *values);
int fmu_find_rates(fmu *instance);
int fmu_find_levels(fmu *instance);

/* ---- co-simulation (fmu_steps.c) ---- */

typedef struct fmu_stepped {
    int event, early;
    double reached; /* [s] */
} fmu_stepped;

int fmu_do_step(fmu *instance, double t, double size, fmu_stepped *stepped);

/* ---- model exchange (fmu_exchange.c) ---- */

int fmu_set_time(fmu *instance, double t);
int fmu_set_states(fmu *instance, const double *x, size_t count);
int fmu_get_states(fmu *instance, double *x, size_t count);
int fmu_get_rates(fmu *instance, double *xd, size_t count);
int fmu_get_levels(fmu *instance, double *levels, size_t count);
int fmu_get_nominals(fmu *instance, double *nominals, size_t count);
/* Count evaluations of rates, and warn if a solver is stuck at a singular position. */
void fmu_watch(fmu *instance);
int fmu_completed(fmu *instance, int *event);
int fmu_update(fmu *instance, il_happened *happened);
int fmu_derivative(fmu *instance, const uint32_t *unknowns, size_t unknown_count,
                   const uint32_t *knowns, size_t known_count, const double *seed,
                   double *sensitivity);

/* ---- exact derivatives (fmu_tangent.c) ---- */

/* Size of the memory of fmu_along_tangent. */
int64_t fmu_tangent_room(void);
/* Derivatives of all rates, and of the outputs in the tangent, along directions of states and inputs;
   returns 0 if they are not available. */
int fmu_along_tangent(fmu *instance, const double *dx, const double *du, double *rates,
                      double *outputs, double *room);

/* ---- saved states (fmu_state.c) ---- */

size_t fmu_state_size(const fmu *instance);
/* A state is a block of fmu_state_size bytes, which is also its serialized form. */
int fmu_get_state(fmu *instance, void **state);
int fmu_set_state(fmu *instance, const void *state, size_t size);
int fmu_copy_state(const fmu *instance, const void *state, size_t size, void **copy);

#endif
