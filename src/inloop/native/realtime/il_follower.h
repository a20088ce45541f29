/* An observer that follows records of outputs: inside the loop of a plant, or beside it.
 *
 * Each record tells its time, what was measured, and the inputs that were held up to it. Where a
 * sample is due the observer predicts and corrects; what it tells then holds until the next one:
 *
 *     estimates     of coordinates, velocities and states of the plant, then of extra states
 *     deviations    of coordinates, velocities, states of laws, extra states
 *     innovations   of what is measured; NaN where it was left out
 *     figures       see il_follower_figure
 *
 * A record that was set (start, reset, restored state) begins anew: the estimate is where the
 * observer starts, with its first doubt. So does one whose time was set back or is too far ahead, and
 * the record after an update that failed; until then nothing is told (NaN). Records that never came
 * are bridged: at their samples nothing was measured. A record whose time has not passed on, such
 * as that of a step that failed, changes nothing.
 *
 * Sensors may come late by whole samples; estimates are of now all the same, see il_late.h.
 *
 * Nothing here allocates, waits or calls the system. Inside a loop no record is ever lost, so that
 * a record costs one update at most, and a prediction for each sample by which a sensor is late.
 */
#ifndef IL_FOLLOWER_H
#define IL_FOLLOWER_H

#include "il_observer.h"

enum il_follower_figure {
    IL_TOLD_NIS = 0,      /* innovations squared, in units of their covariance */
    IL_TOLD_USED = 1,     /* measurements that were used */
    IL_TOLD_LOST = 2,     /* samples that never came */
    IL_TOLD_RESTARTS = 3, /* times that it began anew by itself */
    IL_TOLD_STATUS = 4,   /* of the last update, see il_status.h */
    IL_TOLD_FIGURES = 5
};

typedef struct il_follower {
    /* set by the caller */
    il_observer *observer;       /* nobody else may use it or its instance */
    double *memory;              /* il_observer_room numbers */
    const double *start;         /* snapshot of its instance where it begins */
    const double *inputs_start;  /* inputs of its plant there */
    const double *doubt;         /* variance of each state there */
    const int64_t *measured_at;  /* where a record holds each that is measured */
    const int64_t *inputs_at;    /* and each input of its plant; -1: it stays as it is */
    double period;               /* between records [s] */
    int64_t every;               /* records from sample to sample */
    int64_t most_lost;           /* samples; where more are lost it begins anew */
    const int64_t *late;         /* samples by which each that is measured comes late */
    int64_t most_late;           /* the largest of these; 0: late is not read */
    int64_t told_states;         /* outputs of its plant that are estimates: q, qd, all states */
    int64_t told_count;          /* il_follower_count */
    double *scratch;             /* il_follower_scratch numbers */

    /* what it tells: told_count numbers of scratch */
    double *told;

    /* how it went */
    int64_t lost, restarts;      /* as told */
    double squares;              /* sum of NIS over all samples */
    int64_t used;                /* measurements that this is about */
    int64_t idle;                /* records since one was used */

    /* private */
    double *y, *u, *outputs;
    double *rows, *at_hand, *kept;           /* see il_late.c */
    int64_t row_count, row_first, samples;
    double last;                 /* time of the last record [s] */
    int64_t passed;              /* records since it began */
    int64_t begun;
} il_follower;

/* Numbers that it tells, and those of its memory. */
IL_EXPORT int64_t il_follower_count(const il_follower *follower);
IL_EXPORT int64_t il_follower_scratch(const il_follower *follower);

/* Take its memory; told is NaN. */
IL_EXPORT void il_follower_begin(il_follower *follower);

/* A record of outputs, t first. Not 0: it was set. Returns the status of the update. */
IL_EXPORT int il_follow_record(il_follower *follower, const double *record, int was_set);

#endif
