/* Exact derivatives along a direction, from the generated tangent of the plant. */
#include <string.h>

#include "fmu.h"

int64_t fmu_tangent_room(void)
{
    const fmu_tangent *has = fmu_exported.tangent;
    if (has == NULL) {
        return 0;
    }
    return has->prepared + 4 * has->states + has->varied + 2 * has->observed + has->dependent;
}

int fmu_along_tangent(fmu *instance, const double *dx, const double *du, double *rates,
                      double *outputs, double *room)
{
    const fmu_tangent *has = fmu_exported.tangent;
    const il_plant *table = instance->table;
    const il_part *part = il_present(instance->plant);
    if (has == NULL || part->choice != 0) {
        return 0;
    }
    double *pre = room, *x = pre + has->prepared, *dx_own = x + has->states;
    double *xd = dx_own + has->states, *dxd = xd + has->states, *dg = dxd + has->states;
    double *y = dg + has->varied, *dy = y + has->observed, *dep = dy + has->observed;
    const double *state = instance->plant->machine.x;
    memset(dg, 0, (size_t)has->varied * sizeof *dg);
    for (int64_t k = 0; k < table->input_count; k++) {
        if (has->inputs_at[k] >= 0) {
            dg[has->inputs_at[k]] += du[k];
        } else if (du[k] != 0.0) {
            return 0;
        }
    }
    for (int64_t k = 0; k < has->states; k++) {
        x[k] = state[has->states_at[k]];
        dx_own[k] = dx[has->states_at[k]];
    }
    for (int64_t k = 0; k < has->dependent; k++) {
        dep[k] = state[has->estimates_at[k]];
    }
    has->prepare(instance->parameters, pre);
    const il_variation given = {pre, part->tau, dg, has->units};
    const double t = il_time(instance->plant);
    if (has->slopes(&given, t, part->u, x, dep, dx_own, xd, dxd) != IL_OK ||
        has->observe(&given, t, part->u, x, dep, dx_own, y, dy) != IL_OK) {
        return 0;
    }
    for (int64_t k = 0; k < il_length_outside(&instance->outside); k++) {
        const int64_t at = has->rates_at[k];
        rates[k] = at >= 0 ? dxd[at] : dy[-1 - at];
    }
    for (int64_t k = 0; k < table->output_count; k++) {
        if (has->outputs_at[k] >= 0) {
            outputs[k] = dy[has->outputs_at[k]];
        }
    }
    return 1;
}
