/* An observer: what the states of a plant are, as far as measurements tell.
 *
 * An estimate x of the state of a plant, and the covariance P of its error. The error lives in the
 * tangent space of the plant: changes of the independent coordinates, of their velocities, of the
 * states of force laws, and of extra states, in this order. A change of a ball joint is a turn in the
 * axes of its body. x with a change is a state whose loops are closed, so that every estimate is
 * a position that the mechanism can have.
 *
 * Extra states are what the plant does not know of: efforts that act beside its inputs, offsets of
 * sensors. An extra state s becomes  keeps s + period rate + noise  at each sample, and acts with this
 * value on the step that follows it, and on what is measured at the end of that step. Copies of one
 * are what it was some samples ago as known now, which is better than as known then: a smoother with
 * a fixed lag.
 *
 *     il_observer_predict(o, u);    the plant's own steps to the next sample, inputs u held
 *     il_observer_correct(o, y);    what was measured there; NaN: this one is missing
 *
 * Nothing here allocates or keeps anything outside the observer and its instance, of which no
 * one else may make use. A call that fails leaves x, P and extra states as they were.
 */
#ifndef IL_OBSERVER_H
#define IL_OBSERVER_H

#include "il_host.h"

enum il_observer_kind {
    IL_EXTENDED = 0,  /* Kalman filter with the slopes at the estimate */
    IL_UNSCENTED = 1, /* Kalman filter with states drawn about the estimate */
    IL_HORIZON = 2    /* the run of the last samples that fits best, see il_horizon.c */
};

enum il_extra_kind {
    IL_ADDS_TO_INPUT = 0,
    IL_ADDS_TO_MEASURED = 1,
    IL_RATE_OF_EXTRA = 2, /* of an extra state before it */
    IL_COPY_OF_EXTRA = 3  /* what an extra state before it was one sample ago */
};

typedef struct il_extra {
    int64_t kind;   /* see il_extra_kind */
    int64_t number; /* of the input, of what is measured, of the extra state */
    double keeps;   /* what is left of it after a sample: 1 it wanders, 0 it is new each time */
    double wanders; /* variance of its noise from sample to sample; a copy has none of both */
} il_extra;

/* One side of a bound of a state, on all of a horizon: side (state - limit) >= 0. */
typedef struct il_state_bound {
    int64_t state;  /* its number among those of the error */
    double side;    /* 1: limit is the least value, -1: the largest one */
    double limit;
} il_state_bound;

/* A horizon: nodes, of which the first is the oldest sample. Private. */
typedef struct il_window {
    int64_t count;            /* of nodes */
    int64_t choices;          /* of the observer, as the nodes have their coordinates */
    double t;                 /* of the first one [s] */
    double *x, *extra;        /* states of the nodes */
    double *y, *u;            /* what was measured at them, inputs held up to them */
    double *tail_x, *tail_extra, *tail_P; /* what is known of the first one from before it */
    double *P;                /* covariances before anything is measured at a node */
    double *slopes;           /* [F G] from each node to the next */
    double *off;              /* where the step from a node leads, from the next node */
    double *H, *gain, *square, *miss; /* of each that is measured; square 0: there is none */
    double *news;             /* innovations of a pass */
    double *first;            /* those of the last node in the first pass, and their variances */
    double *mean;             /* changes of nodes, as known before they are measured */
    double *change;           /* of nodes, as all samples tell */
    double *pull;             /* on nodes, by bounds */
    double *adjoint, *along;  /* of the size of the error */
    double *kept_x, *kept_extra, *kept_P; /* the estimate before a correction */
    double *answers, *factor, *lack, *force, *trial; /* of bounds, see il_horizon_bounds.c */
    int64_t *chosen;
} il_window;

typedef struct il_observer {
    /* set by the caller */
    il_instance *instance;
    int64_t kind;             /* see il_observer_kind */
    int64_t method;           /* of the steps, see il_method_id */
    double step;              /* [s] */
    int64_t substeps;         /* from sample to sample */
    const int64_t *measured;  /* numbers of outputs */
    const double *noise;      /* variance of each, > 0 */
    int64_t measured_count;
    const il_extra *extras;
    int64_t extra_count;
    const int64_t *pushed;    /* inputs beside which noise acts that is new at each sample */
    const double *push;       /* variance of each */
    int64_t pushed_count;
    const double *moved;      /* variance of what moves each state of the error at a sample */
    double gate;              /* measurements farther off than so many deviations are left out;
                                 0: none is */
    double spread;            /* of the drawn states, in parts of sqrt(size) deviations */
    int64_t horizon;          /* samples that IL_HORIZON looks back on, > 0 */
    const il_state_bound *bounds; /* of IL_HORIZON */
    int64_t bound_count;
    int64_t generated;        /* not 0: slopes of the rates of a tree are the generated ones, where
                                 they are compiled in; else differences */

    /* the estimate, in and out */
    double t;                 /* [s] */
    double *x;                /* as the stepper has it, for the choice of coordinates in use */
    double *extra;            /* extra states */
    double *P;                /* row-major, size² */
    int64_t size;             /* of the error */
    int64_t choices;          /* how often the independent coordinates have changed */

    /* about the last correction */
    double *innovation;       /* what was measured less what was expected; NaN: left out */
    double *expected_square;  /* variance of each of these, as if it came after those before it */
    double nis;               /* innovations squared, in units of their covariance */
    int64_t used;             /* measurements that were used */
    int64_t far;              /* that were left out because they were too far off */

    /* private */
    il_stepper stepper;
    int64_t acting;           /* extra states that add to inputs */
    double *held;             /* inputs as told */
    double *pushes;           /* by input: how far to go for a difference */
    double *x_new, *x_trial, *extra_trial, *rates, *rates_trial;
    double *delta;            /* of the size of the error */
    double *A, *slopes, *carried, *FT, *Y; /* see il_observer_extended.c */
    double *H, *y, *y_trial, *gain;
    double *points, *points_extra, *deltas, *seen, *L, *Pyy; /* see il_observer_unscented.c */
    double *all_before;       /* for a change of coordinates */
    il_window window;
} il_observer;

/* Numbers that an observer needs in memory of its caller, aligned to IL_ALIGNMENT; -1: its plant, its
   method or a number make no sense. */
IL_EXPORT int64_t il_observer_room(const il_observer *observer);

/* Take that memory. The state of the instance becomes the estimate, extra states and P are 0. */
IL_EXPORT int il_observer_begin(il_observer *observer, double *memory);

/* After the instance has chosen its coordinates anew, by a snapshot that was restored. */
IL_EXPORT int il_observer_renew(il_observer *observer);

/* All inputs of the plant as they were held up to the first sample; as they begin by default. */
IL_EXPORT void il_observer_set_inputs(il_observer *observer, const double *inputs);

/* To the next sample, with all inputs of the plant as they are held until then. */
IL_EXPORT int il_observer_predict(il_observer *observer, const double *inputs);

/* What was measured now. */
IL_EXPORT int il_observer_correct(il_observer *observer, const double *measured);

/* All outputs of the plant as estimated, inputs with their extra states. */
IL_EXPORT int il_observer_outputs(il_observer *observer, double *values);

/* Standard deviations of all coordinates, then of all velocities; those that are dependent follow
   from the others. */
IL_EXPORT int il_observer_deviations(il_observer *observer, double *deviations);

/* Carry a state x with its extra states to the next sample, without any noise. */
IL_EXPORT int il_observer_carry(il_observer *observer, const double *inputs, double *x,
                                double *extra);

/* Slopes about the estimate: errors at the next sample by those of now, covariance of what is added
   on the way (both of the size of P); what is measured now, by errors (rows), and its value. */
IL_EXPORT int il_observer_slopes(il_observer *observer, const double *inputs, double *F, double *Q);
IL_EXPORT int il_observer_sight(il_observer *observer, double *H, double *expected);

/* x with a change of the size of the error, loops closed; extra states are changed too. */
IL_EXPORT int il_observer_move(il_observer *observer, const double *delta, double *x,
                               double *extra);
/* The change that leads from x to another state. */
IL_EXPORT void il_observer_apart(const il_observer *observer, const double *x, const double *other,
                                 double *delta);

#endif
