/* A plant: the constant tables and functions of a mechanism, and instances that run it.
 *
 * Generated code fills one il_plant with constants: its name, inputs and outputs, its modes, and
 * the functions that compute its motion. This table and the runtime are enough to run the whole
 * mechanism: modes, events, impacts, loops with any choice of independent coordinates, drives,
 * force laws with states, flexible links. Expected choices of independent coordinates have
 * generated code; a free choice, made at run time, takes a few times as long.
 *
 *
 *     static const il_plant *plant = ...;
 *     void *memory = ...;                        // il_instance_size bytes, aligned to IL_ALIGNMENT
 *     il_instance *crane = il_initialize(memory, plant, IL_RK4, 1e-3);
 *     il_set_input(crane, 0, 3.0);
 *     for (k = 0; k < 1000; k++) {
 *         if (il_advance(crane) != IL_OK) ...    // the state is unchanged
 *         il_outputs(crane, y);
 *     }
 *
 * Nothing here allocates, locks, prints, calls the system or keeps state outside an instance:
 * instances of one plant may run in any number of threads.
 */
#ifndef IL_PLANT_H
#define IL_PLANT_H

#include <stddef.h>

#include "il_contacts.h"
#include "il_context.h"
#include "il_formula.h"
#include "il_machine.h"
#include "il_redundant.h"
#include "il_terms.h"

enum { IL_ALIGNMENT = 64 }; /* bytes: a cache line */

/* ---- the table of a plant ---- */

/* A named number: parameter, input or output. */
typedef struct il_quantity {
    const char *name, *unit;
    double start;       /* default of parameters and inputs */
    double least, most; /* range */
} il_quantity;

/* Prepared quantities of a function: they depend on parameters only. */
typedef struct il_preparation {
    void (*function)(const double *parameters, double *prepared);
    int64_t count; /* number of prepared quantities */
} il_preparation;

/* One choice of independent coordinates. A tree has one, in which all are independent. */
typedef struct il_choice {
    const int64_t *independent, *dependent, *driven; /* indices of coordinates */
    const int64_t *rows;                             /* indices of the constraints in use */
    int64_t independent_count, dependent_count, driven_count, row_count;

    /* motion */
    il_preparation prepare;
    il_rates rates;
    int64_t autonomous;   /* not 0: the rates do not depend explicitly on time */
    il_expand expand;     /* the last three are NULL for a tree */
    int (*settle)(void *context, double t, const double *x);
    void (*pivots)(void *context, double t, const double *q, double *pivots);

    /* implicit integrators; NULL if they are not compiled in */
    il_preparation prepare_steps;
    il_predictor predict;
    il_corrector correct;
    il_responder respond; /* NULL without hard contacts */
    int64_t kept;         /* numbers passed from the predictor to the other two */
    il_preparation prepare_jacobian;
    il_jacobian jacobian;

    /* impacts, in plants with events; NULL for a tree */
    il_preparation prepare_project;
    il_formula project;          /* velocities after the constraints engage */

    /* hard contacts; NULL if there are none, or IL_MOREAU is not compiled in */
    il_preparation prepare_contacts;
    const il_contact_table *contacts;

    /* redundant coordinates (six per body), all independent; else NULL */
    const il_redundant *redundant;
} il_choice;

/* An event that ends a mode. */
typedef struct il_event_row {
    const char *name;
    int64_t direction;    /* -1: falling through zero, +1: rising, 0: either */
    int64_t target;       /* next mode */
    int64_t settles_in;   /* next mode at an accumulation point, -1: none */
    int64_t impact;       /* mode whose constraints cause an impact, -1: none */
    const int64_t *restitutions; /* by row of that mode: index of its restitution in `indicators` */
    double tolerance;     /* of the indicator: smaller values count as zero */
} il_event_row;

enum il_kind {
    IL_NOT_THERE = 0, /* NaN: not available in the mode */
    IL_OF_Q, IL_OF_QD, IL_OF_QDD, /* entries of q and rates, by index in the mode */
    IL_OF_Z,          /* states of force laws */
    IL_OF_LAM,        /* multipliers, by row; 0 for rows that are not in use */
    IL_OF_EFFORT,     /* efforts of driven joints */
    IL_OF_LAWS,       /* outputs of the force laws */
    IL_OF_SENSORS,    /* sensor readings */
    IL_OF_TAU, IL_OF_U, /* inputs: joint efforts, all others */
    IL_OF_MODE,       /* index of the mode */
    IL_OF_EVENTS      /* events since the start */
};

/* Location of a number of an instance in one mode. */
typedef struct il_place {
    int32_t kind;  /* see il_kind */
    int32_t index;
} il_place;

/* A mode. Most plants have one. */
typedef struct il_mode_row {
    const char *name;
    int64_t n, states, inputs, rows; /* coordinates, states of laws, entries of u, constraints */
    int64_t attitudes;               /* unit quaternions of ball joints, at the end of q */
    const int64_t *turned;           /* first of the three coordinates of each */
    const il_choice *choices;        /* all with the same number of independent coordinates */
    int64_t choice_count;
    const il_event_row *events;
    int64_t event_count;

    /* evaluated at events, valid for all choices; only for plants with events */
    il_preparation prepare_events;
    il_formula indicators;           /* indicators, restitutions, those of single rows */
    il_formula energy;               /* kinetic, potential */
    const il_formula *next;          /* by event: q, qd, z of the next mode, before loop closure */
    const il_formula *settled;       /* by event: those of the mode in which it settles */
    int64_t widest;                  /* maximum number of results of these or of an impact */

    il_motions drives;               /* motion of driven joints; NULL: none */
    il_preparation prepare_drives;
    il_formula observe;              /* outputs of the force laws; NULL: none */
    il_preparation prepare_observe;
    int64_t observed;
    il_formula sense;                /* sensor readings, from lam of all rows; NULL: none */
    il_preparation prepare_sense;
    int64_t sensed;
    int64_t senses_motion;           /* not 0: sensors need accelerations or multipliers */
    const il_place *input_places;    /* by input of the plant */
    const il_place *output_places;   /* by output of the plant */
    const double *q, *qd, *z;        /* initial state: loops closed, default parameters */
    const double *most;              /* largest |q|, then largest |qd|, finite */
    const double *units;             /* scale of each coordinate: 1 rad, or a length [m] */
    const double *sizes;             /* scale of each entry of x; NULL: from the units above */

    /* terms for choices made at run time; see il_reduction.h */
    const il_terms *terms;           /* NULL: only the choices above are available */
    il_preparation prepare_terms;
    const double *row_sizes;         /* scale of each constraint */
    const int32_t *roles;            /* of each coordinate, see il_partition.h */
} il_mode_row;

/* One sample of a controller.
 *
 * y: measured values, in the order of its table; gains: prepared quantities, or parameters of a
 * controller written in C; states: updated in place; values: its inputs, in the order of its table,
 * holding the previous values on entry. Returns nonzero if it fails. */
typedef int (*il_sampled)(const double *gains, double t, const double *y, double *states,
                          double *values);

/* A controller that is part of the plant: called between steps at multiples of its period, with its
   outputs held in between. */
typedef struct il_controller {
    const char *name;
    double period;          /* [s]; an integer number of steps */
    il_sampled sampled;
    il_preparation prepare;
    const int64_t *reads;   /* indices of outputs, then of inputs at their held values */
    const int64_t *leads;   /* indices of inputs, which cannot be written otherwise */
    const double *first;    /* initial states */
    int64_t read_count, lead_count, state_count;
} il_controller;

/* Index, from 1, of the first bounded formula of parameters that is violated; 0: none. */
typedef int64_t (*il_broken)(const double *parameters);

typedef struct il_plant {
    const char *name;
    uint64_t hash;                   /* of names, units and sizes: equal for compatible plants */
    const il_quantity *parameters, *inputs, *outputs;
    int64_t parameter_count, input_count, output_count;
    const il_mode_row *modes;
    int64_t mode_count;
    const il_controller *controller; /* NULL: inputs are written from outside */
    il_broken broken;                /* NULL: no formula of parameters has a bound */
} il_plant;

/* Length of q: the coordinates, then the quaternions. */
static inline int64_t il_positions(const il_mode_row *row)
{
    return row->n + IL_QUATERNION * row->attitudes;
}

/* ---- an instance ---- */

typedef struct il_instance il_instance;

/* Size of an instance [bytes]; 0 if the plant or the method is invalid. */
IL_EXPORT size_t il_instance_size(const il_plant *plant, int64_t method);

/* Create an instance in caller-provided memory, at the start of its plant.
 *
 * method: one of il_method_id. step: step of il_advance [s]; 0: adaptive. Returns NULL if plant or
 * method is invalid. */
IL_EXPORT il_instance *il_initialize(void *memory, const il_plant *plant, int64_t method,
                                     double step);

/* Return to the start, with the current parameters. IL_LOOP_OPEN: the loops cannot be closed with
   these from the initial position. */
IL_EXPORT int il_reset(il_instance *instance);

/* Set all parameters. IL_LOOP_OPEN: the loops cannot be closed with them from the current position;
   IL_OUT_OF_BOUNDS: a formula of parameters is out of bounds, e.g. a negative mass. On failure the
   old values stay. */
IL_EXPORT int il_set_parameters(il_instance *instance, const double *values);

/* Set inputs; those written by the plant's controller are not changed. */
IL_EXPORT void il_set_inputs(il_instance *instance, const double *values);
IL_EXPORT void il_set_input(il_instance *instance, int64_t input, double value);

/* One step, after a call of the plant's controller if a sample is due. Returns IL_OK or the status
   of the failure, which leaves everything unchanged. */
IL_EXPORT int il_advance(il_instance *instance);

/* Time [s], and current outputs; IL_LOOP_OPEN if they cannot be computed. */
IL_EXPORT double il_time(const il_instance *instance);
IL_EXPORT int il_outputs(il_instance *instance, double *values);

/* All that influences the future, except parameters and inputs, as an array of numbers. */
IL_EXPORT int64_t il_snapshot_size(const il_instance *instance);
IL_EXPORT void il_take_snapshot(const il_instance *instance, double *to);
/* IL_BAD_ARGUMENT: not a valid snapshot; nothing has changed. */
IL_EXPORT int il_restore(il_instance *instance, const double *from);

#endif
