/* The choice of independent coordinates: taken into use, and changed when it becomes a bad one.
 *
 * Offline, inloop.simulate chooses anew and compiles; here only choices that are compiled already
 * can be taken.
 */
#include "il_loop.h"

#include <math.h>

/* over a singular position, as in inloop.simulate */
enum { STEPS_UNGUARDED = 3 };

/* Largest reciprocal pivot of a partition at a position; infinite where it cannot be used. */
static double worst_of(il_loop *loop, const il_partition *partition, const double *q)
{
    double worst = 0.0;
    partition->pivots(partition->system.context, il_time_of(loop, 0), q, loop->pivot_values);
    for (int64_t k = 0; k < partition->dependent_count; k++) {
        const double size = fabs(loop->pivot_values[k]);
        if (!inloop_finite(&size, 1)) {
            return HUGE_VAL;
        }
        worst = size > worst ? size : worst;
    }
    return worst;
}

static void use(il_loop *loop, int64_t number)
{
    const il_partition *partition = &loop->partitions[number];
    loop->partition = number;
    loop->system = loop->stepper.system = partition->system;
    loop->sources = partition->sources;
}

/* The pivots may shrink by so much from what they are at this position. */
static void set_limits(il_loop *loop, const double *q)
{
    const il_partition *partition = &loop->partitions[loop->partition];
    (void)worst_of(loop, partition, q);
    for (int64_t k = 0; k < partition->dependent_count; k++) {
        partition->limits[k] = loop->worst_pivot * fabs(loop->pivot_values[k]);
    }
}

static void remove_limits(il_loop *loop)
{
    const il_partition *partition = &loop->partitions[loop->partition];
    for (int64_t k = 0; k < partition->dependent_count; k++) {
        partition->limits[k] = HUGE_VAL;
    }
}

void il_set_state(il_loop *loop, int64_t number, const double *x)
{
    memcpy(loop->x, x, (size_t)loop->stepper.size * sizeof *x);
    loop->unguarded = 0;
    if (loop->partition_count == 0) {
        return;
    }
    use(loop, number);
    remove_limits(loop);
    if (il_refresh(loop, 0) == IL_OK) {
        set_limits(loop, loop->partitions[number].q);
    }
}

void il_step_over(il_loop *loop)
{
    remove_limits(loop);
    loop->unguarded = STEPS_UNGUARDED;
}

void il_watch_partition(il_loop *loop)
{
    if (loop->unguarded > 0 && --loop->unguarded == 0) {
        set_limits(loop, loop->partitions[loop->partition].q);
    }
}

int il_change_partition(il_loop *loop)
{
    /* where the last good state is */
    if (loop->partition_count < 2 || il_refresh(loop, 0) != IL_OK) {
        return 0;
    }
    const il_partition *old = &loop->partitions[loop->partition];
    int64_t best = loop->partition;
    double least = worst_of(loop, old, old->q);
    for (int64_t k = 0; k < loop->partition_count; k++) {
        const il_partition *other = &loop->partitions[k];
        const double worst = other == old ? least : worst_of(loop, other, old->q);
        if (worst < least) {
            best = k;
            least = worst;
        }
    }
    if (best == loop->partition) {
        return 0;
    }
    /* x = (q, qd of independent coordinates, z, q of dependent ones) */
    const il_partition *new = &loop->partitions[best];
    const int64_t n = old->system.n, z = 2 * n, states = old->system.m - old->dependent_count;
    for (int64_t k = 0; k < n; k++) {
        loop->x[k] = old->q[new->independent[k]];
        loop->x[n + k] = old->qd[new->independent[k]];
    }
    for (int64_t k = 0; k < new->dependent_count; k++) {
        loop->x[z + states + k] = old->q[new->dependent[k]];
    }
    use(loop, best);
    set_limits(loop, old->q);
    return 1;
}
