/* Inputs that are functions of time, as the rates of a mechanism follow them. */
#ifndef IL_INPUTS_H
#define IL_INPUTS_H

#include <stdint.h>

#include "il_finite.h"
#include "il_status.h"

/* Bring those entries of u that follow time to it; the others stay as they are. */
typedef void (*il_input_function)(const void *self, double t, double *u);

typedef struct il_inputs {
    il_input_function function;
    const void *self; /* handed to it */
    double *u;        /* what the rates read */
    int64_t count;
    int64_t bad; /* the first entry that was not finite, last time; -1 if there was none */
    double bad_t;
} il_inputs;

/* Bring u to time t; IL_DIVERGED if an entry is not finite. */
static inline int il_follow(il_inputs *inputs, double t)
{
    inputs->function(inputs->self, t, inputs->u);
    if (il_all_finite(inputs->u, inputs->count)) {
        return IL_OK;
    }
    for (int64_t k = inputs->count - 1; k >= 0; k--) {
        inputs->bad = il_all_finite(inputs->u + k, 1) ? inputs->bad : k;
    }
    inputs->bad_t = t;
    return IL_DIVERGED;
}

#endif
