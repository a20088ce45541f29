/* What a person gives to a run: functions of time, as tapes, for inputs and for driven joints. */
#ifndef IL_GIVEN_H
#define IL_GIVEN_H

#include "il_tape.h"

typedef struct il_given_inputs {
    il_tape *tape;         /* from time to the inputs that follow it */
    const int64_t *places; /* of these in u */
    int64_t count;
} il_given_inputs;

/* Bring the given inputs to time t; the others stay as they are. An il_input_function. */
IL_EXPORT void il_give_inputs(const void *self, double t, double *u);

typedef struct il_given_motions {
    /* the motion of all driven joints as the model has it; NULL if all of them are given */
    void (*model)(const void *self, double t, const double *u, const double *z, double *out);
    const void *model_self;
    il_tape *tape;         /* from time to q of the given ones, then their qd, then their qdd */
    const int64_t *places; /* of the given ones among the driven joints */
    int64_t count, driven; /* number of the given ones, of all */
} il_given_motions;

/* q of all driven joints in a row, then their qd, then their qdd; called as generated code is. */
IL_EXPORT void il_give_motions(const void *self, double t, const double *u, const double *z,
                               double *out);

#endif
