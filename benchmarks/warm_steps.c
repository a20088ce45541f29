/* Steps of an instance one after the other: nothing leaves the caches in between.
 *
 * each: time of each step, from inputs that are there to outputs that are found [ns].
 * Returns how many of them failed.
 */
#define _POSIX_C_SOURCE 200809L
#include <time.h>

#include "il_plant.h"

IL_EXPORT int64_t bench_hot(il_instance *instance, int64_t count, double *outputs, double *each);

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

int64_t bench_hot(il_instance *instance, int64_t count, double *outputs, double *each)
{
    int64_t failed = 0;
    for (int64_t k = 0; k < count; k++) {
        const double begin = now();
        failed += il_advance(instance) != IL_OK || il_outputs(instance, outputs) != IL_OK;
        each[k] = now() - begin;
    }
    return failed;
}
