/* Model exchange: the importer integrates, see il_outside.h. */
#include <math.h>
#include <stdio.h>

#include "fmu.h"
#include "il_finite.h"

enum { MANY = 200 }; /* evaluations of rates within one step of an importer */

static int wrong_count(const fmu *instance, const double *numbers, size_t count, int64_t right)
{
    if (count == (size_t)right && (numbers || count == 0)) {
        return FMU_OK;
    }
    return fmu_refuse(instance, "%lld numbers are given, but %lld are needed",
                      numbers ? (long long)count : 0LL,
                      (long long)right);
}

int fmu_set_time(fmu *instance, double t)
{
    if (!isfinite(t)) {
        return fmu_refuse(instance, "the time would not be finite");
    }
    il_put_outside(&instance->outside, t - instance->start, instance->plant->machine.x);
    fmu_forget(instance);
    return FMU_OK;
}

int fmu_set_states(fmu *instance, const double *x, size_t count)
{
    if (wrong_count(instance, x, count, fmu_state_count(instance)) != FMU_OK) {
        return FMU_ERROR;
    }
    if (!il_all_finite(x, (int64_t)count)) {
        return fmu_refuse(instance, "a state would not be finite");
    }
    il_put_outside(&instance->outside, il_time(instance->plant), x);
    fmu_forget(instance);
    return FMU_OK;
}

int fmu_get_states(fmu *instance, double *x, size_t count)
{
    const int64_t length = il_length_outside(&instance->outside);
    if (wrong_count(instance, x, count, fmu_state_count(instance)) != FMU_OK ||
        fmu_settle(instance) != FMU_OK) {
        return FMU_ERROR;
    }
    for (int64_t k = 0; k < (int64_t)count; k++) {
        x[k] = k < length ? instance->plant->machine.x[k] : 0.0;
    }
    return FMU_OK;
}

int fmu_get_rates(fmu *instance, double *xd, size_t count)
{
    if (wrong_count(instance, xd, count, fmu_state_count(instance)) != FMU_OK ||
        fmu_find_rates(instance) != FMU_OK) {
        return FMU_ERROR;
    }
    il_copy(xd, instance->outside.xd, (int64_t)count);
    return FMU_OK;
}

int fmu_get_levels(fmu *instance, double *levels, size_t count)
{
    if (wrong_count(instance, levels, count, fmu_level_count(instance)) != FMU_OK ||
        fmu_find_levels(instance) != FMU_OK) {
        return FMU_ERROR;
    }
    il_copy(levels, instance->outside.levels, (int64_t)count);
    return FMU_OK;
}

int fmu_get_nominals(fmu *instance, double *nominals, size_t count)
{
    const il_part *part = il_present(instance->plant);
    const int64_t length = il_length_outside(&instance->outside);
    if (wrong_count(instance, nominals, count, fmu_state_count(instance)) != FMU_OK) {
        return FMU_ERROR;
    }
    for (int64_t k = 0; k < (int64_t)count; k++) {
        nominals[k] = k < length ? part->sizes[k] : 1.0;
    }
    return FMU_OK;
}

void fmu_watch(fmu *instance)
{
    instance->evaluations += instance->exchange;
    if (instance->evaluations == 0 || instance->evaluations % MANY != 0 || instance->singular_told || !instance->tell ||
        !il_singular_outside(&instance->outside)) {
        return;
    }
    char line[300];
    (void)snprintf(line, sizeof line, "t = %.9g s: %lld evaluations of derivatives since the last "
                   "completed step: kinematic loops are near a singular position, where motion has "
                   "several branches. Co-simulation steps over it; so may a solver with a larger "
                   "tolerance", fmu_time(instance), (long long)instance->evaluations);
    instance->tell(instance, FMU_WARNING, line);
    instance->singular_told = 1;
}

int fmu_completed(fmu *instance, int *event)
{
    instance->evaluations = instance->singular_told = 0;
    if (fmu_settle(instance) != FMU_OK) {
        return FMU_ERROR;
    }
    const int status = il_done_outside(&instance->outside);
    *event = instance->outside.wanted != 0;
    instance->levels_known = 0;
    return fmu_judge(instance, "a completed step", status);
}

int fmu_update(fmu *instance, il_happened *happened)
{
    if (fmu_settle(instance) != FMU_OK) {
        return FMU_ERROR;
    }
    const int status = il_happen_outside(&instance->outside, happened);
    happened->next += instance->start;
    fmu_forget(instance);
    return fmu_judge(instance, "an event", status);
}
