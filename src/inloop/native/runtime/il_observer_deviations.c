/* How sure an observer is of all coordinates and velocities, dependent ones included.
 *
 * A change of independent positions changes all positions, q' = B u', and all velocities; a change
 * of independent velocities changes all velocities, by the same B. Slopes by differences.
 */
#include "il_observer_parts.h"

#include <math.h>

static double deviation_of(double square)
{
    return square > 0.0 ? sqrt(square) : 0.0;
}

/* Of a velocity with slopes by positions and velocities; of a coordinate, without the latter. */
static double square_of(const il_observer *o, const double *rows, int64_t k, int velocity)
{
    const int64_t n = il_observed_part(o)->row->n, nu = il_observed_coordinates(o);
    const int64_t moving = velocity ? 2 * nu : nu, width = 2 * n;
    double sum = 0.0;
    for (int64_t i = 0; i < moving; i++) {
        const double gi = i < nu ? rows[i * width + (velocity ? n : 0) + k]
                                 : rows[(i - nu) * width + k];
        for (int64_t j = 0; j < moving; j++) {
            const double gj = j < nu ? rows[j * width + (velocity ? n : 0) + k]
                                     : rows[(j - nu) * width + k];
            sum += gi * o->P[i * o->size + j] * gj;
        }
    }
    return sum;
}

int il_observer_deviations(il_observer *observer, double *deviations)
{
    il_observer *const o = observer;
    const il_choice *choice = il_in_use(il_observed_part(o))->choice;
    const int64_t n = il_observed_part(o)->row->n, nu = choice->independent_count;
    int status = IL_OK;
    if (nu < n) {
        status = il_observer_motion_slopes(o, nu, o->all_before);
        for (int64_t k = 0; k < n; k++) {
            deviations[k] = deviation_of(square_of(o, o->all_before, k, 0));
            deviations[n + k] = deviation_of(square_of(o, o->all_before, k, 1));
        }
    }
    for (int64_t k = 0; k < nu; k++) {
        const int64_t at = choice->independent[k];
        deviations[at] = deviation_of(o->P[k * o->size + k]);
        deviations[n + at] = deviation_of(o->P[(nu + k) * o->size + nu + k]);
    }
    return status;
}
