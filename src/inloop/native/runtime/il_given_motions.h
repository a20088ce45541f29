/* Driven joints some of which follow what a person gives to a run, in place of the model's motion. */
#ifndef IL_GIVEN_MOTIONS_H
#define IL_GIVEN_MOTIONS_H

#include "il_tape.h"

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
