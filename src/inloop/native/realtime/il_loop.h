/* A plant against the clock: one thread, an instance of the plant, a mailbox.
 *
 * The caller owns all memory and fills an il_loop; from il_loop_start to il_loop_join it belongs
 * to the thread. The thread allocates nothing, takes no lock, prints nothing, calls the system
 * only to sleep, to wake those who wait for the mailbox and to read the time.
 *
 * Clock. Wake-up w is at origin + w*period. The step that it does leads to the state that belongs
 * to this time. A period in which no step is finished is an overrun. Its step is made up later:
 * one extra step per period at most, and only where it fits before the next wake-up, so that a
 * late plant catches up without a burst. What is more than most_backlog behind is given up.
 * The first step after a start, a reset or a restored state has nothing to start from, as impulses of
 * contacts: it may take many times as long as all others. If it ends late the clock begins after it.
 *
 * Warm steps. After a sleep all that a step needs has left the caches. A loop with a lead wakes up
 * that much before wake-up w, walks through the step once (il_warm.c), stays awake and begins on
 * time: nothing else changes, not a bit of the outputs either.
 */
#ifndef IL_LOOP_H
#define IL_LOOP_H

/* first: it asks the system's headers for more than C99 */
#include "inloop.h"

#include "il_clock.h"
#include "il_follower.h"
#include "il_hand.h"
#include "il_host.h"
#include "il_thread.h"

enum il_pace {
    IL_CLOCK = 0,    /* against the clock */
    IL_FREE = 1,     /* as fast as it goes */
    IL_LOCK_STEP = 2 /* each step waits for inputs that answer the outputs before it */
};

enum il_policy {
    IL_HOLD = 0, /* go on with the inputs that are there */
    IL_SAFE = 1, /* go on with safe values in place of the inputs */
    IL_END = 2   /* end the loop */
};

/* A joint that follows position and velocity from outside: numbers of the two inputs. */
typedef struct il_live_drive {
    int64_t position, velocity;
} il_live_drive;

/* A contact that is watched. */
typedef struct il_touch {
    int64_t gap;         /* number of its output */
    double last, change; /* the gap after the last step, and how much it had changed in it [m] */
    int64_t pressed;     /* sub-steps in contact so far */
} il_touch;

typedef struct il_loop {
    /* the plant */
    il_instance *instance;         /* with the parameters of now; its step is a sub-step */
    const double *start;           /* snapshot of it, to go back to after a reset */
    const double *first;           /* another one to begin with, and the step that it was taken at;
                                      NULL: begin at the start */
    int64_t substeps;              /* per period */
    const il_live_drive *drives;   /* whose positions must not move without their velocities */
    int64_t drive_count;
    il_touch *touches;             /* contacts; nothing is known of them at the start */
    int64_t touch_count;
    const double *inputs_start;    /* inputs until somebody writes some */
    const double *inputs_safe;     /* NaN: stay as they are */
    il_hand *hand;                 /* NULL: its bodies cannot be held */
    il_follower *follower;         /* an observer; what it tells are the last signals of records.
                                      NULL: there is none */
    double *scratch;               /* il_loop_scratch numbers */

    /* how to run it */
    int64_t mode;                  /* see il_pace */
    double period;                 /* of the clock at speed 1 [ns] */
    double speed;
    int64_t steps_wanted;          /* ends after so many, failed ones included; 0: never */
    int64_t paused;                /* start paused */
    int64_t extrapolate;           /* not 0: inputs go on along a straight line */
    int64_t stale_after;           /* [ns]; 0: never */
    int64_t policy[16];            /* by status, see il_policy */
    int64_t most_backlog;          /* [periods] */
    int64_t warm;                  /* wake up so much early, to warm up [ns]; 0: do not */
    int64_t bare_loop;             /* not 0: run a bare loop beside it */
    const il_clock *clock;         /* NULL: the system's */
    void *clock_self;              /* what its functions are given */
    il_privileges privileges;
    inloop_mailbox box;

    /* set by other threads */
    volatile int32_t stop;

    /* how it ended */
    int64_t end_status;
    int64_t failure;               /* status of the last step that failed; IL_OK if none did */

    /* private to the loop */
    pthread_t thread, bare_loop_thread;
    il_privileges bare_loop_privileges;
    const double *good;            /* snapshot of the last good state: that of the last outputs */
    double *aside, *thrown_away;   /* while it warms up: the instance, and outputs */
    double *placing;               /* while a joint is brought to a position */
    double *outputs, *fresh, *now, *before, *command;
    int64_t step, steps_done, status, stale, seen_inputs, steps_left;
    int64_t safe_latched;          /* status because of which safe values hold; 0: they do not */
    int64_t at_rest;               /* the inputs in use do not get old */
    double t_now, t_before;        /* when the inputs now and before came into use [s] */
    uint64_t input_answers;        /* number of the outputs that the inputs in use answer */
    uint64_t parameters_looked_at;
    uint64_t input_sequence, looked_at, parameter_sequence, command_cursor, last_outputs;
    int64_t input_stamp;
    uint64_t hand_sequence;        /* of the hand in use, and looked at */
    int64_t hand_stamp, hand_stale;
    int64_t origin, wake, last_time, late;
    int64_t begins;                /* not 0: no step was done since the state was set */
    int64_t lead;                  /* warm, as far as the period allows [ns] */
    int64_t warmed_for;            /* number of the wake-up that it has warmed up for */
    int64_t taken, published;      /* when the last step took its inputs, and had published [ns] */
    double wall_period;
    uint64_t backlog;
} il_loop;

/* Length of scratch [doubles]. */
IL_EXPORT int64_t il_loop_scratch(const il_loop *loop);

/* Start the thread; IL_OK, IL_BAD_ARGUMENT, or -errno. The outputs at the start are published
   before this returns. */
IL_EXPORT int64_t il_loop_start(il_loop *loop);

/* Ask the thread to end; returns at once. */
IL_EXPORT void il_loop_stop(il_loop *loop);

/* Wait for the thread; call it once. */
IL_EXPORT void il_loop_join(il_loop *loop);

/* Let the memory of the process be paged out again, after the last loop in it. */
IL_EXPORT void il_loop_unlock(void);

/* the parts of the loop; not for users */
void il_take_commands(il_loop *loop);
void il_take_parameters(il_loop *loop);
void il_take_inputs(il_loop *loop);
void il_take_hand(il_loop *loop);
int il_holds(const il_loop *loop);
void il_apply_inputs(il_loop *loop, double t);
double il_held_input(const il_loop *loop, int64_t k);
int il_is_safe(const il_loop *loop);
int il_advance_period(il_loop *loop, double *outputs);
void il_complete_outputs(il_loop *loop, double *outputs);
double *il_snapshot_in(const il_loop *loop, double *outputs);
void il_fetch(il_loop *loop);
void il_warm_up(il_loop *loop);
void il_one_period(il_loop *loop, int64_t flags);
void il_publish_outputs(il_loop *loop, int64_t flags);
void il_start_state(il_loop *loop);
void il_first_state(il_loop *loop);
void il_clock_start(il_loop *loop);
int il_clock_wait(il_loop *loop);
void il_clock_finish(il_loop *loop, int64_t processor_time);
int il_clock_has_room(const il_loop *loop);
void *il_bare_loop_body(void *argument);

/* Bring a joint to a position, as INLOOP_PLACE asks for; see inloop_placing. */
uint64_t il_place_joint(il_loop *loop, const double *values);
/* Doubles of scratch memory that it needs. */
int64_t il_placing_room(const il_instance *instance);

/* Simulated time [s]: as in il_fixed.c, the same bits as a simulation. */
static inline double il_simulated(const il_loop *loop)
{
    return (double)(loop->step * loop->substeps) * loop->instance->step;
}

/* Where records hold inputs: behind the outputs of the plant and what the observer tells. */
static inline int64_t il_inputs_in_record(const il_loop *loop)
{
    const int64_t told = loop->follower != NULL ? loop->follower->told_count : 0;
    return 1 + loop->instance->plant->output_count + told;
}

static inline int64_t il_now(const il_loop *loop)
{
    return loop->clock->now(loop->clock_self);
}

static inline int il_has_command(const il_loop *loop)
{
    return inloop_head(&loop->box, INLOOP_COMMANDS) != loop->command_cursor;
}

#endif
