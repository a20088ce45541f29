/* Single steps of a method, each with its own time, as a real-time loop would do them. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <time.h>

#include "il_stepper.h"

static double now_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Steps of length h from x, with row k of `torques` (n numbers) as efforts of step k.
 *
 * each: shortest time of each step so far [ns], kept if it is shorter already; may be NULL.
 * total: CPU time of this thread for all steps [ns]; to be read without `each`.
 * Returns the status of the last step; x is where it got to.
 */
IL_EXPORT int bench_steps(const il_system *system, int64_t method, double *work, int64_t *pivots,
                          double h, int64_t steps, const double *torques, double *tau, double *x,
                          double *each, double *total)
{
    il_stepper stepper;
    int status = il_stepper_init(&stepper, system, method, work, pivots);
    const size_t row = (size_t)system->n;
    const double begin = now_ns(CLOCK_THREAD_CPUTIME_ID);

    for (int64_t k = 0; k < steps && status == IL_OK; k++) {
        memcpy(tau, torques + (size_t)k * row, row * sizeof *tau);
        if (each) {
            const double before = now_ns(CLOCK_MONOTONIC);
            status = il_step(&stepper, (double)k * h, h, x);
            const double time = now_ns(CLOCK_MONOTONIC) - before;
            each[k] = time < each[k] ? time : each[k];
        } else {
            status = il_step(&stepper, (double)k * h, h, x);
        }
    }
    *total = now_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
    return status;
}
