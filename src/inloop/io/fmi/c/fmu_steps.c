/* Co-simulation: a whole number of steps of the plant. */
#include <math.h>

#include "fmu.h"

#define OF_A_STEP 1e-3 /* tolerance of an importer's times, which are often accumulated sums */

int fmu_do_step(fmu *instance, double t, double size, fmu_stepped *stepped)
{
    il_instance *plant = instance->plant;
    const double step = fmu_exported.step;
    const double near = OF_A_STEP * step;
    const double from = t - instance->start; /* of the plant */
    const double end = floor((from + size) / step + 0.5);
    *stepped = (fmu_stepped){0, 0, fmu_time(instance)};
    if (!(fabs(from - il_time(plant)) <= near)) {
        return fmu_refuse(instance, "the step begins at t = %.9g s, but the plant is at %.9g s", t,
                          fmu_time(instance));
    }
    if (!(size > 0.0) || !(fabs(from + size - end * step) <= near) || end > 9007199254740992.0) {
        return fmu_refuse(instance,
                          "a communication step of %.9g s at t = %.9g s is not a multiple of the "
                          "plant's own step of %.9g s", size, t, step);
    }
    if (fmu_settle(instance) != FMU_OK) {
        return FMU_ERROR;
    }
    fmu_forget(instance);
    int status = IL_OK;
    while (status == IL_OK && plant->count < (int64_t)end && !stepped->early) {
        const int64_t events = plant->machine.events_lost;
        status = il_advance(plant);
        if (status == IL_OK && plant->machine.events_lost != events && instance->event_mode) {
            stepped->event = 1;
            stepped->early = instance->early_return && plant->count < (int64_t)end;
        }
    }
    stepped->reached = fmu_time(instance);
    return fmu_judge(instance, "a step", status);
}
