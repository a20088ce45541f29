/* Inputs and driven joints that follow a tape (il_given.h). */
#include "il_given.h"

void il_give_inputs(const void *self, double t, double *u)
{
    const il_given_inputs *const given = self;
    il_tape_run(given->tape, &t);
    for (int64_t k = 0; k < given->count; k++)
        u[given->places[k]] = il_tape_result(given->tape, k);
}

void il_give_motions(const void *self, double t, const double *u, const double *z, double *out)
{
    const il_given_motions *const given = self;
    if (given->model) given->model(given->model_self, t, u, z, out);
    il_tape_run(given->tape, &t);
    for (int64_t row = 0; row < 3; row++)
        for (int64_t k = 0; k < given->count; k++)
            out[row * given->driven + given->places[k]] =
                il_tape_result(given->tape, row * given->count + k);
}
