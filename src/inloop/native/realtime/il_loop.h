/* The real-time loop: one thread that steps an instance of a plant and serves a mailbox.
 *
 * The caller owns all memory and fills an il_loop; from il_loop_start to il_loop_join it belongs to
 * the thread. The thread does not allocate, lock or print; it calls the system only to sleep, to
 * wake waiters on the mailbox and to read the time.
 *
 * Clock. Wake-up w is at origin + w*period, and its step leads to the state at this time. A period
 * in which no step is finished is an overrun. Its step is made up later: at most one extra step per
 * period, and only if it fits before the next wake-up, so that a late plant catches up without a
 * burst. Steps beyond most_backlog are skipped. The first step after a start, a reset or a restored
 * state has no warm start, e.g. for contact impulses, and may take many times as long as the
 * others. If it ends late, the clock starts after it.
 *
 * Warm-up. After a sleep the data and code of a step have left the caches. A loop with a lead wakes
 * up that much before wake-up w, executes the step once without effect (il_warm.c), stays awake and
 * begins on time: the outputs are bit-identical.
 */
#ifndef IL_LOOP_H
#define IL_LOOP_H

/* first: it requests more than C99 from the system headers */
#include "inloop.h"

#include "il_clock.h"
#include "il_follower.h"
#include "il_hand.h"
#include "il_host.h"
#include "il_thread.h"

enum il_pace {
    IL_CLOCK = 0,    /* real time */
    IL_FREE = 1,     /* as fast as possible */
    IL_LOCK_STEP = 2 /* each step waits for inputs that answer the previous outputs */
};

enum il_policy {
    IL_HOLD = 0, /* continue with the current inputs */
    IL_SAFE = 1, /* continue with safe input values */
    IL_END = 2   /* end the loop */
};

/* A joint driven by position and velocity inputs: indices of the two inputs. */
typedef struct il_live_drive {
    int64_t position, velocity;
} il_live_drive;

/* A monitored contact. */
typedef struct il_touch {
    int64_t gap;         /* index of its output */
    double last, change; /* the gap after the last step, and its change in that step [m] */
    int64_t pressed;     /* sub-steps in contact so far */
} il_touch;

typedef struct il_loop {
    /* the plant */
    il_instance *instance;         /* with the current parameters; its step is a sub-step */
    const double *start;           /* snapshot to return to after a reset */
    const double *first;           /* another snapshot to begin with, and its step number;
                                      NULL: begin at the start */
    int64_t substeps;              /* per period */
    const il_live_drive *drives;   /* drives whose positions must not change without velocities */
    int64_t drive_count;
    il_touch *touches;             /* contacts; unknown at the start */
    int64_t touch_count;
    const double *inputs_start;    /* inputs until some are written */
    const double *inputs_safe;     /* NaN: keep the current value */
    il_hand *hand;                 /* NULL: bodies cannot be pulled */
    il_follower *follower;         /* an observer; its outputs are the last signals of records.
                                      NULL: none */
    double *scratch;               /* il_loop_scratch numbers */

    /* how to run it */
    int64_t mode;                  /* see il_pace */
    double period;                 /* of the clock at speed 1 [ns] */
    double speed;
    int64_t steps_wanted;          /* ends after this many, including failed ones; 0: never */
    int64_t paused;                /* start paused */
    int64_t extrapolate;           /* not 0: extrapolate inputs linearly */
    int64_t stale_after;           /* [ns]; 0: never */
    int64_t policy[16];            /* by status, see il_policy */
    int64_t most_backlog;          /* [periods] */
    int64_t warm;                  /* wake up this much earlier, to warm up [ns]; 0: no warm-up */
    int64_t bare_loop;             /* not 0: run a bare loop in parallel, for comparison */
    const il_clock *clock;         /* NULL: the system clock */
    void *clock_self;              /* argument of its functions */
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
    const double *good;            /* snapshot of the last valid state: that of the last outputs */
    double *aside, *thrown_away;   /* during warm-up: the instance, and outputs */
    double *placing;               /* while a joint is moved to a position */
    double *outputs, *fresh, *now, *before, *command;
    int64_t step, steps_done, status, stale, seen_inputs, steps_left;
    int64_t safe_latched;          /* status that caused safe values; 0: none */
    int64_t at_rest;               /* the inputs in use do not become stale */
    double t_now, t_before;        /* when the current and the previous inputs took effect [s] */
    uint64_t input_answers;        /* number of the outputs that the inputs in use answer */
    uint64_t parameters_looked_at;
    uint64_t input_sequence, looked_at, parameter_sequence, command_cursor, last_outputs;
    int64_t input_stamp;
    uint64_t hand_sequence;        /* of the pulls in use, and last read */
    int64_t hand_stamp, hand_stale;
    int64_t origin, wake, last_time, late;
    int64_t begins;                /* not 0: no step since the state was set */
    int64_t lead;                  /* warm, limited by the period [ns] */
    int64_t warmed_for;            /* index of the last wake-up that was warmed up for */
    int64_t taken, published;      /* when the last step took its inputs, and published [ns] */
    double wall_period;
    uint64_t backlog;
} il_loop;

/* Length of `scratch` [doubles]. */
IL_EXPORT int64_t il_loop_scratch(const il_loop *loop);

/* Start the thread; returns IL_OK, IL_BAD_ARGUMENT, or -errno. The initial outputs are published
   before this returns. */
IL_EXPORT int64_t il_loop_start(il_loop *loop);

/* Ask the thread to end; returns at once. */
IL_EXPORT void il_loop_stop(il_loop *loop);

/* Wait for the thread; call it once. */
IL_EXPORT void il_loop_join(il_loop *loop);

/* Unlock the memory of the process, after its last loop has ended. */
IL_EXPORT void il_loop_unlock(void);

/* internal functions of the loop */
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

/* Move a joint to a position, for INLOOP_PLACE; see inloop_placing. */
uint64_t il_place_joint(il_loop *loop, const double *values);
/* Length of the scratch memory that it needs [doubles]. */
int64_t il_placing_room(const il_instance *instance);

/* Simulated time [s]: bit-identical to il_fixed.c. */
static inline double il_simulated(const il_loop *loop)
{
    return (double)(loop->step * loop->substeps) * loop->instance->step;
}

/* Position of the inputs in a record: after the outputs of the plant and of the observer. */
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
