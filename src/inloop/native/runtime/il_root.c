/* The Illinois method, with bisection where it is slow; Dowell & Jarratt 1971,
   doi:10.1007/BF01934364. */
#include "il_root.h"

#include <math.h>

enum { MOST_RESCUES = 6 };

/* One end of the bracket; `weight` is the value of f for the secant. */
typedef struct end {
    il_point at;
    double weight;
} end;

static int is_between(double s, const end *a, const end *b)
{
    return s > a->at.s && s < b->at.s;
}

/* The next trial: along the secant, or the midpoint if the bracket does not shrink. */
static double next_trial(const end *a, const end *b, double s_tolerance, int bisect)
{
    const double width = b->at.s - a->at.s;
    const double middle = a->at.s + 0.5 * width;
    if (bisect) {
        return middle;
    }
    double s = a->at.s + width * (a->weight / (a->weight - b->weight));
    if (width > s_tolerance) {
        /* away from the ends, so that the bracket closes if the root is there */
        const double lowest = a->at.s + 0.5 * s_tolerance;
        const double highest = b->at.s - 0.5 * s_tolerance;
        s = s < lowest ? lowest : (s > highest ? highest : s);
    }
    return is_between(s, a, b) ? s : middle;
}

int il_find_root(il_curve curve, void *context, il_point left, il_point right, double s_tolerance,
                 double f_tolerance, double *s)
{
    end a = {left, left.f}, b = {right, right.f};
    double widths[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}; /* before the last three trials */
    int stays = 0;   /* the end that stayed in the last trial: -1 is a */
    int rescues = 0; /* bisections so far; after many of them no more secants */

    for (int trial = 0; trial < IL_ROOT_TRIALS; trial++) {
        const double width = b.at.s - a.at.s;
        const double f_best = a.at.f < -b.at.f ? a.at.f : -b.at.f;
        if (width <= s_tolerance && f_best <= f_tolerance) {
            break;
        }
        const int bisect = rescues >= MOST_RESCUES || width > 0.5 * widths[0];
        rescues += bisect;
        end m = {{next_trial(&a, &b, s_tolerance, bisect), 0.0}, 0.0};
        if (!is_between(m.at.s, &a, &b)) {
            break;
        }
        widths[0] = widths[1];
        widths[1] = widths[2];
        widths[2] = width;
        const int status = curve(context, m.at.s, &m.at.f);
        if (status != IL_OK) {
            return status;
        }
        m.weight = m.at.f;
        /* an end that stays for the second time counts half */
        if (m.at.f > 0.0) {
            b.weight *= stays == 1 ? 0.5 : 1.0;
            stays = 1;
            a = m;
        } else {
            a.weight *= stays == -1 ? 0.5 : 1.0;
            stays = -1;
            b = m;
        }
    }
    *s = a.at.f < -b.at.f ? a.at.s : b.at.s;
    return IL_OK;
}
