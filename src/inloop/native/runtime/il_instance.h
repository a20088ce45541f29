/* What an instance of a plant is made of. Not for users: they see il_plant.h.
 *
 * All of it lies in one piece of memory of the caller: first what each step uses, in the order of
 * use and by cache lines, then what only events, other choices and parameters need. Nothing else is
 * changed by a step: with a copy of this memory a step can be taken back, byte by byte.
 */
#ifndef IL_INSTANCE_H
#define IL_INSTANCE_H

#include <string.h>

#include "il_free.h"
#include "il_plant.h"
#include "il_precision.h"

/* Newton's corrections below these end it; what is left is of the order of their square. In
   radians, or in parts of the characteristic length. */
#define IL_CLOSED IL_BY_PRECISION(1e-8, 1e-4)        /* where states are looked at */
#define IL_NEARLY_CLOSED IL_BY_PRECISION(1e-5, 3e-4) /* at the inner stages of a step */
#define IL_FARTHEST 0.2       /* where estimates are carried along, longer corrections are jumps */
#define IL_WORST_PIVOT 2.5    /* how far a pivot may shrink before another choice is due */
#define IL_CLEARLY 1.5        /* so many times better pivots are worth a choice without code */
#define IL_USELESS 1e3        /* no impact is solved with reciprocal pivots beyond this */
/* Of reciprocal pivots: near a singular position from here on, and so much way in a step, in parts
   of the way to it, misses a turn there. */
#define IL_NEAR_SINGULAR 10.0
#define IL_TURN_MISSED 0.05
enum { IL_MOST_ITERATIONS = 10, IL_STEPS_UNGUARDED = 3 };

/* Of a step: times that differ by less are the same; events that are over within it are over. */
#define IL_SAME_TIME IL_BY_PRECISION(1e-9, 1e-6)
#define IL_SETTLED IL_BY_PRECISION(1e-6, 1e-5)
#define IL_ZERO IL_BY_PRECISION(1e-9, 1e-6) /* of one unit of an indicator: less is zero */
enum { IL_MOST_EVENTS = 16 }; /* in one step */

/* A choice of independent coordinates at work. */
typedef struct il_active {
    const il_choice *choice;
    il_context context;  /* of the rates */
    il_context look;     /* unguarded, closed to the last bit: looking does not change how it goes on */
    il_system system;
    il_bounds bounds;
    il_contacts contacts;
    double *pre, *pre_steps, *pre_jacobian, *pre_project, *pre_contacts;
    double *guard;       /* see il_context; zeros: unguarded */
    double *per_unit;    /* see il_context */
    double *most;        /* bounds of x */
} il_active;

struct il_part;

/* One way out of a mode: the context of an il_jump. */
typedef struct il_handover {
    struct il_part *from, *to;
    struct il_part *impact; /* may be NULL */
    int64_t event;          /* number among those of its mode */
    int64_t plastic;        /* not 0: it settles, without restitution */
} il_handover;

/* A mode at work, and as it is seen from outside. */
typedef struct il_part {
    const il_mode_row *row;
    struct il_instance *instance;
    double *tau, *u;              /* what the rates read */
    double *given;                /* q, qd, qdd of driven joints without a function, rows of n */
    il_inputs inputs;             /* u over time, if the host gives a function */
    il_active *choices;           /* compiled ones, and behind them the free one */
    int64_t choice_count;
    int64_t choice;               /* in use */
    il_free *free;                /* NULL: there is none */
    int64_t unguarded;            /* steps left without a guard */
    double *q, *qd, *qdd, *lam, *effort, *z; /* the view */
    double *all_lam;              /* by number of the row */
    double *observed;             /* what the force laws make known */
    double *sensed;               /* what the sensors tell */
    double *rates;                /* of a tree whose sensors need accelerations */
    double *loaded;               /* memory of il_drive_efforts.c */
    const double **sources;       /* where each output is found */
    double *e;                    /* restitution of all rows, as the projection reads it */
    double *out;                  /* results of formulas */
    double *pivots;               /* of a trial, and behind them those of the best choice */
    double *zeros;                /* a guard that guards nothing */
    double patience;              /* see il_contacts */
    double *lengths;              /* sizes of q and qd by coordinate, from when x last held them */
    double *settled;              /* q, qd, qdd of a state, for implicit steps */
    double *pre_drives, *pre_observe, *pre_sense, *pre_events, *sizes, *tolerances;
    il_transition *transitions;
    il_handover *ways;            /* two per event: to its target, and where it settles */
} il_part;

/* The controller of a plant at work; all NULL where there is none. */
typedef struct il_controlled {
    int64_t per_sample;           /* steps from sample to sample; 0: its period is no such number */
    int64_t let_go;               /* not 0: it is not called, and anybody writes its inputs */
    double *gains;                /* what it is prepared from parameters */
    double *outputs;              /* of the plant at a sample */
    double *y, *states, *values;  /* what it reads, keeps and answers */
    double *before;               /* states and inputs before a step that may fail */
    int64_t *led;                 /* by input: not 0 if it leads it */
} il_controlled;

/* What happened on the way. */
typedef struct il_counts {
    int64_t choices;              /* other independent coordinates were chosen */
    int64_t singular;             /* singular positions that were stepped over */
    int64_t nearby;               /* that are passed by in too few steps; see il_misses_turn */
    int64_t inexact;              /* steps whose contacts were not solved to their tolerance */
} il_counts;

/* Numbers of the machine as outputs tell them. */
typedef struct il_told {
    double mode, events;
} il_told;

struct il_instance {
    const il_plant *plant;
    size_t size, often;           /* of all its memory, which begins here, and of what each step uses
                                     of it, at the beginning [bytes] */
    double step;                  /* [s]; 0: chosen by the error */
    int64_t count;                /* good steps since the start */
    il_counts counts;
    double *parameters, *inputs;
    double *parameters_before;    /* while others are tried */
    il_told told;
    il_controlled controlled;
    int64_t renews;               /* not 0: events may choose coordinates for the modes they lead to */
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

/* Does it choose its independent coordinates while it runs? */
static inline int il_chooses(const il_part *part)
{
    return part->choices[0].choice->dependent_count > 0;
}

/* The view of a mode, as formulas read it. */
static inline il_view il_view_of(const il_part *part, const double *pre, double t)
{
    return (il_view){pre,           part->u,      t,       part->q, part->qd,
                     part->all_lam, part->effort, part->z, part->e, part->qdd};
}

/* Numbers from one place to another; there may be none, and then no place. */
static inline void il_copy(double *to, const double *from, int64_t count)
{
    if (count > 0) {
        memcpy(to, from, (size_t)count * sizeof *to);
    }
}

/* Length of x of a mode. */
static inline int64_t il_length_of_x(const il_mode_row *row)
{
    const il_choice *c = &row->choices[0];
    return 2 * c->independent_count + row->states + c->dependent_count +
           IL_QUATERNION * row->attitudes;
}

/* The pieces of an instance in its memory. */
il_instance il_lay_out(void *memory, const il_plant *plant, int64_t method);

/* il_set_input, also of an input that the controller leads. */
void il_write_input(il_instance *instance, int64_t input, double value);

/* The controller as at the start: its states, and inputs that it leads. */
void il_begin_controlled(il_instance *instance);

/* Let the controller answer if a sample is due after so many steps, and remember how it was before.
   IL_CONTROLLER_FAILED: it cannot, or its answer is not finite; then nothing has changed. */
int il_sample(il_instance *instance, int64_t steps);
/* After a step that failed: as it was before it. */
void il_take_back_sample(il_instance *instance, int64_t steps);

/* States and inputs of the controller as numbers in a row: how many, told, taken. */
int64_t il_controlled_size(const il_instance *instance);
void il_tell_controlled(const il_instance *instance, double *to);
void il_take_controlled(il_instance *instance, const double *from);

/* Prepare anew what follows from the parameters of the instance. */
void il_prepare(il_instance *instance);

/* Find q, qd, qdd, multipliers and efforts of a state of a mode: as a step sees it, guarded and
   nearly closed, or as others do. */
int il_see(il_part *part, double t, const double *x);
int il_look_at(il_part *part, double t, const double *x);

/* All about rows of states, as il_expand, where efforts of drives are with those of hard contacts
   (il_drive_efforts.c); and the numbers that it needs. */
int64_t il_expand_states(il_part *part, il_context *context, int64_t count, const double *t,
                         const double *x, double *q, double *qd, double *qdd, double *lam,
                         double *effort);
int64_t il_drive_efforts_size(const il_mode_row *row, int64_t rows, int64_t driven);

/* The same, and what force laws and sensors make known. */
int il_observe(il_part *part, double t, const double *x);

/* Where the number is that an output tells; NaN in modes that do not have it. */
const double *il_source(const il_part *part, il_place place);

/* State of the stepper from q, qd and z of the view. */
void il_pack(const il_part *part, double *x);

/* Let a mode use another choice of independent coordinates, or the same one from now on. */
void il_use(il_part *part, int64_t choice);

/* The same, and give the free choice roles that make sense; see il_free.h. */
void il_use_roles(il_part *part, int64_t choice, const double *roles);

/* Units and bounds of the entries of x, for the roles of a choice. */
void il_fit(il_active *active, const il_mode_row *row);

/* The pivots may shrink by so much from what they are at a position, and keep their signs. */
void il_set_guard(il_part *part, double t, const double *q);

/* No guard for some steps: over a singular position. */
void il_step_over(il_part *part);

/* Change to the choice with the best pivots at the position of the view; 0 if it is in use. The
   free one is made anew, and taken where it is clearly better than the compiled ones. */
int il_choose_better(il_part *part, double t);
/* Is every choice of independent coordinates poor where the part was last looked at? */
int il_near_singular(il_part *part, double t);

/* Is the position of the view so near a singular one that a step [s] misses a turn of the motion
   there? */
int il_misses_turn(il_part *part, double t, double step);

/* Velocities qd⁻ of a state of a mode after its constraints have gripped, impulses balanced:
   J qd + nu = -e (J qd⁻ + nu), with e of each row. Where the choice in use is of no use, another one
   is made for it. IL_LOOP_OPEN where the constraints have lost rank. */
int il_grip(il_part *on, const il_view *state, double *qd);

/* Reciprocal pivots of the choice in use at the position of the view, and how many there are. */
int64_t il_find_pivots(il_part *part, double t, double *pivots);

/* A pivot that has changed its sign was zero on the way: the loops would be put together anew. */
int il_same_side(const double *before, const double *now, int64_t count);

/* Everything as at the start, but in a mode at a closed position of it. */
int il_restart(il_instance *instance, int64_t mode, const double *q, const double *qd,
               const double *z);
/* Choose freely at a closed position; IL_LOOP_OPEN where the constraints have lost rank. */
int il_choose_freely(il_part *part, double t, const double *q);

/* Begin at a position, guarded: x from coordinates. */
void il_put(il_part *part, double t, const double *q, const double *qd, const double *z, double *x);

/* il_indicators of a part, and il_jump of an il_handover. */
int il_part_indicators(void *part, double t, const double *x, double *g);
int il_hand_over(void *handover, double t, const double *x, double *x_new, il_record *record);

#endif
