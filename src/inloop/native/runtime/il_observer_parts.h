/* What the files of an observer share. Not for users. */
#ifndef IL_OBSERVER_PARTS_H
#define IL_OBSERVER_PARTS_H

#include "il_observer.h"
#include "il_observer_rows.h"

/* of the unit of a state, and of an input: how far to go for a difference */
#define IL_OBSERVER_REACH IL_BY_PRECISION(1e-7, 1e-3)
#define IL_OBSERVER_STEP_REACH IL_BY_PRECISION(1e-5, 1e-2) /* where Newton's method is inside */
#define IL_OBSERVER_PUSH IL_BY_PRECISION(1e-4, 1e-2)

static inline il_part *il_observed_part(const il_observer *o)
{
    return il_present(o->instance);
}

/* Independent coordinates; states of the plant among those of the error; length of x. */
static inline int64_t il_observed_coordinates(const il_observer *o)
{
    return il_in_use(il_observed_part(o))->choice->independent_count;
}

static inline int64_t il_observed_states(const il_observer *o)
{
    return 2 * il_observed_coordinates(o) + il_observed_part(o)->row->states;
}

static inline int64_t il_observed_length(const il_observer *o)
{
    return il_length_of_x(il_observed_part(o)->row);
}

/* Rates of a state, loops closed as well as can be. */
int il_observer_rates(il_observer *o, const double *x, double t, double *xd);

/* What a trial of state j is away from its value, by a share of its size. */
double il_observer_reach(const il_observer *o, int64_t j, double x, double share);

/* What a trial of an input is away from what acts now; found for all inputs where it begins. */
double il_observer_push(const il_observer *o, int64_t input);
void il_observer_find_pushes(il_observer *o);

/* Hold inputs, and let them act with extra states. */
void il_observer_hold(il_observer *o, const double *inputs, const double *extra);
void il_observer_act(il_observer *o, const double *extra);

/* A state of the plant with a change, loops closed at a time. */
int il_observer_moved(il_observer *o, double t, const double *from, const double *delta, double *x);

/* All coordinates and velocities at a state: 2 n numbers. */
int il_observer_motion(il_observer *o, const double *x, double *all);

/* How all coordinates and velocities change with each of the first states of the error, which are those
   of motion: a row each; behind rows for all states, where they are now. */
int il_observer_motion_slopes(il_observer *o, int64_t count, double *rows);

/* Steps of a state to the next sample, with inputs as they act now. */
int il_observer_steps(il_observer *o, double *x);

/* What would be measured at a state. */
int il_observer_expect(il_observer *o, const double *x, const double *extra, double *y);

/* Extra states of the next sample, without their noise. */
void il_observer_wander(const il_observer *o, double *extra);

/* P of the next sample: of the extra states, with their noise; then of all, by o->slopes. */
void il_observer_wander_P(il_observer *o);
void il_observer_carry_P(il_observer *o);

/* P of the next sample, by slopes or by drawn states; x_new is its state. */
int il_predict_extended(il_observer *o, const double *extra);
int il_predict_unscented(il_observer *o, const double *extra);

/* Slopes [F G] of the next sample by states of the plant, extra inputs, pushes; rows of
   il_observer_columns numbers in o->slopes. */
int il_observer_slope_rows(il_observer *o, const double *extra);
static inline int64_t il_observer_columns(const il_observer *o)
{
    return il_observed_states(o) + o->acting + o->pushed_count;
}

/* Is what is measured a state of the plant itself? Its number, or -1. */
int64_t il_observer_plain(const il_observer *o, int64_t measured);
int il_observer_all_plain(const il_observer *o);

/* Rows of H, and y expected now. */
int il_observer_see(il_observer *o);

/* All that was measured, one after the other: rows of H, gains in o->gain, and a change of the
   estimate that is known so far and learns from each; then P without what they told. */
int il_observer_take_in(il_observer *o, const double *measured, double *change);
void il_observer_take_off(il_observer *o, const double *measured);

int il_correct_extended(il_observer *o, const double *measured);
int il_correct_unscented(il_observer *o, const double *measured);
int il_correct_horizon(il_observer *o, const double *measured);

/* The sample that a horizon has come to, with the inputs that were held up to it; before that, room
   for it. */
void il_horizon_append(il_observer *o);
void il_horizon_make_room(il_observer *o);

#endif
