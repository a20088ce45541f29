/* Do the firings of a transition accumulate? See the rules in il_machine.h. */
#include "il_accumulation.h"

#include <math.h>

void il_note_firing(il_history *history, double t, double known)
{
    const double interval = fabs(t - history->t);
    /* by more than the times are known, or not to be told from 0 */
    const int shorter = interval < history->interval - 2.0 * known || interval <= known;
    const il_history before = *history;

    history->t = t;
    history->interval = before.firings > 0 ? interval : 0.0;
    history->ratio_before = before.ratio;
    history->ratio = before.interval > 0.0 ? interval / before.interval : 0.0;
    if (before.firings < 2) {
        history->firings++;
    } else {
        history->firings = shorter ? before.firings + 1 : 2;
    }
}

int il_shrinks(const il_history *history)
{
    /* three intervals and two ratios */
    return history->firings >= 4;
}

int il_ends_within(const il_history *history, double settle_time)
{
    const double a = history->ratio, b = history->ratio_before;
    const double r = a > b ? a : b;
    const double T = history->interval;
    return T < settle_time || (r < 1.0 && T * r / (1.0 - r) < settle_time);
}
