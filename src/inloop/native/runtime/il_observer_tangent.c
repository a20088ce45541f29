/* States and the changes between them; see il_observer.h. */
#include "il_observer_parts.h"

#include <math.h>

/* p times the unit quaternion of a rotation vector */
static void turn(double *p, const double *by)
{
    const double angle = sqrt(by[0] * by[0] + by[1] * by[1] + by[2] * by[2]);
    const double w = cos(0.5 * angle), s = angle > 0.0 ? sin(0.5 * angle) / angle : 0.5;
    const double before[IL_QUATERNION] = {p[0], p[1], p[2], p[3]};
    const double scaled[IL_QUATERNION] = {w * p[0], w * p[1], w * p[2], w * p[3]};
    const double twice[3] = {2.0 * s * by[0], 2.0 * s * by[1], 2.0 * s * by[2]};
    il_attitude_add(before, twice, scaled, p);
}

/* the rotation vector of conjugate(p) r */
static void turn_between(const double *p, const double *r, double *by)
{
    double w = p[0] * r[0] + p[1] * r[1] + p[2] * r[2] + p[3] * r[3];
    double v[3] = {
        p[0] * r[1] - p[1] * r[0] - p[2] * r[3] + p[3] * r[2],
        p[0] * r[2] - p[2] * r[0] - p[3] * r[1] + p[1] * r[3],
        p[0] * r[3] - p[3] * r[0] - p[1] * r[2] + p[2] * r[1],
    };
    const double sine = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    const double side = w < 0.0 ? -1.0 : 1.0;
    const double factor = sine > 0.0 ? 2.0 * atan2(sine, side * w) / sine : 2.0;
    for (int k = 0; k < 3; k++) {
        by[k] = side * factor * v[k];
    }
}

/* Where a coordinate is among the independent ones; -1: it is not. */
static int64_t place_of(const il_choice *choice, int64_t coordinate)
{
    for (int64_t k = 0; k < choice->independent_count; k++) {
        if (choice->independent[k] == coordinate) {
            return k;
        }
    }
    return -1;
}

int il_observer_moved(il_observer *o, double t, const double *from, const double *delta, double *x)
{
    il_part *part = il_observed_part(o);
    const il_choice *choice = il_in_use(part)->choice;
    const int64_t own = il_observed_states(o), attitudes = part->row->attitudes;
    const int64_t length = il_observed_length(o);
    il_copy(x, from, length);
    for (int64_t k = 0; k < own; k++) {
        x[k] += delta[k];
    }
    for (int64_t a = 0; a < attitudes; a++) {
        double by[3];
        for (int i = 0; i < 3; i++) {
            const int64_t at = place_of(choice, part->row->turned[a] + i);
            by[i] = at < 0 ? 0.0 : delta[at];
        }
        turn(x + length - IL_QUATERNION * (attitudes - a), by);
    }
    if (choice->expand == NULL) {
        return IL_OK;
    }
    const int status = il_look_at(part, t, x);
    if (status == IL_OK) {
        il_pack(part, x);
    }
    return status;
}

int il_observer_move(il_observer *observer, const double *delta, double *x, double *extra)
{
    const int64_t own = il_observed_states(observer);
    for (int64_t k = 0; k < observer->extra_count; k++) {
        extra[k] = observer->extra[k] + delta[own + k];
    }
    return il_observer_moved(observer, observer->t, observer->x, delta, x);
}

void il_observer_apart(const il_observer *observer, const double *x, const double *other,
                       double *delta)
{
    const il_part *part = il_observed_part(observer);
    const il_choice *choice = il_in_use(part)->choice;
    const int64_t own = il_observed_states(observer), attitudes = part->row->attitudes;
    const int64_t length = il_observed_length(observer);
    for (int64_t k = 0; k < own; k++) {
        delta[k] = other[k] - x[k];
    }
    for (int64_t a = 0; a < attitudes; a++) {
        const int64_t behind = length - IL_QUATERNION * (attitudes - a);
        double by[3];
        turn_between(x + behind, other + behind, by);
        for (int i = 0; i < 3; i++) {
            const int64_t at = place_of(choice, part->row->turned[a] + i);
            if (at >= 0) {
                delta[at] = by[i];
            }
        }
    }
}
