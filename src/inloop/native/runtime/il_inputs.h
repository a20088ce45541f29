/* Inputs that are functions of time, as the rates of a mechanism follow them. */
#ifndef IL_INPUTS_H
#define IL_INPUTS_H

#include "il_finite.h"
#include "il_status.h"
#include "il_tape.h"

typedef struct il_inputs {
    void (*run)(il_tape *tape, const double *t); /* il_tape_run, wherever it was linked */
    il_tape *tape;                               /* from time to the inputs that follow it */
    const int64_t *places;                       /* of these in u */
    double *u;                                   /* what the rates read; the others stay */
    int64_t count;
    int64_t bad; /* place of the first one that was not finite, last time; -1 if none was */
    double bad_t;
} il_inputs;

/* Bring u to time t; IL_DIVERGED if an entry is not finite. */
static inline int il_follow(il_inputs *inputs, double t)
{
    int status = IL_OK;
    inputs->run(inputs->tape, &t);
    for (int64_t k = inputs->count - 1; k >= 0; k--) {
        const double x = il_tape_result(inputs->tape, k);
        inputs->u[inputs->places[k]] = x;
        if (il_all_finite(&x, 1)) continue;
        inputs->bad = inputs->places[k];
        inputs->bad_t = t;
        status = IL_DIVERGED;
    }
    return status;
}

#endif
