/* Functions of time given for a run, as tapes, for inputs and driven joints. */
#ifndef IL_GIVEN_H
#define IL_GIVEN_H

#include "il_tape.h"

typedef struct il_given_inputs {
    il_tape *tape;         /* maps time to the inputs that follow it */
    const int64_t *places; /* their indices in u */
    int64_t count;
} il_given_inputs;

/* Evaluate the given inputs at time t; others are unchanged. An il_input_function. */
IL_EXPORT void il_give_inputs(const void *self, double t, double *u);

typedef struct il_given_motions {
    /* the model's own motion of all driven joints; NULL if all of them are given */
    void (*model)(const void *self, double t, const double *u, const double *z, double *out);
    const void *model_self;
    il_tape *tape;         /* maps time to q of the given ones, then their qd, then their qdd */
    const int64_t *places; /* indices of the given ones among the driven joints */
    int64_t count, driven; /* number of given ones, of all */
} il_given_motions;

/* q of all driven joints, then their qd, then their qdd; called like generated code. */
IL_EXPORT void il_give_motions(const void *self, double t, const double *u, const double *z,
                               double *out);

#endif
