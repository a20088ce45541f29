/* Internals of an instance of a plant. Users see il_plant.h.
 *
 * An instance occupies one block of caller-provided memory: first the data used in each step, in
 * order of use and aligned to cache lines, then the data needed only for events, other choices and
 * parameters. A step changes nothing else: restoring a copy of this memory undoes it, byte by byte.
 */
#ifndef IL_INSTANCE_H
#define IL_INSTANCE_H

#include <string.h>

#include "il_free.h"
#include "il_plant.h"
#include "il_precision.h"
#include "il_vectors.h"

/* Newton's method ends at corrections below these; the remaining error is of the order of their
   square. In radians, or relative to the characteristic length. */
#define IL_CLOSED IL_BY_PRECISION(1e-8, 1e-4)        /* for reported states */
#define IL_NEARLY_CLOSED IL_BY_PRECISION(1e-5, 3e-4) /* at the inner stages of a step */
#define IL_FARTHEST 0.2       /* longer corrections of a tracked estimate are jumps */
#define IL_WORST_PIVOT 2.5    /* factor by which a pivot may shrink before the choice is changed */
#define IL_CLEARLY 1.5        /* improvement of the pivots that justifies a choice without code */
#define IL_USELESS 1e3        /* no impact is solved with larger reciprocal pivots */
/* Reciprocal pivots above the first value mean a nearby singular position; a step longer than the
   second value, relative to the distance to it, misses a turning point there. */
#define IL_NEAR_SINGULAR 10.0
#define IL_TURN_MISSED 0.05
enum { IL_MOST_ITERATIONS = 10, IL_STEPS_UNGUARDED = 3 };

/* Fractions of a step: smaller time differences are ignored; shorter events have settled. */
#define IL_SAME_TIME IL_BY_PRECISION(1e-9, 1e-6)
#define IL_SETTLED IL_BY_PRECISION(1e-6, 1e-5)
#define IL_ZERO IL_BY_PRECISION(1e-9, 1e-6) /* per unit of an indicator: smaller values are zero */
enum { IL_MOST_EVENTS = 16 }; /* in one step */

/* An active choice of independent coordinates. */
typedef struct il_active {
    const il_choice *choice;
    il_context context;  /* context of the rates */
    il_context look;     /* unguarded, closed to rounding: observing does not affect the run */
    il_system system;
    il_bounds bounds;
    il_contacts contacts;
    double *pre, *pre_steps, *pre_jacobian, *pre_project, *pre_contacts;
    double *guard;       /* see il_context; zeros: unguarded */
    double *per_unit;    /* see il_context */
    double *most;        /* bounds of x */
} il_active;

struct il_part;

/* A transition out of a mode: the context of an il_jump. */
typedef struct il_handover {
    struct il_part *from, *to;
    struct il_part *impact; /* may be NULL */
    int64_t event;          /* index among the events of its mode */
    int64_t plastic;        /* not 0: settles, without restitution */
} il_handover;

/* A mode at run time, and its view from outside. */
typedef struct il_part {
    const il_mode_row *row;
    struct il_instance *instance;
    double *tau, *u;              /* inputs of the rates */
    double *given;                /* q, qd, qdd of driven joints without a function, rows of n */
    il_inputs inputs;             /* u over time, if the host provides a function */
    il_active *choices;           /* compiled ones, then the free one */
    int64_t choice_count;
    int64_t choice;               /* index of the one in use */
    il_free *free;                /* NULL: none */
    int64_t unguarded;            /* remaining steps without a guard */
    double *q, *qd, *qdd, *lam, *effort, *z; /* the view */
    double *all_lam;              /* multipliers by row */
    double *observed;             /* outputs of the force laws */
    double *sensed;               /* sensor readings */
    double *rates;                /* of a tree whose sensors need accelerations */
    double *loaded;               /* memory of il_drive_efforts.c */
    const double **sources;       /* location of each output */
    double *e;                    /* restitution of all rows, as read by the projection */
    double *out;                  /* results of formulas */
    double *pivots;               /* of a trial, then those of the best choice */
    double *zeros;                /* a guard without effect */
    double patience;              /* see il_contacts */
    double *lengths;              /* scales of q and qd by coordinate, from when x last held them */
    double *settled;              /* q, qd, qdd of a state, for implicit steps */
    double *pre_drives, *pre_observe, *pre_sense, *pre_events, *sizes, *tolerances;
    il_transition *transitions;
    il_handover *ways;            /* two per event: to its target, and to where it settles */
} il_part;

/* The plant's controller at run time; all NULL if there is none. */
typedef struct il_controlled {
    int64_t per_sample;           /* steps per sample; 0: its period is no multiple of a step */
    int64_t let_go;               /* not 0: it is not called, and its inputs can be written */
    double *gains;                /* prepared from parameters */
    double *outputs;              /* of the plant at a sample */
    double *y, *states, *values;  /* measurements, states, outputs */
    double *before;               /* states and inputs before a step that may fail */
    int64_t *led;                 /* by input: not 0 if the controller writes it */
} il_controlled;

/* Event counters of a run. */
typedef struct il_counts {
    int64_t choices;              /* changes of the independent coordinates */
    int64_t singular;             /* singular positions that were stepped over */
    int64_t nearby;               /* singular positions passed too fast; see il_misses_turn */
    int64_t inexact;              /* steps whose contacts were not solved to tolerance */
} il_counts;

/* Numbers of the machine, as shown by outputs. */
typedef struct il_told {
    double mode, events;
} il_told;

struct il_instance {
    const il_plant *plant;
    size_t size, often;           /* of all its memory, which begins here, and of the part
                                     at the beginning that each step uses [bytes] */
    double step;                  /* [s]; 0: adaptive */
    int64_t count;                /* successful steps since the start */
    il_counts counts;
    double *parameters, *inputs;
    double *parameters_before;    /* while new ones are tried */
    il_told told;
    il_controlled controlled;
    int64_t renews;               /* not 0: events may choose coordinates for the next mode */
    il_machine machine;
    il_mode *modes;
    il_part *parts;
};

static inline il_part *il_present(const il_instance *instance)
{
    return &instance->parts[instance->machine.mode];
}

static inline il_active *il_in_use(const il_part *part)
{
    return &part->choices[part->choice];
}

/* Does it choose its independent coordinates at run time? */
static inline int il_chooses(const il_part *part)
{
    return part->choices[0].choice->dependent_count > 0;
}

/* The view of a mode, as read by formulas. */
static inline il_view il_view_of(const il_part *part, const double *pre, double t)
{
    return (il_view){pre,           part->u,      t,       part->q, part->qd,
                     part->all_lam, part->effort, part->z, part->e, part->qdd};
}

/* Length of x of a mode. */
static inline int64_t il_length_of_x(const il_mode_row *row)
{
    const il_choice *c = &row->choices[0];
    return 2 * c->independent_count + row->states + c->dependent_count +
           IL_QUATERNION * row->attitudes;
}

/* Lay out an instance in its memory. */
il_instance il_lay_out(void *memory, const il_plant *plant, int64_t method);

/* il_set_input, also for an input that the controller writes. */
void il_write_input(il_instance *instance, int64_t input, double value);

/* Reset the controller: its states, and the inputs it writes. */
void il_begin_controlled(il_instance *instance);

/* Call the controller if a sample is due after `steps` steps, and save its previous state.
   IL_CONTROLLER_FAILED: it failed, or its output is not finite; then nothing has changed. */
int il_sample(il_instance *instance, int64_t steps);
/* Undo a sample after a failed step. */
void il_take_back_sample(il_instance *instance, int64_t steps);

/* States and inputs of the controller as an array of numbers: size, save, restore. */
int64_t il_controlled_size(const il_instance *instance);
void il_tell_controlled(const il_instance *instance, double *to);
void il_take_controlled(il_instance *instance, const double *from);

/* Recompute everything that depends on the parameters of the instance. */
void il_prepare(il_instance *instance);

/* Compute q, qd, qdd, multipliers and efforts of a state of a mode: as in a step (guarded and
   nearly closed), or exactly. */
int il_see(il_part *part, double t, const double *x);
int il_look_at(il_part *part, double t, const double *x);

/* Like il_expand for rows of states, with hard contacts included in the efforts of drives
   (il_drive_efforts.c); and the size of the memory it needs. */
int64_t il_expand_states(il_part *part, il_context *context, int64_t count, const double *t,
                         const double *x, double *q, double *qd, double *qdd, double *lam,
                         double *effort);
int64_t il_drive_efforts_size(const il_mode_row *row, int64_t rows, int64_t driven);

/* The same, plus outputs of force laws and sensors. */
int il_observe(il_part *part, double t, const double *x);

/* Location of an output; points to NaN in modes without it. */
const double *il_source(const il_part *part, il_place place);

/* Stepper state from q, qd and z of the view. */
void il_pack(const il_part *part, double *x);

/* Switch a mode to another choice of independent coordinates, or restart the same one. */
void il_use(il_part *part, int64_t choice);

/* The same, with roles for the free choice, which must be valid; see il_free.h. */
void il_use_roles(il_part *part, int64_t choice, const double *roles);

/* Scales and bounds of the entries of x, for the roles of a choice. */
void il_fit(il_active *active, const il_mode_row *row);

/* Set the guard: limits on how far pivots may shrink from their values at a position. */
void il_set_guard(il_part *part, double t, const double *q);

/* Disable the guard for some steps, to step over a singular position. */
void il_step_over(il_part *part);

/* Switch to the choice with the best pivots at the position of the view; 0 if it is already in use.
   The free one is recomputed, and taken if it is clearly better than the compiled ones. */
int il_choose_better(il_part *part, double t);
/* Is every choice of independent coordinates ill-conditioned at the last viewed position? */
int il_near_singular(il_part *part, double t);

/* Is the position of the view so close to a singular one that a step [s] would miss a turning point
   of the motion there? */
int il_misses_turn(il_part *part, double t, double step);

/* Velocities after the constraints of a mode engage at velocities qd⁻, by impulse balance: J qd +
   nu = -e (J qd⁻ + nu), with e of each row. If the choice in use is ill-conditioned, another one is
   computed. IL_LOOP_OPEN if the constraints have lost rank. */
int il_grip(il_part *on, const il_view *state, double *qd);

/* Reciprocal pivots of the choice in use at the position of the view; returns their number. */
int64_t il_find_pivots(il_part *part, double t, double *pivots);

/* A pivot that has changed its sign was zero on the way: the assembly mode would change. */
int il_same_side(const double *before, const double *now, int64_t count);

/* Return to the start, but in a given mode at a closed position of it. */
int il_restart(il_instance *instance, int64_t mode, const double *q, const double *qd,
               const double *z);
/* Make a free choice at a closed position; IL_LOOP_OPEN if the constraints have lost rank. */
int il_choose_freely(il_part *part, double t, const double *q);

/* Begin at a position, guarded: x from coordinates. */
void il_put(il_part *part, double t, const double *q, const double *qd, const double *z, double *x);

/* il_indicators of a part, and il_jump of an il_handover. */
int il_part_indicators(void *part, double t, const double *x, double *g);
int il_hand_over(void *handover, double t, const double *x, double *x_new, il_record *record);

#endif
