/* A plant: a mechanism as tables and functions, and instances of it that run.
 *
 * Generated code fills one il_plant with constants: what the plant is called, what goes in and comes
 * out, its modes, and the functions that move it. Whoever has this table and the runtime can run the
 * whole mechanism: modes, events, impacts, loops with any choice of independent coordinates, drives,
 * laws with states, flexible links. Choices that are expected have code of their own; behind them
 * there is a free one, made while it runs, which takes a few times as long.
 *
 *     static const il_plant *plant = ...;
 *     void *memory = ...;                        // il_instance_size bytes, aligned to IL_ALIGNMENT
 *     il_instance *crane = il_initialize(memory, plant, IL_RK4, 1e-3);
 *     il_set_input(crane, 0, 3.0);
 *     for (k = 0; k < 1000; k++) {
 *         if (il_advance(crane) != IL_OK) ...    // the state is as it was before
 *         il_outputs(crane, y);
 *     }
 *
 * Nothing here allocates, locks, prints, calls the system or keeps anything outside an instance:
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

/* A number with a name: parameter, input, output. */
typedef struct il_quantity {
    const char *name, *unit;
    double start;       /* of parameters and inputs */
    double least, most; /* range */
} il_quantity;

/* Prepared quantities of some functions: what follows from parameters alone. */
typedef struct il_preparation {
    void (*function)(const double *parameters, double *prepared);
    int64_t count; /* of prepared quantities */
} il_preparation;

/* One choice of independent coordinates. A tree has one, where all are independent. */
typedef struct il_choice {
    const int64_t *independent, *dependent, *driven; /* numbers of coordinates */
    const int64_t *rows;                             /* of constraints in use, by number */
    int64_t independent_count, dependent_count, driven_count, row_count;

    /* motion */
    il_preparation prepare;
    il_rates rates;
    int64_t autonomous;   /* not 0: the rates do not depend on time by themselves */
    il_expand expand;     /* the last three are NULL for a tree */
    int (*settle)(void *context, double t, const double *x);
    void (*pivots)(void *context, double t, const double *q, double *pivots);

    /* implicit integrators; NULL where they are not compiled in */
    il_preparation prepare_steps;
    il_predictor predict;
    il_corrector correct;
    il_responder respond; /* NULL if no contact is hard */
    int64_t kept;         /* numbers from the predictor to the other two */
    il_preparation prepare_jacobian;
    il_jacobian jacobian;

    /* impacts, in plants with events; NULL for a tree */
    il_preparation prepare_project;
    il_formula project;          /* velocities after the constraints have gripped */

    /* hard contacts; NULL where there are none, or IL_MOREAU is not compiled in */
    il_preparation prepare_contacts;
    const il_contact_table *contacts;

    /* bodies with six coordinates each, whose coordinates are all independent; else NULL */
    const il_redundant *redundant;
} il_choice;

/* What ends a mode. */
typedef struct il_event_row {
    const char *name;
    int64_t direction;    /* -1: falls through zero, +1: rises, 0: either */
    int64_t target;       /* mode that follows */
    int64_t settles_in;   /* mode that follows at an accumulation point, -1: none */
    int64_t impact;       /* mode whose constraints the velocities run into, -1: none */
    const int64_t *restitutions; /* by row of that mode: where `indicators` tells its restitution */
    double tolerance;     /* of the indicator: what counts as zero */
} il_event_row;

enum il_kind {
    IL_NOT_THERE = 0, /* NaN: the mode does not have it */
    IL_OF_Q, IL_OF_QD, IL_OF_QDD, /* entries of q and rates, by number in the mode */
    IL_OF_Z,          /* states of force laws */
    IL_OF_LAM,        /* multipliers, by number of the row; 0 for rows that are not in use */
    IL_OF_EFFORT,     /* efforts of driven joints */
    IL_OF_LAWS,       /* what the force laws make known */
    IL_OF_SENSORS,    /* what the sensors tell */
    IL_OF_TAU, IL_OF_U, /* inputs: efforts of joints, all others */
    IL_OF_MODE,       /* number of the mode */
    IL_OF_EVENTS      /* events since the start */
};

/* Where a number of an instance is, in one mode. */
typedef struct il_place {
    int32_t kind;  /* see il_kind */
    int32_t index;
} il_place;

/* A mode. A plant that does not change has one. */
typedef struct il_mode_row {
    const char *name;
    int64_t n, states, inputs, rows; /* coordinates, states of laws, entries of u, constraints */
    int64_t attitudes;               /* unit quaternions of ball joints, at the end of q */
    const int64_t *turned;           /* the first of the three coordinates of each */
    const il_choice *choices;        /* all with equally many independent coordinates */
    int64_t choice_count;
    const il_event_row *events;
    int64_t event_count;

    /* what events read and set, whatever the choice; of plants with events */
    il_preparation prepare_events;
    il_formula indicators;           /* indicators, restitutions, those of single rows */
    il_formula energy;               /* kinetic, potential */
    const il_formula *next;          /* by event: q, qd, z of the next mode, before it is closed */
    const il_formula *settled;       /* by event: those of the mode in which it settles */
    int64_t widest;                  /* numbers that these or an impact return, at most */

    il_motions drives;               /* of driven joints; NULL: there are none */
    il_preparation prepare_drives;
    il_formula observe;              /* what the force laws make known; NULL: nothing */
    il_preparation prepare_observe;
    int64_t observed;
    il_formula sense;                /* what the sensors tell, from lam of all rows; NULL: nothing */
    il_preparation prepare_sense;
    int64_t sensed;
    int64_t senses_motion;           /* not 0: sensors need accelerations or multipliers */
    const il_place *input_places;    /* by input of the plant */
    const il_place *output_places;   /* by output of the plant */
    const double *q, *qd, *z;        /* at the start: loops closed, parameters as in the table */
    const double *most;              /* largest |q|, then largest |qd|, finite */
    const double *units;             /* one unit of each coordinate: 1 rad, or a length [m] */
    const double *sizes;             /* one unit of each entry of x; NULL: from the units above */

    /* what holds for every choice, so that one can be made while it runs; see il_reduction.h */
    const il_terms *terms;           /* NULL: only the choices above are used */
    il_preparation prepare_terms;
    const double *row_sizes;         /* one unit of each constraint */
    const int32_t *roles;            /* of each coordinate, see il_partition.h */
} il_mode_row;

/* What a controller answers to what it reads at a sample.
 *
 * y: what it reads, in the order of its table; gains: prepared quantities, or parameters of a
 * controller that is written in C; states: read and written; values: of its inputs, in the order of
 * its table, as they are held so far, to be written. Not 0: it cannot answer. */
typedef int (*il_sampled)(const double *gains, double t, const double *y, double *states,
                          double *values);

/* A controller of the plant itself: called between steps at multiples of its period, held in
   between. */
typedef struct il_controller {
    const char *name;
    double period;          /* [s]; a whole number of steps */
    il_sampled sampled;
    il_preparation prepare;
    const int64_t *reads;   /* numbers of outputs; behind them those of inputs, as they are held */
    const int64_t *leads;   /* numbers of inputs, which nobody else can write */
    const double *first;    /* states at the start */
    int64_t read_count, lead_count, state_count;
} il_controller;

/* The number, from 1, of the first formula of parameters that is out of its bound; 0: all are within. */
typedef int64_t (*il_broken)(const double *parameters);

typedef struct il_plant {
    const char *name;
    uint64_t hash;                   /* of names, units and sizes: who agrees on it, on all */
    const il_quantity *parameters, *inputs, *outputs;
    int64_t parameter_count, input_count, output_count;
    const il_mode_row *modes;
    int64_t mode_count;
    const il_controller *controller; /* NULL: whoever writes the inputs is outside */
    il_broken broken;                /* NULL: no formula of parameters has a bound */
} il_plant;

/* Length of q: the coordinates, then the quaternions. */
static inline int64_t il_positions(const il_mode_row *row)
{
    return row->n + IL_QUATERNION * row->attitudes;
}

/* ---- an instance ---- */

typedef struct il_instance il_instance;

/* Bytes that an instance needs; 0 if the plant or the method makes no sense. */
IL_EXPORT size_t il_instance_size(const il_plant *plant, int64_t method);

/* An instance in memory of the caller, at the start of its plant.
 *
 * method: one of il_method_id. step: [s] of il_advance; 0: steps are chosen by their error.
 * NULL if plant or method make no sense. */
IL_EXPORT il_instance *il_initialize(void *memory, const il_plant *plant, int64_t method,
                                     double step);

/* Everything as it was at the start, with the parameters of now. IL_LOOP_OPEN: they do not allow
   the loops to be closed from where the plant starts. */
IL_EXPORT int il_reset(il_instance *instance);

/* All parameters, and what follows from them. IL_LOOP_OPEN: the loops cannot be closed with them from
   where the plant is; IL_OUT_OF_BOUNDS: a formula of them is out of its bound, a negative mass for
   example. Then the old ones stay. */
IL_EXPORT int il_set_parameters(il_instance *instance, const double *values);

/* Inputs that the controller of the plant leads stay as they are. */
IL_EXPORT void il_set_inputs(il_instance *instance, const double *values);
IL_EXPORT void il_set_input(il_instance *instance, int64_t input, double value);

/* One step, with what the controller of the plant answers before it where a sample is due; IL_OK, or
   the status with which it failed: then all is as it was before. */
IL_EXPORT int il_advance(il_instance *instance);

/* Time [s], and what comes out now; IL_LOOP_OPEN if that cannot be found. */
IL_EXPORT double il_time(const il_instance *instance);
IL_EXPORT int il_outputs(il_instance *instance, double *values);

/* All that influences the future, beside parameters and inputs, as numbers in a row. */
IL_EXPORT int64_t il_snapshot_size(const il_instance *instance);
IL_EXPORT void il_take_snapshot(const il_instance *instance, double *to);
/* IL_BAD_ARGUMENT: these are no numbers that a snapshot holds; nothing has changed. */
IL_EXPORT int il_restore(il_instance *instance, const double *from);

#endif
