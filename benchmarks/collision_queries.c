/* Queries of two shapes at many poses: CPU time of the thread. */
#define _POSIX_C_SOURCE 200809L
#include <time.h>

#include "il_collision.h"

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Mean time of a query [ns], the least of `rounds`; `touches`: found in all of them. */
IL_EXPORT double bench_collision(const il_shape *a, const il_shape *b, const il_pose *poses,
                                 int64_t count, double margin, int64_t rounds, int64_t *touches)
{
    double best = 1e300;
    il_spots found;

    for (int64_t round = 0; round < rounds; round++) {
        const double begin = now_ns();
        *touches = 0;
        for (int64_t k = 0; k < count; k++) {
            il_collide(a, b, poses + k, margin, &found);
            *touches += found.count;
        }
        const double time = (now_ns() - begin) / (double)count;
        best = time < best ? time : best;
    }
    return best;
}
