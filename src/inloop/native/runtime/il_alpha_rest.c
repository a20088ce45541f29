/* What is left of a step after an event; see il_alpha.c.
 *
 * It may be far too short for positions to tell velocities: rounding counts 1/h there. Then
 * accelerations at both ends are used as they are (Heun's method), if they differ by less than that.
 */
#include <math.h>

#include "il_attitude.h"
#include "il_redundant.h"
#include "il_rotation.h"
#include "il_status.h"

#define ROUNDING 4e-15 /* of positions, in units */
#define STEADY 1e-3    /* rates of states of laws that change by less, in parts */

int il_alpha_rest(il_context *c, double t_new, double h, const double *x, const double *rates,
                  double *x_new)
{
    const il_redundant *table = c->redundant->table;
    const il_redundant_point *p = &c->redundant->point;
    const int64_t nu = table->free_count, behind = 2 * nu + table->states;
    const double *qdd = rates, *zd = rates + nu;
    double worst = 0.0;

    for (int64_t k = 0; k < nu; k++) {
        x_new[k] = x[k] + h * (x[nu + k] + 0.5 * h * qdd[k]);
        x_new[nu + k] = x[nu + k] + h * qdd[k];
    }
    for (int64_t k = 0; k < table->states; k++) {
        x_new[2 * nu + k] = x[2 * nu + k] + h * zd[k];
    }
    for (int64_t k = 0; k < table->attitudes; k++) {
        const int64_t first = table->turned[k], at = behind + IL_QUATERNION * k;
        const double turn[3] = {x_new[first] - x[first], x_new[first + 1] - x[first + 1],
                                x_new[first + 2] - x[first + 2]};
        il_turn_by(x + at, turn, x_new + at);
    }
    if (il_redundant_accelerate(c, t_new, x_new, 0) != IL_OK) {
        return 0;
    }
    for (int64_t k = 0; k < nu; k++) {
        const double change = 0.5 * h * (p->qdd[table->free[k]] - qdd[k]);
        worst = fmax(worst, fabs(change) / table->units[k]);
        x_new[nu + k] += change;
    }
    for (int64_t k = 0; k < table->states; k++) {
        const double change = p->zd[k] - zd[k];
        worst = fabs(change) <= STEADY * fabs(zd[k]) ? worst : (double)INFINITY;
        x_new[2 * nu + k] += 0.5 * h * change;
    }
    return worst <= ROUNDING / h;
}
