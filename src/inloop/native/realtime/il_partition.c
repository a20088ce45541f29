/* The choice of independent coordinates, changed when it becomes a bad one.
 *
 * Offline, inloop.simulate chooses anew and compiles; here only choices that are compiled already
 * can be taken.
 */
#include "il_loop.h"

#include <math.h>

/* over a singular position, as in inloop.simulate */
enum { STEPS_UNGUARDED = 3 };

/* Largest reciprocal pivot of a choice at a position; infinite where it cannot be used. */
static double worst_of(il_loop *loop, const il_aspect *aspect, const double *q)
{
    double worst = 0.0;
    aspect->pivots(aspect->system.context, il_time_of(loop, 0), q, loop->pivots);
    for (int64_t k = 0; k < aspect->dependent_count; k++) {
        const double size = fabs(loop->pivots[k]);
        if (!inloop_finite(&size, 1)) {
            return HUGE_VAL;
        }
        worst = size > worst ? size : worst;
    }
    return worst;
}

/* The pivots may shrink by so much from what they are at this position, and keep their signs. */
static void set_guard(il_loop *loop, const double *q)
{
    const il_aspect *aspect = &loop->aspects[loop->aspect];
    (void)worst_of(loop, aspect, q);
    for (int64_t k = 0; k < aspect->dependent_count; k++) {
        aspect->guard[k] = 1.0 / (loop->worst_pivot * loop->pivots[k]);
    }
    *aspect->tolerance = loop->tolerances[0];
    loop->unguarded = 0;
}

void il_step_over(il_loop *loop)
{
    const il_aspect *aspect = &loop->aspects[loop->aspect];
    for (int64_t k = 0; k < aspect->dependent_count; k++) {
        aspect->guard[k] = 0.0;
    }
    *aspect->tolerance = loop->tolerances[1];
    loop->unguarded = STEPS_UNGUARDED;
}

void il_watch_partition(il_loop *loop)
{
    if (loop->unguarded > 0 && --loop->unguarded == 0) {
        set_guard(loop, loop->aspects[loop->aspect].expanded[0]);
    }
}

/* The choice with the best pivots at a position. */
static int64_t best_choice(il_loop *loop, const double *q)
{
    int64_t best = loop->aspect;
    double least = worst_of(loop, &loop->aspects[best], q);
    for (int64_t k = 0; k < loop->aspect_count; k++) {
        const double worst = k == loop->aspect ? least : worst_of(loop, &loop->aspects[k], q);
        if (worst < least) {
            best = k;
            least = worst;
        }
    }
    return best;
}

int il_change_partition(il_loop *loop)
{
    const il_aspect *old = &loop->aspects[loop->aspect];
    const double *q = old->expanded[0], *qd = old->expanded[1];
    double *x = loop->machine->x;

    /* where the last good state is */
    if (loop->aspect_count < 2 || il_look(loop, 0) != IL_OK) {
        return 0;
    }
    const int64_t best = best_choice(loop, q);
    if (best == loop->aspect) {
        return 0;
    }
    /* x = (q, qd of independent coordinates, z, q of dependent ones) */
    const il_aspect *new = &loop->aspects[best];
    const int64_t n = old->system.n, z = 2 * n, states = old->system.m - old->dependent_count;
    for (int64_t k = 0; k < n; k++) {
        x[k] = q[new->independent[k]];
        x[n + k] = qd[new->independent[k]];
    }
    for (int64_t k = 0; k < new->dependent_count; k++) {
        x[z + states + k] = q[new->dependent[k]];
    }
    loop->aspect = best;
    loop->modes[0].system = new->system;
    (void)il_machine_init(loop->machine);
    set_guard(loop, q);
    return 1;
}

/* Reciprocal pivots at the present position; none for a plant that keeps its coordinates. */
static int64_t find_pivots(il_loop *loop, double *pivots)
{
    const il_aspect *aspect = &loop->aspects[loop->aspect];
    if (aspect->pivots == NULL) {
        return 0;
    }
    aspect->pivots(aspect->system.context, il_time_of(loop, 0), aspect->expanded[0], pivots);
    return aspect->dependent_count;
}

void il_remember_side(il_loop *loop)
{
    /* between two steps nothing is kept there */
    (void)find_pivots(loop, loop->good);
}

int il_same_side(il_loop *loop)
{
    const int64_t count = find_pivots(loop, loop->pivots);
    int same = inloop_finite(loop->pivots, (uint64_t)count);
    /* a pivot that has changed its sign was zero on the way: the loops would be put together anew */
    for (int64_t k = 0; k < count; k++) {
        same = same && (loop->pivots[k] > 0.0) == (loop->good[k] > 0.0);
    }
    return same;
}
