/* One contact problem solved again and again: the shortest time of the thread. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <time.h>

#include "il_contact_solver.h"

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* CPU time of one solution from `start` [ns]: the least of `rounds` means over `repeats`. */
IL_EXPORT double bench_contacts(const il_contact_problem *problem, const il_contact_effort *effort,
                                const double *start, double *r, double *work, int64_t rounds,
                                int64_t repeats, il_contact_report *report)
{
    const size_t bytes = (size_t)problem->first[problem->count] * sizeof *r;
    double best = 1e300;

    for (int64_t round = 0; round < rounds; round++) {
        const double begin = now_ns();
        for (int64_t k = 0; k < repeats; k++) {
            memcpy(r, start, bytes);
            (void)il_contact_solve(problem, effort, r, work, report);
        }
        const double time = (now_ns() - begin) / (double)repeats;
        best = time < best ? time : best;
    }
    return best;
}
