/* Access for hosts of an instance beyond il_plant.h: its memory, its machine, its modes.
 *
 * For batch runs (il_run.h), the real-time loop, and Python, which accesses arrays by name and not
 * the structures.
 */
#ifndef IL_HOST_H
#define IL_HOST_H

#include "il_instance.h"

enum il_array {
    IL_PARAMETERS = 0, /* in use; after a change call il_prepare_again */
    IL_TAU,            /* of a mode: joint efforts */
    IL_U,              /* of a mode: its inputs */
    IL_GIVEN,          /* of a mode: q, qd, qdd of driven joints without a function */
    IL_GUARD,          /* of the choice in use: times reciprocal pivots, valid within 0 to 1 */
    IL_TOLERANCE,      /* of the choice in use: tolerance of Newton's method */
    IL_PULL,           /* of the choice in use: pull of estimates to closure [1/s] */
    IL_SIZES,          /* of a mode: scale of each entry of x */
    IL_TOLERANCES,     /* of a mode: tolerance of each indicator */
    IL_MOST,           /* of the choice in use: bounds of x */
    IL_STATE,          /* x of the current mode */
    IL_PER_UNIT,       /* of the choice in use: one over the unit of each dependent coordinate */
    IL_PATIENCE        /* of a mode: not 0 if a step may take any time, initially 0 */
};

/* An array of an instance, and its length; NULL if unknown. */
IL_EXPORT double *il_array_of(il_instance *instance, int64_t mode, int64_t array, int64_t *count);

IL_EXPORT const il_mode *il_modes_of(const il_instance *instance);

/* Call after parameters were written in place. */
IL_EXPORT void il_prepare_again(il_instance *instance);

/* Not 0: all bounded formulas of these parameters are valid. */
IL_EXPORT int il_within_bounds(const il_plant *plant, const double *values);

/* Set initial parameters without checks. */
IL_EXPORT void il_begin_with(il_instance *instance, const double *values);

/* Begin in a mode, from a stepper state, at t = 0, without history. */
IL_EXPORT int il_begin_at(il_instance *instance, int64_t mode, const double *x);

/* Index of the current mode. */
IL_EXPORT int64_t il_mode_of(const il_instance *instance);

/* Set the maximum number of events in one step. */
IL_EXPORT void il_allow_events(il_instance *instance, int64_t most);

/* il_advance with a log: events, their states as in il_machine.h, and their number. Those beyond
   the capacity are only counted. */
IL_EXPORT int il_advance_logged(il_instance *instance, il_event *events, double *states,
                                int64_t capacity, int64_t *count);

/* Successful steps since the start, and the corresponding time. */
IL_EXPORT void il_set_count(il_instance *instance, int64_t count);

/* Index of the mode for a plant with several, else of the choice of coordinates in use. */
IL_EXPORT int64_t il_aspect_of(const il_instance *instance);

/* Index of the output that left its bounds in a step with IL_OUT_OF_BOUNDS; -1: none. */
IL_EXPORT int64_t il_output_beyond(const il_instance *instance);

/* Let a function write entries of u of a mode from now on. */
IL_EXPORT void il_follow_inputs(il_instance *instance, int64_t mode, il_input_function function,
                                const void *self);

/* The function that moves the driven joints of a mode, and its first argument. */
IL_EXPORT il_motions il_motions_of(const il_instance *instance, int64_t mode, const void **self);

/* Let a function move the driven joints of a mode. */
IL_EXPORT void il_follow_motions(il_instance *instance, int64_t mode, il_motions function,
                                 const void *self);

/* Select a choice of independent coordinates for a mode. */
IL_EXPORT void il_select(il_instance *instance, int64_t mode, int64_t choice);

/* Select a choice that need not be compiled: indices of the dependent coordinates, of the
   independent ones, of the rows in use. IL_BAD_ARGUMENT: it is invalid. */
IL_EXPORT int il_select_roles(il_instance *instance, int64_t mode, const double *roles);
/* Compute and use the best choice at a closed position; IL_LOOP_OPEN if there is none. */
IL_EXPORT int il_choose_at(il_instance *instance, int64_t mode, double t, const double *q);
/* Roles of the choice in use, in the same form. */
IL_EXPORT void il_roles_of(const il_instance *instance, int64_t mode, double *roles);

/* x of a mode from its coordinates; driven joints without a function stay there. Sets the guard:
   the choice is valid as long as the pivots stay close to their values here. */
IL_EXPORT void il_place_at(il_instance *instance, int64_t mode, int64_t guarded, double t,
                           const double *q, const double *qd, const double *z, double *x);

/* For rows of states of a mode: q, qd, qdd, multipliers of the rows in use, efforts; returns the
   number of rows whose loops could be closed. */
IL_EXPORT int64_t il_expand_rows(il_instance *instance, int64_t mode, int64_t count,
                                 const double *t, const double *x, double *q, double *qd,
                                 double *qdd, double *lam, double *effort);

/* Rates of a state of a mode: as in a step, or (exact) unguarded and closed to rounding. */
IL_EXPORT int il_rates_of(il_instance *instance, int64_t mode, int64_t exact, double t,
                          const double *x, double *xd);

IL_EXPORT int il_indicators_of(il_instance *instance, int64_t mode, double t, const double *x,
                               double *g);

/* Number of times that steps were too long for a nearby singular position. */
IL_EXPORT int64_t il_missed_turns(const il_instance *instance);

/* Statistics of Newton's method with redundant coordinates (il_alpha.c): iterations of the last
   step, its last correction in units, and the number of divided steps so far. 0: the mode has none.
   */
IL_EXPORT int64_t il_newton_of(const il_instance *instance, int64_t mode, double *told);

/* Sample the plant's controller at the current time, and hold its outputs. For hosts that step the
   machine themselves; il_advance does it when a sample is due. */
IL_EXPORT int il_sample_now(il_instance *instance);
/* Not 0: stop calling the plant's controller, and let hosts write its inputs. */
IL_EXPORT void il_let_go(il_instance *instance, int64_t let_go);
/* Not 0: the plant's controller writes this input. */
IL_EXPORT int64_t il_leads(const il_instance *instance, int64_t input);
/* Index of the first input for which the controller's last output was not finite; -1: none. */
IL_EXPORT int64_t il_not_finite(const il_instance *instance);

/* The subject of the last failure of a mode; -1: unknown. */
enum il_blame { IL_BAD_INPUT = 0, IL_BAD_DRIVE, IL_BAD_ROW, IL_BEYOND };
IL_EXPORT int64_t il_blame_of(const il_instance *instance, int64_t mode, int64_t about, double *t);

#endif
