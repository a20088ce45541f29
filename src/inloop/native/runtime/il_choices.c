/* Which coordinates are independent, and what is watched about them; see il_instance.h. */
#include "il_instance.h"

#include <math.h>
#include <string.h>

#include "il_finite.h"

/* Reciprocal pivots of a choice at a position; the largest, or infinite where it cannot be used. */
static double worst_of(il_part *part, int64_t choice, double t, const double *q, double *pivots)
{
    il_active *active = &part->choices[choice];
    const int64_t count = active->choice->dependent_count;
    double worst = 0.0;
    active->choice->pivots(&active->look, t, q, pivots);
    if (!il_all_finite(pivots, count)) {
        return HUGE_VAL;
    }
    for (int64_t k = 0; k < count; k++) {
        const double size = fabs(pivots[k]);
        worst = size > worst ? size : worst;
    }
    return worst;
}

void il_use(il_part *part, int64_t choice)
{
    il_instance *instance = part->instance;
    const int64_t mode = part - instance->parts;
    part->choice = choice;
    instance->modes[mode].system = part->choices[choice].system;
    if (instance->machine.mode == mode) {
        (void)il_machine_init(&instance->machine); /* il_initialize has checked it */
    }
}

void il_set_guard(il_part *part, double t, const double *q)
{
    il_active *active = il_in_use(part);
    if (!il_chooses(part)) {
        return;
    }
    (void)worst_of(part, part->choice, t, q, part->pivots);
    for (int64_t k = 0; k < active->choice->dependent_count; k++) {
        active->guard[k] = 1.0 / (IL_WORST_PIVOT * part->pivots[k]);
    }
    active->context.tolerance = IL_NEARLY_CLOSED;
    part->unguarded = 0;
}

void il_step_over(il_part *part)
{
    il_active *active = il_in_use(part);
    const size_t bytes = (size_t)active->choice->dependent_count * sizeof *active->guard;
    memset(active->guard, 0, bytes);
    /* near a singular position Newton converges worse: what is left of a correction is larger */
    active->context.tolerance = IL_CLOSED;
    part->unguarded = il_guards(part) ? IL_STEPS_UNGUARDED : IL_NEVER_GUARDED;
}

int il_choose_better(il_part *part, double t)
{
    int64_t best = part->choice;
    double least = worst_of(part, best, t, part->q, part->pivots);
    for (int64_t k = 0; k < part->row->choice_count; k++) {
        const double worst =
            k == part->choice ? least : worst_of(part, k, t, part->q, part->pivots);
        if (worst < least) {
            best = k;
            least = worst;
        }
    }
    if (best == part->choice) {
        return 0;
    }
    il_use(part, best);
    if (il_guards(part)) {
        il_set_guard(part, t, part->q);
    } else {
        il_step_over(part);
    }
    return 1;
}
