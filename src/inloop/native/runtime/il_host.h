/* What hosts of an instance may reach beside il_plant.h: its memory, its machine, its modes.
 *
 * For batch runs (il_run.h), the real-time loop, and Python, which sees arrays by name and no
 * structure.
 */
#ifndef IL_HOST_H
#define IL_HOST_H

#include "il_instance.h"

enum il_array {
    IL_PARAMETERS = 0, /* in use; after a change call il_prepare_again */
    IL_TAU,            /* of a mode: efforts of its joints */
    IL_U,              /* of a mode: its inputs */
    IL_GIVEN,          /* of a mode: q, qd, qdd of driven joints without a function */
    IL_GUARD,          /* of the choice in use: times reciprocal pivots, 0 to 1 while it is good */
    IL_TOLERANCE,      /* of the choice in use: what ends Newton's method */
    IL_PULL,           /* of the choice in use: how fast estimates come to closure [1/s] */
    IL_SIZES,          /* of a mode: one unit of each entry of x */
    IL_TOLERANCES,     /* of a mode: what counts as zero of each indicator */
    IL_MOST,           /* of the choice in use: bounds of x */
    IL_STATE,          /* x of the present mode */
    IL_PER_UNIT,       /* of the choice in use: one over the unit of each dependent coordinate */
    IL_PATIENCE        /* of a mode: not 0 where a step may take any time, 0 at first */
};

/* An array of an instance, and how long it is; NULL for what is not known. */
IL_EXPORT double *il_array_of(il_instance *instance, int64_t mode, int64_t array, int64_t *count);

IL_EXPORT const il_mode *il_modes_of(const il_instance *instance);

/* After parameters were written in place. */
IL_EXPORT void il_prepare_again(il_instance *instance);

/* Not 0: all formulas of these parameters are within their bounds. */
IL_EXPORT int il_within_bounds(const il_plant *plant, const double *values);

/* Parameters to begin with: nothing is tried. */
IL_EXPORT void il_begin_with(il_instance *instance, const double *values);

/* Begin in a mode, at a state of its stepper, at t = 0: nothing has happened yet. */
IL_EXPORT int il_begin_at(il_instance *instance, int64_t mode, const double *x);

/* Number of the present mode. */
IL_EXPORT int64_t il_mode_of(const il_instance *instance);

/* How many events one step may hold. */
IL_EXPORT void il_allow_events(il_instance *instance, int64_t most);

/* il_advance with a log of what happened: events, their states as in il_machine.h, how many are
   logged. Those beyond the capacity are counted only. */
IL_EXPORT int il_advance_logged(il_instance *instance, il_event *events, double *states,
                                int64_t capacity, int64_t *count);

/* Good steps since the start, and the time that belongs to them. */
IL_EXPORT void il_set_count(il_instance *instance, int64_t count);

/* Number of the mode of a plant that has several, else of the choice of coordinates in use. */
IL_EXPORT int64_t il_aspect_of(const il_instance *instance);

/* Number of the output that a step with IL_OUT_OF_BOUNDS would have left its bounds with; -1: none. */
IL_EXPORT int64_t il_output_beyond(const il_instance *instance);

/* Let a function write entries of u of a mode from now on. */
IL_EXPORT void il_follow_inputs(il_instance *instance, int64_t mode, il_input_function function,
                                const void *self);

/* What moves the driven joints of a mode, and what it is handed. */
IL_EXPORT il_motions il_motions_of(const il_instance *instance, int64_t mode, const void **self);

/* Let a function move the driven joints of a mode. */
IL_EXPORT void il_follow_motions(il_instance *instance, int64_t mode, il_motions function,
                                 const void *self);

/* Let a mode use a choice of independent coordinates. */
IL_EXPORT void il_select(il_instance *instance, int64_t mode, int64_t choice);

/* Let a mode use a choice that need not be compiled: numbers of the dependent coordinates, of the
   independent ones, of the rows in use. IL_BAD_ARGUMENT: no such choice can be. */
IL_EXPORT int il_select_roles(il_instance *instance, int64_t mode, const double *roles);
/* Let a mode use the best choice at a closed position, made now; IL_LOOP_OPEN where there is none. */
IL_EXPORT int il_choose_at(il_instance *instance, int64_t mode, double t, const double *q);
/* Roles of the choice in use, in the same form. */
IL_EXPORT void il_roles_of(const il_instance *instance, int64_t mode, double *roles);

/* x of a mode from its coordinates; driven joints without a function stay there. Guarded: the
   choice is good as long as the pivots stay near what they are here. */
IL_EXPORT void il_place_at(il_instance *instance, int64_t mode, int64_t guarded, double t,
                           const double *q, const double *qd, const double *z, double *x);

/* All about rows of states of a mode: q, qd, qdd, multipliers of the rows in use, efforts; the
   number of rows whose loops could be closed. */
IL_EXPORT int64_t il_expand_rows(il_instance *instance, int64_t mode, int64_t count,
                                 const double *t, const double *x, double *q, double *qd,
                                 double *qdd, double *lam, double *effort);

/* Rates of a state of a mode: as a step sees it, or (exact) unguarded and closed to the last bit. */
IL_EXPORT int il_rates_of(il_instance *instance, int64_t mode, int64_t exact, double t,
                          const double *x, double *xd);

IL_EXPORT int il_indicators_of(il_instance *instance, int64_t mode, double t, const double *x,
                               double *g);

/* How often steps were too long for a singular position nearby. */
IL_EXPORT int64_t il_missed_turns(const il_instance *instance);

/* How Newton's method went in the steps of bodies with six coordinates each (il_alpha.c): iterations
   of the last one, its last correction in units, and how many steps had to be divided so far. 0: the
   mode is not of this kind. */
IL_EXPORT int64_t il_newton_of(const il_instance *instance, int64_t mode, double *told);

/* Let the controller of the plant answer at the present time, and hold that. For hosts that step the
   machine themselves; il_advance does it where a sample is due. */
IL_EXPORT int il_sample_now(il_instance *instance);
/* Not 0: the controller of the plant is not called from now on, and hosts write its inputs. */
IL_EXPORT void il_let_go(il_instance *instance, int64_t let_go);
/* Not 0: the controller of the plant leads this input. */
IL_EXPORT int64_t il_leads(const il_instance *instance, int64_t input);
/* Number of the first input that the last answer of the controller was not finite for; -1: none. */
IL_EXPORT int64_t il_not_finite(const il_instance *instance);

/* What the last failure of a mode was about; -1: nothing is known. */
enum il_blame { IL_BAD_INPUT = 0, IL_BAD_DRIVE, IL_BAD_ROW, IL_BEYOND };
IL_EXPORT int64_t il_blame_of(const il_instance *instance, int64_t mode, int64_t about, double *t);

#endif
