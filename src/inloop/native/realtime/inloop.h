/* The mailbox of a plant that runs in real time: everything that a controller in C needs.
 *
 *     #include <inloop.h>                       (first of all, or compile with -D_GNU_SOURCE)
 *
 *     inloop_mailbox box;
 *     int error = inloop_attach(&box, "robot");
 *     if (error) { fprintf(stderr, "%s\n", inloop_message(error)); return 1; }
 *     double outputs[inloop_count(&box, INLOOP_OUTPUTS)];
 *     double inputs[inloop_count(&box, INLOOP_INPUTS)];
 *     memset(inputs, 0, sizeof inputs);
 *     const int64_t q = inloop_index(&box, "q", "shoulder");
 *     const int64_t tau = inloop_index(&box, "input", "shoulder.tau");
 *     while (inloop_wait(&box, 1.0, NULL, outputs) == INLOOP_OK) {
 *         inputs[tau] = -40.0 * outputs[q];
 *         inloop_write(&box, inputs);
 *     }
 *     inloop_detach(&box);
 *
 * A segment of POSIX shared memory holds six rings of records: outputs (also the telemetry),
 * inputs, parameters, commands, requested pulls on bodies, and their results. Each ring has one
 * writer at a time and any number of readers. A writer fills the slot after the newest one and then
 * publishes its number, so that a reader always finds a complete record, even if a writer died
 * while writing. After copying a slot, a reader checks the newest number again: if the writer may
 * have overwritten the slot in the meantime, the copy is discarded.
 *
 * Sizes and offsets are checked once, at attach, and kept in private memory: no later content of
 * the segment can cause an access outside of it. Linux; C99 or C++11 with the atomic builtins of
 * gcc and clang.
 */
#ifndef INLOOP_H
#define INLOOP_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifndef INLOOP_TYPES_ONLY /* for targets without Linux: record types, but no mailbox */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#endif

#define INLOOP_MAGIC UINT64_C(0x584f424c504f4e49) /* "INOPLBOX" in memory */
#define INLOOP_VERSION 5
#define INLOOP_DIRECTORY "/dev/shm/"
#define INLOOP_LONGEST_NAME 64
#define INLOOP_MOST_VALUES 1000000
#define INLOOP_MOST_SLOTS (1u << 24)
#define INLOOP_MOST_BYTES (UINT64_C(1) << 32)

/* ---- return values ---- */

enum inloop_error {
    INLOOP_OK = 0,
    INLOOP_NOTHING = 1,     /* no new record, or timeout */
    INLOOP_NO_SEGMENT = 2,  /* no plant of this name runs */
    INLOOP_FOREIGN = 3,     /* the segment belongs to, or is accessible by, another user */
    INLOOP_BAD_SEGMENT = 4, /* not a mailbox, a different version, or damaged */
    INLOOP_GONE = 5,        /* the plant has ended */
    INLOOP_HELD = 6,        /* another process writes this block */
    INLOOP_BUSY = 7,        /* no complete record could be read */
    INLOOP_BAD_VALUE = 8,   /* NaN, infinity, or an invalid name */
    INLOOP_NO_MEMORY = 9    /* the system could not map the segment */
};

static inline const char *inloop_message(int error)
{
    static const char *const messages[] = {
        "good",
        "nothing new",
        "no plant of this name runs here",
        "the mailbox belongs to another user or is open to others",
        "the shared memory is no mailbox of this version of inloop, or it is damaged",
        "the plant has ended",
        "another process holds this block of the mailbox",
        "no complete record could be read",
        "a value is not finite or a name makes no sense",
        "the shared memory could not be mapped",
    };
    return error >= 0 && error < (int)(sizeof messages / sizeof *messages) ? messages[error]
                                                                           : "unknown error";
}

/* ---- contents of the segment ---- */

enum inloop_ring_id {
    INLOOP_OUTPUTS = 0,
    INLOOP_INPUTS = 1,
    INLOOP_PARAMETERS = 2,
    INLOOP_COMMANDS = 3,
    INLOOP_HAND = 4,  /* INLOOP_GRIPS inloop_grip */
    INLOOP_PULLS = 5, /* INLOOP_GRIPS inloop_pull, for each period with a pull on a body */
    INLOOP_RINGS = 6
};

/* Header of every record; 64 bytes. */
typedef struct inloop_record {
    uint64_t sequence;   /* number of the record, from 1 */
    int64_t stamp;       /* inloop_time when it was written, here or elsewhere [ns] */
    uint64_t answers;    /* outputs: the inputs in use; inputs: the outputs that they answer;
                            pulls: the request in use */
    uint64_t parameters; /* outputs: the parameters in use */
    int64_t step;        /* outputs: successful steps since start or last reset; pulls: number of
                            the outputs that they led to */
    int64_t status;      /* outputs: status of the step, see il_status.h; commands: the command */
    int64_t flags;       /* outputs, inputs: see inloop_flags */
    int64_t partition;   /* outputs: mode, or choice of independent coordinates, of the state */
} inloop_record;

enum inloop_flags {
    INLOOP_SAFE = 1,  /* the inputs were replaced by their safe values */
    INLOOP_EXTRA = 2, /* a late step that was made up */
    INLOOP_SET = 4,   /* not the result of a step: the start, a reset or a restored state */
    INLOOP_REST = 8,  /* inputs: at rest, they do not become stale; see inloop_rest */
    INLOOP_PULLED = 16 /* outputs: a body was pulled, see INLOOP_PULLS */
};

/* A pull on a body: F = stiffness (target - p) - damping v + force, on the point p of the body. */
typedef struct inloop_grip {
    double body;      /* index, from 1, among the "body" lines of the text; 0: no pull */
    double point[3];  /* in body axes [m] */
    double target[3]; /* in world axes [m] */
    double stiffness; /* [N/m] */
    double damping;   /* [N s/m] */
    double force[3];  /* in world axes [N] */
} inloop_grip;

/* Result of a pull in a period. */
typedef struct inloop_pull {
    inloop_grip grip; /* the request */
    double force[3];  /* applied to the body, in world axes [N] */
    double mass;      /* effective mass at the point [kg]; 0: it cannot move */
    double limited;   /* see inloop_limit */
} inloop_pull;

/* How a pull was limited. */
enum inloop_limit {
    INLOOP_AS_ASKED = 0,
    INLOOP_SOFTER = 1, /* stiffness or damping was reduced to what the step can resolve */
    INLOOP_WEAKER = 2, /* force, or the velocity of the pull, was reduced */
    INLOOP_REFUSED = 3 /* the step would have failed, and was done without pulls */
};

#define INLOOP_GRIPS 4 /* maximum number at a time */

enum inloop_command {
    INLOOP_NO_COMMAND = 0,
    INLOOP_PAUSE = 1,
    INLOOP_RESUME = 2, /* also leaves a safe state that was entered after a failed step */
    INLOOP_STEP = 3,   /* value 0: number of steps, paused before and after */
    INLOOP_RESET = 4,
    INLOOP_STOP = 5,
    INLOOP_SPEED = 6,   /* value 0: simulated seconds per wall clock second */
    INLOOP_RESTORE = 7, /* values: the state x of outputs, then their step */
    INLOOP_MAKE_SAFE = 8,
    INLOOP_PLACE = 9    /* while paused; values: index of a coordinate from 0, its position,
                           not 0: keep velocities; see statistics.placing */
};

/* Result of the last INLOOP_PLACE. */
enum inloop_placing {
    INLOOP_PLACED = 0,
    INLOOP_MUST_STAND = 1, /* the plant was not paused */
    INLOOP_NOT_FREE = 2,   /* the joint is driven, a ball joint, or not available in this mode */
    INLOOP_NO_WAY = 3,     /* the loops cannot reach it: there is a dead point in between */
    INLOOP_OPEN_ROW = 4    /* plus the index of the output with the multiplier of the
                              constraint row that stays open there; the first output is time */
};

enum inloop_state {
    INLOOP_ARMED = 0,
    INLOOP_RUNNING = 1,
    INLOOP_PAUSED = 2,
    INLOOP_ENDED = 3
};

/* Head of a ring, on its own cache lines. */
typedef struct inloop_ring {
    uint64_t head;    /* number of the newest record; 0: none */
    uint64_t owner;   /* the writer, see inloop_self; 0: nobody */
    uint32_t bell;    /* changes with each record; the futex word of readers */
    uint32_t waiting; /* not 0: a reader waits */
    uint64_t reserved[13];
} inloop_ring;

typedef struct inloop_place {
    uint64_t offset; /* of the ring [bytes] */
    uint32_t slots;  /* a power of two */
    uint32_t values; /* numbers in a record */
} inloop_place;

typedef struct inloop_header {
    uint64_t magic;
    uint32_t version;
    uint32_t header_size;
    uint64_t size;        /* of the segment [bytes] */
    uint64_t layout_hash; /* of the counts and the text */
    uint64_t creator;     /* process that runs the plant, see inloop_self */
    double period;        /* simulated time per step [s] */
    uint32_t coordinates, states, signals, inputs, parameters, stepper_states;
    uint64_t text_offset, text_size; /* lines: kind, name, unit, min, max, default; by tabs */
    uint64_t statistics_offset;
    uint64_t clock_offset; /* of an inloop_clock; 0: the plant runs on CLOCK_MONOTONIC */
    inloop_place rings[INLOOP_RINGS];
} inloop_header;

/* The time of a plant on a scripted clock, for all attached processes. The loop advances it, up to
   the limit granted by another process: see inloop_grant. */
typedef struct inloop_clock {
    int64_t now;      /* [ns] */
    int64_t limit;    /* the loop does not wake up after this time [ns] */
    uint32_t grants;  /* changes with the limit; odd */
    uint32_t asleep;  /* the grant after which the loop sleeps; 0: it is running */
    uint32_t waiting; /* not 0: somebody waits until it sleeps */
    uint32_t reserved[9];
} inloop_clock;

/* Histogram of times, in bins of 1/32 octave, from 1 ns to 1 min. */
#define INLOOP_BINS 1024
typedef struct inloop_histogram {
    uint64_t count, sum, most; /* [ns] */
    uint64_t bins[INLOOP_BINS];
} inloop_histogram;

/* Statistics, written by the loop and readable by all. */
typedef struct inloop_statistics {
    uint64_t state;     /* see inloop_state */
    uint64_t status;    /* of the last step */
    uint64_t failure;   /* status of the last failed step; 0: none */
    uint64_t latched;   /* cause of safe values that hold until a resume; 0: none.
                           IL_STOPPED: INLOOP_MAKE_SAFE */
    uint64_t parameters_seen;    /* number of the newest parameter record that was processed, */
    uint64_t parameters_refused; /*   and of the last one that was rejected */
    uint64_t beyond;    /* index of the output that last left its bounds; 0: none */
    uint64_t jumped;    /* index, from 1, of the input of the last drive that jumped; 0: none */
    uint64_t touched;   /* index of the output (a gap) of the last brief contact; 0: none */
    uint64_t heartbeat; /* inloop_time [ns] */
    uint64_t placing;   /* result of the last INLOOP_PLACE, see inloop_placing */
    uint64_t thread;    /* id of the loop's thread */
    uint64_t lead;      /* how early it wakes up to warm up [ns]; 0: no warm-up */
    double speed;
    uint64_t commands_done;  /* number of the last command that was executed or rejected */
    uint64_t steps;          /* attempted */
    uint64_t failed;         /* ended with DIVERGED, LOOP_OPEN or CHATTERING; the state was kept */
    uint64_t partitions;     /* changes of the independent coordinates of a closed mechanism */
    uint64_t singular;       /* singular positions that were stepped over */
    uint64_t missed_turns;   /* nearby singular positions for which steps are too long */
    uint64_t events;         /* transitions between modes, or into the same mode */
    uint64_t periods;        /* of the clock */
    uint64_t overruns;       /* periods that ended before their step was done, because the thread */
    uint64_t woken_late;     /*   woke up, or was still warming up, after the end, */
    uint64_t preempted;      /*   was preempted, */
    uint64_t too_long;       /*   or needed more time than the period */
    uint64_t made_up;        /* overruns whose step was done later */
    uint64_t skipped;        /* overruns whose step was dropped: simulated time lags behind */
    uint64_t backlog;        /* overruns whose step is still pending */
    uint64_t stale_inputs;   /* steps with inputs older than allowed */
    uint64_t bad_inputs;     /* input records rejected: not finite */
    uint64_t torn_inputs;    /* steps at which no complete input record could be read */
    uint64_t drive_jumps;    /* input records that move a driven joint with zero velocity */
    uint64_t brief_contacts; /* contacts that lasted fewer steps than needed to resolve them */
    uint64_t inexact_contacts; /* steps in which impulses of hard contacts were not found */
    uint64_t bad_parameters; /* parameter records rejected: not finite, out of range, or
                                loops of the plant cannot be closed */
    uint64_t bad_commands;
    uint64_t safe_steps;     /* steps with safe input values */
    uint64_t bad_hands;      /* pull records rejected: not finite, no such body, negative */
    uint64_t stale_hands;    /* steps at which a pull was too old, and was released */
    uint64_t lost_telemetry; /* records that readers were too late for, summed over readers */
    uint64_t warmups;        /* steps that were executed for warm-up before their period */
    uint64_t late_warmups;   /* periods that began before their warm-up had ended, or without one */
    uint64_t bare_loop_periods;  /* of the parallel bare loop */
    uint64_t bare_loop_overruns;
    inloop_histogram step;      /* wall clock time of a step, including inputs and outputs */
    inloop_histogram step_cpu;  /* processor time of the same */
    inloop_histogram reaction;  /* from reading inputs to publishing outputs */
    inloop_histogram warmup;    /* time used for warm-up, including late wake-ups */
    inloop_histogram latency;   /* lateness of wake-ups, early or not */
    inloop_histogram input_age; /* time since the inputs in use were written */
    inloop_histogram bare_loop; /* lateness of wake-ups of the bare loop */
} inloop_statistics;

/* An attached mailbox; the caller owns its memory, nothing is allocated. */
typedef struct inloop_mailbox {
    unsigned char *base;
    uint64_t size;
    inloop_header layout;   /* private copy, checked */
    uint64_t self;          /* identifies this writer */
    uint64_t seen;          /* number of the last outputs read */
    uint64_t cursor, lost;  /* state of inloop_next */
} inloop_mailbox;

/* ---- helpers ---- */

/* By the exponent bits: correct for all compiler flags concerning NaN. */
static inline int inloop_finite(const double *values, uint64_t count)
{
    const uint64_t exponent = UINT64_C(0x7ff) << 52;
    int good = 1;
    for (uint64_t k = 0; k < count; k++) {
        uint64_t bits;
        memcpy(&bits, &values[k], sizeof bits);
        good &= (bits & exponent) != exponent;
    }
    return good;
}

#ifndef INLOOP_TYPES_ONLY

static inline int64_t inloop_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Copy words in shared memory one by one, so that no word is ever torn. */
static inline void inloop_load(uint64_t *to, const uint64_t *from, uint64_t words)
{
    for (uint64_t k = 0; k < words; k++) {
        to[k] = __atomic_load_n(&from[k], __ATOMIC_RELAXED);
    }
}

static inline void inloop_store(uint64_t *to, const uint64_t *from, uint64_t words)
{
    for (uint64_t k = 0; k < words; k++) {
        __atomic_store_n(&to[k], from[k], __ATOMIC_RELAXED);
    }
}

static inline void inloop_load_values(double *to, const uint64_t *from, uint64_t count)
{
    for (uint64_t k = 0; k < count; k++) {
        const uint64_t bits = __atomic_load_n(&from[k], __ATOMIC_RELAXED);
        memcpy(&to[k], &bits, sizeof bits);
    }
}

static inline void inloop_store_values(uint64_t *to, const double *from, uint64_t count)
{
    for (uint64_t k = 0; k < count; k++) {
        uint64_t bits;
        memcpy(&bits, &from[k], sizeof bits);
        __atomic_store_n(&to[k], bits, __ATOMIC_RELAXED);
    }
}

/* ---- processes ---- */

/* Start time of a process [clock ticks since boot], 0 if it is dead, a zombie or unknown; and its
   state letter from /proc. */
static inline uint64_t inloop_look_up(int64_t pid, char *state)
{
    char path[40], text[1024];
    *state = 0;
    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return 0;
    }
    const ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    if (length <= 0) {
        return 0;
    }
    text[length] = 0;
    /* the name, in parentheses, may contain anything; state is field 3, start time field 22 */
    const char *field = strrchr(text, ')');
    if (field == NULL || field[1] == 0 || field[2] == 'Z' || field[2] == 'X') {
        return 0;
    }
    *state = field[2];
    for (int k = 2; field != NULL && k < 22; k++) {
        field = strchr(field + 1, ' ');
    }
    return field != NULL ? strtoull(field, NULL, 10) : 0;
}

static inline uint64_t inloop_started(int64_t pid)
{
    char state;
    return inloop_look_up(pid, &state);
}

enum { INLOOP_START_BITS = 32, INLOOP_MAILBOX_BITS = 10 };

/* Identifies this process, and one of up to 1023 mailboxes in it: process id, start, number. */
static inline uint64_t inloop_self(uint64_t number)
{
    const uint64_t start = inloop_started(getpid()) & (((uint64_t)1 << INLOOP_START_BITS) - 1);
    const uint64_t who = (uint64_t)getpid() << INLOOP_START_BITS | start;
    return who << INLOOP_MAILBOX_BITS | (number & (((uint64_t)1 << INLOOP_MAILBOX_BITS) - 1));
}

static inline int64_t inloop_process(uint64_t owner)
{
    return (int64_t)(owner >> (INLOOP_START_BITS + INLOOP_MAILBOX_BITS));
}

static inline int inloop_alive(uint64_t owner)
{
    const uint64_t mask = ((uint64_t)1 << INLOOP_START_BITS) - 1;
    const uint64_t start = inloop_started(inloop_process(owner));
    return start != 0 && (start & mask) == (owner >> INLOOP_MAILBOX_BITS & mask);
}

/* Is the process stopped (SIGSTOP, Ctrl-Z, a debugger)? */
static inline int inloop_stopped(uint64_t owner)
{
    char state;
    (void)inloop_look_up(inloop_process(owner), &state);
    return state == 'T' || state == 't';
}

/* ---- locations ---- */

static inline inloop_ring *inloop_ring_of(const inloop_mailbox *box, int ring)
{
    return (inloop_ring *)(void *)(box->base + box->layout.rings[ring].offset);
}

static inline inloop_statistics *inloop_statistics_of(const inloop_mailbox *box)
{
    return (inloop_statistics *)(void *)(box->base + box->layout.statistics_offset);
}

static inline inloop_clock *inloop_clock_of(const inloop_mailbox *box)
{
    return (inloop_clock *)(void *)(box->base + box->layout.clock_offset);
}

/* Does the plant run on a scripted clock? */
static inline int inloop_scripted(const inloop_mailbox *box)
{
    return box->layout.clock_offset != 0;
}

/* Time of the clock that the plant runs on [ns], used for stamps and ages. */
static inline int64_t inloop_time(const inloop_mailbox *box)
{
    return inloop_scripted(box) ? __atomic_load_n(&inloop_clock_of(box)->now, __ATOMIC_ACQUIRE)
                                : inloop_now();
}

/* Size of one slot [bytes]: the record header and its values, in whole cache lines. */
static inline uint64_t inloop_stride(const inloop_place *place)
{
    return sizeof(inloop_record) + ((uint64_t)place->values * 8 + 63) / 64 * 64;
}

static inline uint64_t *inloop_slot(const inloop_mailbox *box, int ring, uint64_t sequence)
{
    const inloop_place *place = &box->layout.rings[ring];
    const uint64_t slot = sequence & (place->slots - 1);
    return (uint64_t *)(void *)(box->base + place->offset + sizeof(inloop_ring) +
                                slot * inloop_stride(place));
}

static inline int64_t inloop_count(const inloop_mailbox *box, int ring)
{
    return box->layout.rings[ring].values;
}

/* ---- checks ---- */

/* FNV-1a, 64 bits. */
static inline uint64_t inloop_hash(uint64_t hash, const void *data, uint64_t size)
{
    const unsigned char *bytes = (const unsigned char *)data;
    for (uint64_t k = 0; k < size; k++) {
        hash = (hash ^ bytes[k]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* Hash of counts and text, which must agree between programs that exchange records. */
static inline uint64_t inloop_layout_hash(const inloop_header *layout, const void *text)
{
    const uint32_t counts[6] = {layout->coordinates, layout->states,     layout->signals,
                                layout->inputs,      layout->parameters, layout->stepper_states};
    const uint64_t hash = inloop_hash(UINT64_C(0xcbf29ce484222325), counts, sizeof counts);
    return inloop_hash(hash, text, layout->text_size);
}

static inline int inloop_fits(const inloop_header *layout, uint64_t offset, uint64_t size)
{
    return offset % 64 == 0 && offset >= layout->header_size && offset <= layout->size &&
           size <= layout->size - offset;
}

static inline int inloop_ring_fits(const inloop_header *layout, int ring, uint64_t values)
{
    const inloop_place *place = &layout->rings[ring];
    return place->values == values && place->slots >= 4 && place->slots <= INLOOP_MOST_SLOTS &&
           (place->slots & (place->slots - 1)) == 0 &&
           inloop_fits(layout, place->offset,
                       sizeof(inloop_ring) + place->slots * inloop_stride(place));
}

/* Copy the header to private memory and validate it. */
static inline int inloop_check(const void *base, uint64_t mapped, inloop_header *layout)
{
    if (mapped < sizeof *layout) {
        return INLOOP_BAD_SEGMENT;
    }
    inloop_load((uint64_t *)(void *)layout, (const uint64_t *)base, sizeof *layout / 8);
    const uint32_t counts[6] = {layout->coordinates, layout->states,     layout->signals,
                                layout->inputs,      layout->parameters, layout->stepper_states};
    int good = layout->magic == INLOOP_MAGIC && layout->version == INLOOP_VERSION &&
               layout->header_size == sizeof *layout && layout->size == mapped &&
               layout->size <= INLOOP_MOST_BYTES && inloop_finite(&layout->period, 1) &&
               layout->period > 0.0;
    uint64_t total = 1;
    for (int k = 0; k < 6; k++) {
        good &= counts[k] <= INLOOP_MOST_VALUES;
        /* t, q, qd, z, signals, inputs, x: everything except the parameters */
        total += k == 4 ? 0 : (k == 0 ? 2 : 1) * (uint64_t)counts[k];
    }
    good = good && inloop_ring_fits(layout, INLOOP_OUTPUTS, total) &&
           inloop_ring_fits(layout, INLOOP_INPUTS, layout->inputs) &&
           inloop_ring_fits(layout, INLOOP_PARAMETERS, layout->parameters) &&
           inloop_ring_fits(layout, INLOOP_COMMANDS, 1 + (uint64_t)layout->stepper_states) &&
           inloop_ring_fits(layout, INLOOP_HAND, INLOOP_GRIPS * sizeof(inloop_grip) / 8) &&
           inloop_ring_fits(layout, INLOOP_PULLS, INLOOP_GRIPS * sizeof(inloop_pull) / 8) &&
           inloop_fits(layout, layout->statistics_offset, sizeof(inloop_statistics)) &&
           (layout->clock_offset == 0 ||
            inloop_fits(layout, layout->clock_offset, sizeof(inloop_clock))) &&
           inloop_fits(layout, layout->text_offset, layout->text_size);
    if (!good) {
        return INLOOP_BAD_SEGMENT;
    }
    const unsigned char *text = (const unsigned char *)base + layout->text_offset;
    return inloop_layout_hash(layout, text) == layout->layout_hash ? INLOOP_OK
                                                                   : INLOOP_BAD_SEGMENT;
}

/* Path of the segment of a plant; names are letters, digits, '_', '-' and '.'. */
static inline int inloop_path(char *path, size_t size, const char *name)
{
    const size_t length = strlen(name);
    if (length == 0 || length > INLOOP_LONGEST_NAME ||
        strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") !=
            length) {
        return INLOOP_BAD_VALUE;
    }
    snprintf(path, size, INLOOP_DIRECTORY "inloop.%lu.%s", (unsigned long)geteuid(), name);
    return INLOOP_OK;
}

/* ---- attach and detach ---- */

/* Use memory that is already mapped. */
static inline int inloop_attach_memory(inloop_mailbox *box, void *base, uint64_t size,
                                       uint64_t number)
{
    memset(box, 0, sizeof *box);
    box->base = (unsigned char *)base;
    box->size = size;
    box->self = inloop_self(number);
    return inloop_check(base, size, &box->layout);
}

static inline int inloop_attach_numbered(inloop_mailbox *box, const char *name, uint64_t number)
{
    char path[128];
    struct stat facts;
    memset(box, 0, sizeof *box);
    if (inloop_path(path, sizeof path, name) != INLOOP_OK) {
        return INLOOP_BAD_VALUE;
    }
    /* robust against any file: never blocks, follows no links */
    const int file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) {
        return errno == ENOENT ? INLOOP_NO_SEGMENT : INLOOP_FOREIGN;
    }
    if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_uid != geteuid() ||
        (facts.st_mode & 077) != 0) {
        close(file);
        return INLOOP_FOREIGN;
    }
    const uint64_t size = (uint64_t)facts.st_size;
    if (size < sizeof(inloop_header) || size > INLOOP_MOST_BYTES) {
        close(file);
        return INLOOP_BAD_SEGMENT;
    }
    void *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (base == MAP_FAILED) {
        return INLOOP_NO_MEMORY;
    }
    int error = inloop_attach_memory(box, base, size, number);
    if (error == INLOOP_OK && !inloop_alive(box->layout.creator)) {
        error = INLOOP_GONE;
    }
    if (error != INLOOP_OK) {
        munmap(base, size);
        box->base = NULL;
    }
    return error;
}

/* Attach to the plant of this name; one mailbox per process. */
static inline int inloop_attach(inloop_mailbox *box, const char *name)
{
    return inloop_attach_numbered(box, name, 0);
}

/* ---- one writer per block ---- */

/* Become the writer of a block; takes over a block whose writer died. */
static inline int inloop_take(inloop_mailbox *box, int ring)
{
    uint64_t *word = &inloop_ring_of(box, ring)->owner;
    uint64_t owner = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    for (int tries = 0; tries < 100; tries++) {
        if (owner == box->self) {
            return INLOOP_OK;
        }
        if (owner != 0 && inloop_alive(owner)) {
            return INLOOP_HELD;
        }
        if (__atomic_compare_exchange_n(word, &owner, box->self, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
            return INLOOP_OK;
        }
    }
    return INLOOP_HELD;
}

static inline void inloop_release(inloop_mailbox *box, int ring)
{
    uint64_t owner = box->self;
    __atomic_compare_exchange_n(&inloop_ring_of(box, ring)->owner, &owner, 0, 0, __ATOMIC_ACQ_REL,
                                __ATOMIC_RELAXED);
}

static inline void inloop_detach(inloop_mailbox *box)
{
    if (box->base != NULL) {
        for (int ring = 0; ring < INLOOP_RINGS; ring++) {
            inloop_release(box, ring);
        }
        munmap(box->base, box->size);
        box->base = NULL;
    }
}

/* ---- the bell ---- */

/* Wake all waiters on a ring. */
static inline void inloop_ring_bell(const inloop_mailbox *box, int ring)
{
    inloop_ring *control = inloop_ring_of(box, ring);
    __atomic_fetch_add(&control->bell, 1, __ATOMIC_SEQ_CST);
    if (__atomic_exchange_n(&control->waiting, 0, __ATOMIC_SEQ_CST) != 0) {
        syscall(SYS_futex, &control->bell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    }
}

/* Sleep until the bell of a ring has changed, or for `nanoseconds`. */
static inline void inloop_sleep(const inloop_mailbox *box, int ring, uint32_t bell,
                                int64_t nanoseconds)
{
    inloop_ring *control = inloop_ring_of(box, ring);
    const struct timespec time = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    __atomic_store_n(&control->waiting, 1, __ATOMIC_SEQ_CST);
    if (nanoseconds > 0 && __atomic_load_n(&control->bell, __ATOMIC_SEQ_CST) == bell) {
        syscall(SYS_futex, &control->bell, FUTEX_WAIT, bell, &time, NULL, 0);
    }
}

static inline uint32_t inloop_bell(const inloop_mailbox *box, int ring)
{
    return __atomic_load_n(&inloop_ring_of(box, ring)->bell, __ATOMIC_SEQ_CST);
}

static inline uint64_t inloop_head(const inloop_mailbox *box, int ring)
{
    return __atomic_load_n(&inloop_ring_of(box, ring)->head, __ATOMIC_ACQUIRE);
}

/* ---- records ---- */

/* Fill the slot of a record that is not published yet. */
static inline void inloop_fill(const inloop_mailbox *box, int ring, uint64_t sequence,
                               const inloop_record *about, const double *values)
{
    uint64_t *slot = inloop_slot(box, ring, sequence);
    inloop_record record = *about;

    record.sequence = sequence;
    record.stamp = about->stamp != 0 ? about->stamp : inloop_time(box);
    /* the new words must not be visible before the mark that the slot is being written */
    __atomic_store_n(&slot[0], 0, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    inloop_store_values(slot + sizeof record / 8, values, box->layout.rings[ring].values);
    inloop_store(slot + 1, (const uint64_t *)(const void *)&record + 1, sizeof record / 8 - 1);
    __atomic_store_n(&slot[0], sequence, __ATOMIC_RELEASE);
}

/* Write a record; the writer must have taken the ring. `about` holds everything except the number;
   a nonzero stamp is the time at which the values were obtained elsewhere. */
static inline uint64_t inloop_publish(const inloop_mailbox *box, int ring,
                                      const inloop_record *about, const double *values)
{
    inloop_ring *control = inloop_ring_of(box, ring);
    const uint64_t sequence = __atomic_load_n(&control->head, __ATOMIC_RELAXED) + 1;
    inloop_fill(box, ring, sequence, about, values);
    __atomic_store_n(&control->head, sequence, __ATOMIC_RELEASE);
    inloop_ring_bell(box, ring);
    return sequence;
}

/* The same for a ring that is taken for one record only: 0 if it was taken over in the meantime,
   because this process was stopped. */
static inline uint64_t inloop_publish_briefly(const inloop_mailbox *box, int ring,
                                              const inloop_record *about, const double *values)
{
    inloop_ring *control = inloop_ring_of(box, ring);
    uint64_t head = __atomic_load_n(&control->head, __ATOMIC_ACQUIRE);
    if (__atomic_load_n(&control->owner, __ATOMIC_ACQUIRE) != box->self) {
        return 0;
    }
    const uint64_t sequence = head + 1;
    inloop_fill(box, ring, sequence, about, values);
    if (!__atomic_compare_exchange_n(&control->head, &head, sequence, 0, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED)) {
        return 0;
    }
    inloop_ring_bell(box, ring);
    return sequence;
}

/* Copy one record; INLOOP_BUSY if it was overwritten in the meantime. */
static inline int inloop_copy(const inloop_mailbox *box, int ring, uint64_t sequence,
                              inloop_record *record, double *values)
{
    const uint64_t *slot = inloop_slot(box, ring, sequence);
    const uint64_t before = __atomic_load_n(&slot[0], __ATOMIC_ACQUIRE);

    inloop_load((uint64_t *)(void *)record, slot, sizeof *record / 8);
    inloop_load_values(values, slot + sizeof *record / 8, box->layout.rings[ring].values);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    const uint64_t after = __atomic_load_n(&slot[0], __ATOMIC_RELAXED);
    record->sequence = sequence;
    return before == sequence && after == sequence ? INLOOP_OK : INLOOP_BUSY;
}

/* The newest record of a ring; with a bounded number of attempts. */
static inline int inloop_newest(const inloop_mailbox *box, int ring, inloop_record *record,
                                double *values)
{
    for (int tries = 0; tries < 20; tries++) {
        const uint64_t head = inloop_head(box, ring);
        if (head == 0) {
            return INLOOP_NOTHING;
        }
        if (inloop_copy(box, ring, head, record, values) == INLOOP_OK) {
            return INLOOP_OK;
        }
    }
    return INLOOP_BUSY;
}

/* The record after number *cursor, or the oldest one available; *lost counts those in between. */
static inline int inloop_following(const inloop_mailbox *box, int ring, uint64_t *cursor,
                                   uint64_t *lost, inloop_record *record, double *values)
{
    const uint64_t room = box->layout.rings[ring].slots - 1;
    for (int tries = 0; tries < 20; tries++) {
        const uint64_t head = inloop_head(box, ring);
        if (head <= *cursor) {
            *cursor = head;
            return INLOOP_NOTHING;
        }
        uint64_t sequence = *cursor + 1;
        if (head - sequence >= room) {
            sequence = head - room + 1;
        }
        if (inloop_copy(box, ring, sequence, record, values) == INLOOP_OK) {
            *lost += sequence - *cursor - 1;
            *cursor = sequence;
            return INLOOP_OK;
        }
    }
    return INLOOP_BUSY;
}

/* ---- functions for controllers ---- */

/* Index of a value by kind ("q", "qd", "z", "signal", "applied", "x" among the outputs; "input";
   "parameter"; "body", from 0) and name; "t" is 0. Returns -1 if there is none. */
static inline int64_t inloop_index(const inloop_mailbox *box, const char *kind, const char *name)
{
    static const char *const kinds[] = {"q", "z", "signal", "input", "parameter"};
    const inloop_header *layout = &box->layout;
    const char *text = (const char *)box->base + layout->text_offset;
    const char *const end = text + layout->text_size;
    const uint32_t counts[] = {layout->coordinates, layout->states, layout->signals,
                               layout->inputs, layout->parameters};
    const size_t length = strlen(name);
    const char *listed = strcmp(kind, "qd") == 0        ? "q"
                         : strcmp(kind, "applied") == 0 ? "input"
                                                        : kind;
    int64_t k = 0;

    while (text < end) {
        const size_t left = (size_t)(end - text);
        const char *line_end = (const char *)memchr(text, '\n', left);
        const char *tab = (const char *)memchr(text, '\t', left);
        if (line_end == NULL || tab == NULL || tab > line_end) {
            return -1;
        }
        const size_t kind_length = strlen(listed);
        if ((size_t)(tab - text) == kind_length && memcmp(text, listed, kind_length) == 0) {
            if ((size_t)(line_end - tab - 1) > length && memcmp(tab + 1, name, length) == 0 &&
                tab[1 + length] == '\t') {
                break;
            }
            k++;
        }
        text = line_end + 1;
    }
    if (text >= end) {
        return -1;
    }
    for (int at = 0; at < 5; at++) {
        if (strcmp(listed, kinds[at]) == 0 && k >= (int64_t)counts[at]) {
            return -1;
        }
    }
    const int64_t q = 1, z = q + 2 * (int64_t)layout->coordinates;
    const int64_t signal = z + layout->states, applied = signal + layout->signals;
    return strcmp(kind, "q") == 0         ? q + k
           : strcmp(kind, "qd") == 0      ? q + (int64_t)layout->coordinates + k
           : strcmp(kind, "z") == 0       ? z + k
           : strcmp(kind, "signal") == 0  ? signal + k
           : strcmp(kind, "applied") == 0 ? applied + k
                                          : k;
}

/* The newest outputs; `record` may be NULL. */
static inline int inloop_read(inloop_mailbox *box, inloop_record *record, double *outputs)
{
    inloop_record own;
    record = record != NULL ? record : &own;
    const int error = inloop_newest(box, INLOOP_OUTPUTS, record, outputs);
    if (error == INLOOP_OK) {
        box->seen = record->sequence;
    }
    return error;
}

/* INLOOP_GONE when the plant has ended or its process has died. */
static inline int inloop_gone(const inloop_mailbox *box)
{
    const uint64_t state =
        __atomic_load_n(&inloop_statistics_of(box)->state, __ATOMIC_RELAXED);
    return state == INLOOP_ENDED || !inloop_alive(box->layout.creator) ? INLOOP_GONE : INLOOP_OK;
}

/* Wait for outputs newer than those read last; INLOOP_NOTHING after `timeout` [s]. */
static inline int inloop_await(inloop_mailbox *box, double timeout)
{
    const int64_t slice = 100000000;
    const int64_t end = inloop_now() + (int64_t)(timeout < 1e9 ? timeout * 1e9 : 1e18);
    for (;;) {
        const uint32_t bell = inloop_bell(box, INLOOP_OUTPUTS);
        if (inloop_head(box, INLOOP_OUTPUTS) > box->seen) {
            return INLOOP_OK;
        }
        const int64_t left = end - inloop_now();
        if (__atomic_load_n(&inloop_statistics_of(box)->state, __ATOMIC_RELAXED) == INLOOP_ENDED) {
            return INLOOP_GONE;
        }
        if (left <= 0) {
            return inloop_gone(box) == INLOOP_GONE ? INLOOP_GONE : INLOOP_NOTHING;
        }
        inloop_sleep(box, INLOOP_OUTPUTS, bell, left < slice ? left : slice);
        if (left > slice && inloop_head(box, INLOOP_OUTPUTS) <= box->seen &&
            inloop_gone(box) == INLOOP_GONE) {
            return INLOOP_GONE;
        }
    }
}

/* Wait for newer outputs and read them. */
static inline int inloop_wait(inloop_mailbox *box, double timeout, inloop_record *record,
                              double *outputs)
{
    const int error = inloop_await(box, timeout);
    return error == INLOOP_OK ? inloop_read(box, record, outputs) : error;
}

/* The next record of the outputs: the telemetry. box->lost counts the records that were missed. */
static inline int inloop_next(inloop_mailbox *box, inloop_record *record, double *outputs)
{
    const uint64_t before = box->lost;
    const int error =
        inloop_following(box, INLOOP_OUTPUTS, &box->cursor, &box->lost, record, outputs);
    if (box->lost != before) {
        __atomic_fetch_add(&inloop_statistics_of(box)->lost_telemetry, box->lost - before,
                           __ATOMIC_RELAXED);
    }
    return error;
}

/* Write all inputs, in answer to the outputs read last; takes the block if it is free. */
static inline int inloop_write_flagged(inloop_mailbox *box, const double *inputs, int64_t flags)
{
    inloop_record about;
    memset(&about, 0, sizeof about);
    about.answers = box->seen;
    about.flags = flags;
    if (!inloop_finite(inputs, box->layout.inputs)) {
        return INLOOP_BAD_VALUE;
    }
    const int error = inloop_take(box, INLOOP_INPUTS);
    if (error == INLOOP_OK) {
        inloop_publish(box, INLOOP_INPUTS, &about, inputs);
    }
    return error;
}

static inline int inloop_write(inloop_mailbox *box, const double *inputs)
{
    return inloop_write_flagged(box, inputs, 0);
}

/* Leave cleanly: write inputs that may stay indefinitely, and release the block. Inputs of a
   controller that ends without this become stale. */
static inline int inloop_rest(inloop_mailbox *box, const double *inputs)
{
    const int error = inloop_write_flagged(box, inputs, INLOOP_REST);
    if (error == INLOOP_OK) {
        inloop_release(box, INLOOP_INPUTS);
    }
    return error;
}

/* Pull on bodies with INLOOP_GRIPS grips; must be repeated before they become stale. */
static inline int inloop_hold(inloop_mailbox *box, const inloop_grip *grips)
{
    inloop_record about;
    double values[INLOOP_GRIPS * sizeof *grips / sizeof(double)];
    memset(&about, 0, sizeof about);
    memcpy(values, grips, sizeof values);
    if (!inloop_finite(values, sizeof values / sizeof *values)) {
        return INLOOP_BAD_VALUE;
    }
    const int error = inloop_take(box, INLOOP_HAND);
    if (error == INLOOP_OK) {
        inloop_publish(box, INLOOP_HAND, &about, values);
    }
    return error;
}

/* Release all bodies, and the block. */
static inline int inloop_let_go(inloop_mailbox *box)
{
    inloop_grip none[INLOOP_GRIPS];
    memset(none, 0, sizeof none);
    const int error = inloop_hold(box, none);
    if (error == INLOOP_OK) {
        inloop_release(box, INLOOP_HAND);
    }
    return error;
}

/* Take a block from a process that was stopped while holding it; it will notice when it continues.
   It may be writing the slot after the newest one. So that slot gets a record without effect (a
   copy of the newest one, with no command), and new records follow after it. */
static inline int inloop_take_from_stopped(inloop_mailbox *box, int ring)
{
    inloop_ring *control = inloop_ring_of(box, ring);
    uint64_t owner = __atomic_load_n(&control->owner, __ATOMIC_ACQUIRE);
    if (owner == 0 || owner == box->self || !inloop_stopped(owner) ||
        !__atomic_compare_exchange_n(&control->owner, &owner, box->self, 0, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
        return INLOOP_HELD;
    }
    uint64_t head = __atomic_load_n(&control->head, __ATOMIC_ACQUIRE);
    const uint64_t *from = inloop_slot(box, ring, head);
    uint64_t *to = inloop_slot(box, ring, head + 1);
    const uint64_t words = inloop_stride(&box->layout.rings[ring]) / 8;
    __atomic_store_n(&to[0], 0, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    for (uint64_t k = 1; k < words; k++) {
        const uint64_t word = __atomic_load_n(&from[k], __ATOMIC_RELAXED);
        __atomic_store_n(&to[k], word, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&to[offsetof(inloop_record, status) / 8], INLOOP_NO_COMMAND,
                     __ATOMIC_RELAXED);
    __atomic_store_n(&to[0], head + 1, __ATOMIC_RELEASE);
    /* it may have continued in the meantime, and have been first */
    __atomic_compare_exchange_n(&control->head, &head, head + 1, 0, __ATOMIC_ACQ_REL,
                                __ATOMIC_RELAXED);
    return INLOOP_OK;
}

/* Take a block for one record; waits briefly for others who do the same. */
static inline int inloop_take_briefly(inloop_mailbox *box, int ring)
{
    const struct timespec moment = {0, 100000};
    int error = inloop_take(box, ring);
    for (int tries = 0; error == INLOOP_HELD && tries < 2000; tries++) {
        nanosleep(&moment, NULL);
        error = inloop_take(box, ring);
        if (error == INLOOP_HELD && tries >= 20) {
            error = inloop_take_from_stopped(box, ring);
        }
    }
    return error;
}

/* Write all parameters. Read them with inloop_newest(box, INLOOP_PARAMETERS, ...). */
static inline int inloop_write_parameters(inloop_mailbox *box, const double *parameters)
{
    inloop_record about;
    memset(&about, 0, sizeof about);
    if (!inloop_finite(parameters, box->layout.parameters)) {
        return INLOOP_BAD_VALUE;
    }
    int error = inloop_take_briefly(box, INLOOP_PARAMETERS);
    if (error == INLOOP_OK) {
        const uint64_t number = inloop_publish_briefly(box, INLOOP_PARAMETERS, &about, parameters);
        error = number != 0 ? INLOOP_OK : INLOOP_HELD;
        inloop_release(box, INLOOP_PARAMETERS);
    }
    return error;
}

/* Send a command with inloop_count(box, INLOOP_COMMANDS) values; *sequence: its number, or NULL.
   It is done when statistics.commands_done has reached this number. */
static inline int inloop_send(inloop_mailbox *box, int64_t command, const double *values,
                              uint64_t *sequence)
{
    inloop_record about;
    memset(&about, 0, sizeof about);
    about.status = command;
    int error = inloop_take_briefly(box, INLOOP_COMMANDS);
    if (error == INLOOP_OK) {
        const uint64_t number = inloop_publish_briefly(box, INLOOP_COMMANDS, &about, values);
        error = number != 0 ? INLOOP_OK : INLOOP_HELD;
        inloop_release(box, INLOOP_COMMANDS);
        /* the plant waits for inputs and commands on one bell */
        inloop_ring_bell(box, INLOOP_INPUTS);
        if (sequence != NULL) {
            *sequence = number;
        }
    }
    return error;
}

/* ---- the scripted clock ---- */

/* The loop has used up a grant: wake its waiters. */
static inline void inloop_tell_asleep(const inloop_mailbox *box, uint32_t grant)
{
    inloop_clock *clock = inloop_clock_of(box);
    __atomic_store_n(&clock->asleep, grant, __ATOMIC_SEQ_CST);
    if (__atomic_exchange_n(&clock->waiting, 0, __ATOMIC_SEQ_CST) != 0) {
        syscall(SYS_futex, &clock->asleep, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    }
}

/* Let the plant run until a time of its scripted clock [ns]; returns the number of the grant. */
static inline uint32_t inloop_grant(const inloop_mailbox *box, int64_t limit)
{
    inloop_clock *clock = inloop_clock_of(box);
    __atomic_store_n(&clock->limit, limit, __ATOMIC_SEQ_CST);
    const uint32_t grant = __atomic_add_fetch(&clock->grants, 2, __ATOMIC_SEQ_CST);
    /* the plant waits for time, inputs and commands on one bell */
    inloop_ring_bell(box, INLOOP_INPUTS);
    return grant;
}

static inline int inloop_used_up(uint32_t asleep, uint32_t grant)
{
    return asleep != 0 && (int32_t)(asleep - grant) >= 0;
}

/* Wait until the plant has used up a grant and sleeps; INLOOP_GONE if it has ended, INLOOP_NOTHING
   after `timeout` [s] of the wall clock. */
static inline int inloop_settle(const inloop_mailbox *box, uint32_t grant, double timeout)
{
    const int64_t slice = 100000000;
    inloop_clock *clock = inloop_clock_of(box);
    const int64_t end = inloop_now() + (int64_t)(timeout < 1e9 ? timeout * 1e9 : 1e18);
    for (;;) {
        __atomic_store_n(&clock->waiting, 1, __ATOMIC_SEQ_CST);
        const uint32_t asleep = __atomic_load_n(&clock->asleep, __ATOMIC_SEQ_CST);
        const int64_t left = end - inloop_now();
        if (inloop_used_up(asleep, grant)) {
            return INLOOP_OK;
        }
        if (left <= 0 || inloop_gone(box) == INLOOP_GONE) {
            return left <= 0 ? INLOOP_NOTHING : INLOOP_GONE;
        }
        const struct timespec time = {0, (long)(left < slice ? left : slice)};
        syscall(SYS_futex, &clock->asleep, FUTEX_WAIT, asleep, &time, NULL, 0);
    }
}

#endif /* INLOOP_TYPES_ONLY */

#endif
