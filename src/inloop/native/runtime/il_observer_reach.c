/* How far an observer goes for a difference.
 *
 * By a state: a small part of its unit, or of its value. By an input: so far that one step changes a velocity, or the state of a force law, by a small part of its unit.
 * Found once, where the observer begins: inputs tell no unit of their own, and newtons are as small
 * for a moon as they are large for the tip of a microscope.
 */
#include "il_observer_parts.h"

#include <math.h>

#define CLEAR 1e-10  /* answers above this are no noise of rounding */
#define GENTLE 1e2   /* answers below this are of the size of the plant */
#define FARTHER 1e6  /* from try to try */
enum { MOST_TRIES = 8 };

int il_observer_rates(il_observer *o, const double *x, double t, double *xd)
{
    il_active *active = il_in_use(il_observed_part(o));
    return active->choice->rates(&active->look, t, x, xd);
}

/* What is left of a difference once it was added to a number. */
static double as_added(double to, double reach)
{
    volatile double moved = to + reach;
    return moved - to;
}

double il_observer_reach(const il_observer *o, int64_t j, double x, double share)
{
    const double size = il_observed_part(o)->sizes[j];
    const double unit = size > 0.0 ? size : 1.0;
    return as_added(x, share * (fabs(x) > unit ? fabs(x) : unit));
}

/* The largest change in one step, in units of the states; NaN: there is none. o->rates are those
   without the push. */
static double answer(il_observer *o, int64_t input, double push)
{
    const il_part *part = il_observed_part(o);
    const double before = o->instance->inputs[input];
    double most = 0.0;
    il_write_input(o->instance, input, before + push);
    const int status = il_observer_rates(o, o->x, o->t, o->rates_trial);
    il_write_input(o->instance, input, before);
    for (int64_t i = il_observed_coordinates(o); i < il_observed_states(o); i++) {
        const double unit = part->sizes[i] > 0.0 ? part->sizes[i] : 1.0;
        const double change = o->step * fabs(o->rates_trial[i] - o->rates[i]) / unit;
        most = change > most || isnan(change) ? change : most;
    }
    return status == IL_OK ? most : (double)NAN;
}

static double find_push(il_observer *o, int64_t input)
{
    const double usual = 1.0 + fabs(o->instance->inputs[input]);
    double push = usual;
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        const double found = answer(o, input, push);
        if (found > CLEAR && found < GENTLE) {
            return push * IL_OBSERVER_PUSH / found;
        }
        push *= found <= CLEAR ? FARTHER : 1.0 / FARTHER;
    }
    return IL_OBSERVER_PUSH * usual; /* it acts on nothing here */
}

void il_observer_find_pushes(il_observer *o)
{
    const int known = il_observer_rates(o, o->x, o->t, o->rates) == IL_OK;
    for (int64_t k = 0; k < o->instance->plant->input_count; k++) {
        o->pushes[k] = IL_OBSERVER_PUSH * (1.0 + fabs(o->instance->inputs[k]));
    }
    for (int64_t k = 0; known && k < o->extra_count; k++) {
        if (o->extras[k].kind == IL_ADDS_TO_INPUT) {
            o->pushes[o->extras[k].number] = find_push(o, o->extras[k].number);
        }
    }
    for (int64_t k = 0; known && k < o->pushed_count; k++) {
        o->pushes[o->pushed[k]] = find_push(o, o->pushed[k]);
    }
}

double il_observer_push(const il_observer *o, int64_t input)
{
    const double now = o->instance->inputs[input];
    const double least = IL_OBSERVER_REACH * fabs(now); /* that is seen beside it */
    const double push = o->pushes[input] > least ? o->pushes[input] : least;
    return as_added(now, push);
}
