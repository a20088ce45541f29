/* Updates of an observer, each with its own time, as a real-time loop would do them. */
#define _POSIX_C_SOURCE 200809L
#include <time.h>

#include "il_observer.h"

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

typedef int (*half)(il_observer *, const double *);

/* each: time of each update [ns]; rows of `inputs` and `measured` belong to one update. */
IL_EXPORT int bench_updates(half predict, half correct, il_observer *observer, int64_t count,
                            const double *inputs, int64_t input_count, const double *measured,
                            double *each)
{
    int status = IL_OK;
    for (int64_t k = 0; k < count && status == IL_OK; k++) {
        const double before = now_ns();
        status = predict(observer, inputs + k * input_count);
        status = status == IL_OK ? correct(observer, measured + k * observer->measured_count) : status;
        each[k] = now_ns() - before;
    }
    return status;
}
