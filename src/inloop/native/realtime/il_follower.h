/* An observer that follows records of outputs: inside the loop of a plant, or next to it.
 *
 * Each record contains its time, the measurements, and the inputs that were held until then. When a
 * sample is due the observer predicts and corrects; its outputs then hold until the next one:
 *
 *     estimates     of coordinates, velocities and states of the plant, then of extra states
 *     deviations    of coordinates, velocities, states of laws, extra states
 *     innovations   of the measurements; NaN for those not used
 *     figures       see il_follower_figure
 *
 * The observer restarts, from its initial estimate and covariance, at a record that was set (start,
 * reset, restored state), at a record whose time has gone back or is too far ahead, and at the
 * record after a failed update; until then its outputs are NaN. Missing records are bridged: at
 * their samples there are no measurements. A record whose time has not advanced, such as that of a
 * failed step, changes nothing.
 *
 * Sensors may be late by whole samples; estimates are still those of the current time, see
 * il_late.h.
 *
 * Nothing here allocates, waits or calls the system. Inside a loop no record is ever lost, so a
 * record costs at most one update, plus a prediction for each sample by which a sensor is late.
 */
#ifndef IL_FOLLOWER_H
#define IL_FOLLOWER_H

#include "il_observer.h"

enum il_follower_figure {
    IL_TOLD_NIS = 0,      /* normalized innovation squared */
    IL_TOLD_USED = 1,     /* number of measurements used */
    IL_TOLD_LOST = 2,     /* number of missing samples */
    IL_TOLD_RESTARTS = 3, /* number of automatic restarts */
    IL_TOLD_STATUS = 4,   /* of the last update, see il_status.h */
    IL_TOLD_FIGURES = 5
};

typedef struct il_follower {
    /* set by the caller */
    il_observer *observer;       /* must not be shared, nor its instance */
    double *memory;              /* il_observer_room numbers */
    const double *start;         /* snapshot of its instance at the start */
    const double *inputs_start;  /* inputs of its plant there */
    const double *doubt;         /* variance of each state there */
    const int64_t *measured_at;  /* position of each measurement in a record */
    const int64_t *inputs_at;    /* position of each input of its plant; -1: constant */
    double period;               /* between records [s] */
    int64_t every;               /* records per sample */
    int64_t most_lost;           /* missing samples after which it restarts */
    const int64_t *late;         /* delay of each measurement [samples] */
    int64_t most_late;           /* the maximum of these; 0: `late` is not read */
    int64_t told_states;         /* number of plant outputs that are estimates: q, qd, all states */
    int64_t told_count;          /* il_follower_count */
    double *scratch;             /* il_follower_scratch numbers */

    /* outputs: told_count numbers of scratch */
    double *told;

    /* how it went */
    int64_t lost, restarts;      /* as in the outputs */
    double squares;              /* sum of NIS over all samples */
    int64_t used;                /* number of measurements in this sum */
    int64_t idle;                /* records since a measurement was last used */

    /* private */
    double *y, *u, *outputs;
    double *rows, *at_hand, *kept;           /* see il_late.c */
    int64_t row_count, row_first, samples;
    double last;                 /* time of the last record [s] */
    int64_t passed;              /* records since the start */
    int64_t begun;
} il_follower;

/* Number of its outputs, and length of its memory. */
IL_EXPORT int64_t il_follower_count(const il_follower *follower);
IL_EXPORT int64_t il_follower_scratch(const il_follower *follower);

/* Take its memory; `told` is set to NaN. */
IL_EXPORT void il_follower_begin(il_follower *follower);

/* Process a record of outputs, t first. set: not 0 if the state was set. Returns the status of the
   update. */
IL_EXPORT int il_follow_record(il_follower *follower, const double *record, int was_set);

#endif
