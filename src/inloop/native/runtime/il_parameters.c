/* Parameter changes at run time; see il_plant.h. */
#include <string.h>

#include "il_finite.h"
#include "il_host.h"

int il_within_bounds(const il_plant *plant, const double *values)
{
    return plant->broken == NULL || plant->broken(values) == 0;
}

void il_begin_with(il_instance *instance, const double *values)
{
    const size_t bytes = (size_t)instance->plant->parameter_count * sizeof *values;
    memcpy(instance->parameters, values, bytes);
    il_prepare(instance);
}

int64_t il_find_pivots(il_part *part, double t, double *pivots)
{
    il_active *active = il_in_use(part);
    if (active->choice->pivots == NULL) {
        return 0;
    }
    active->choice->pivots(&active->look, t, part->q, pivots);
    return active->choice->dependent_count;
}

int il_same_side(const double *before, const double *now, int64_t count)
{
    int same = il_all_finite(now, count);
    for (int64_t k = 0; k < count; k++) {
        same = same && (now[k] > 0.0) == (before[k] > 0.0);
    }
    return same;
}

int il_set_parameters(il_instance *instance, const double *values)
{
    il_part *part = il_present(instance);
    const double t = il_time(instance), *x = instance->machine.x;
    const size_t bytes = (size_t)instance->plant->parameter_count * sizeof *values;
    double *const pivots = part->pivots, *const before = pivots + part->row->rows;

    if (il_all_equal(instance->parameters, values, instance->plant->parameter_count)) {
        return IL_OK;
    }
    if (!il_within_bounds(instance->plant, values)) {
        return IL_OUT_OF_BOUNDS;
    }
    if (il_in_use(part)->choice->expand == NULL) {
        il_begin_with(instance, values);
        return IL_OK;
    }
    memcpy(instance->parameters_before, instance->parameters, bytes);
    if (il_look_at(part, t, x) == IL_OK) {
        (void)il_find_pivots(part, t, before);
    }
    il_begin_with(instance, values);
    if (il_look_at(part, t, x) == IL_OK &&
        il_same_side(before, pivots, il_find_pivots(part, t, pivots))) {
        return IL_OK;
    }
    il_begin_with(instance, instance->parameters_before);
    return IL_LOOP_OPEN;
}
