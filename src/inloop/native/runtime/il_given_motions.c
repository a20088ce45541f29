#include "il_given_motions.h"

void il_give_motions(const void *self, double t, const double *u, const double *z, double *out)
{
    const il_given_motions *const m = self;
    if (m->model) m->model(m->model_self, t, u, z, out);
    il_tape_run(m->tape, &t);
    for (int64_t row = 0; row < 3; row++)
        for (int64_t k = 0; k < m->count; k++)
            out[row * m->driven + m->places[k]] = il_tape_result(m->tape, row * m->count + k);
}
