/* Steps of an instance one after the other: nothing leaves the caches in between.
 *
 * each: time of each step, from inputs that are there to outputs that are found [ns]; with `cpu`
 *       that of the thread, which leaves out what the machine does meanwhile.
 * Returns how many of them failed.
 */
#define _POSIX_C_SOURCE 200809L
#include <time.h>

#include "il_plant.h"

IL_EXPORT int64_t bench_hot(il_instance *instance, int64_t count, double *outputs, double *each,
                            int64_t cpu);

static double now(int64_t cpu)
{
    struct timespec time;
    clock_gettime(cpu ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

int64_t bench_hot(il_instance *instance, int64_t count, double *outputs, double *each,
                  int64_t cpu)
{
    int64_t failed = 0;
    for (int64_t k = 0; k < count; k++) {
        const double begin = now(cpu);
        failed += il_advance(instance) != IL_OK || il_outputs(instance, outputs) != IL_OK;
        each[k] = now(cpu) - begin;
    }
    return failed;
}
