/* Time-dependent inputs of the rates of a mechanism. */
#ifndef IL_INPUTS_H
#define IL_INPUTS_H

#include <stdint.h>

#include "il_finite.h"
#include "il_status.h"

/* Update the time-dependent entries of u; the others are unchanged. */
typedef void (*il_input_function)(const void *self, double t, double *u);

typedef struct il_inputs {
    il_input_function function;
    const void *self; /* passed to it */
    double *u;        /* inputs read by the rates */
    int64_t count;
    int64_t bad; /* the first entry that was not finite in the last call; -1 if none */
    double bad_t;
} il_inputs;

/* Update u to time t; IL_DIVERGED if an entry is not finite. */
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
