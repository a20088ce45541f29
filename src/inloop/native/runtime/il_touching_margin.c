/* Whether contacts can go on as they do: gaps, forces and slip; see il_touching.h. */
#include "il_touching.h"

#include <math.h>

/* what forces may be beyond what is possible, in units of a large one: then modes are found anew */
static const double beyond = 1e-7;

/* the indicator behind a jump, which is where such events are located: nearer to zero than 1 */
static const double gone = -0.5;

void il_touching_slip(const il_touching *touching, int64_t i, int j, double d[2])
{
    const int64_t disc = IL_DISCS * i + j;
    const double *begun = touching->direction + 2 * disc;
    il_disc discs[IL_DISCS];

    d[0] = begun[0];
    d[1] = begun[1];
    il_touching_discs(touching, i, discs);
    if (discs[j].size < 2) {
        return;
    }
    const double *u = touching->u + discs[j].row, speed = il_disc_length(discs + j, touching->u);
    const double least = touching->starts[disc] ? touching->slow : il_touching_standstill(touching);
    if (speed > least && u[0] * d[0] + u[1] * d[1] > 0.0) {
        d[0] = u[0] / speed;
        d[1] = u[1] / speed;
    }
}

/* How far a contact that is open is from where it hits. What begins there is on its way: over time, its
   mean speed, which is not zero at the beginning; and its speed while the way is lost in rounding. */
static double margin_of_gap(const il_touching *touching, int64_t i, double elapsed)
{
    const double begun = touching->gap_begun[i], gap = touching->p.gap[i];

    if (begun == INFINITY) {
        return gap / touching->size;
    }
    return fabs(gap - begun) <= touching->dust
               ? touching->u[touching->contacts.table->first[i]]
               : (gap - begun) / elapsed;
}

/* How fast a disc slips along the direction that it began with. */
static double slip_along(const il_touching *touching, const il_disc *disc, const double *begun)
{
    double sum = 0.0;
    for (int64_t k = 0; k < disc->size; k++) {
        sum += touching->u[disc->row + k] * begun[k];
    }
    return sum;
}

/* How far the force of a contact is from what is not possible, in units of a large one. */
static double margin_of_force(const il_touching *touching, int64_t i)
{
    const double unit = touching->unit[i];
    const double normal = touching->found[touching->contacts.table->first[i]] / unit + beyond;
    double least = normal;
    il_disc discs[IL_DISCS];

    il_touching_discs(touching, i, discs);
    for (int j = 0; j < IL_DISCS; j++) {
        if (!touching->slips[IL_DISCS * i + j] && discs[j].size > 0) {
            const double force = il_disc_length(discs + j, touching->found) / unit;
            least = fmin(least, discs[j].limit * normal + beyond - force);
        }
    }
    return least;
}

double il_touching_force_margin(const il_touching *touching)
{
    double least = INFINITY;
    for (int64_t i = 0; i < touching->count; i++) {
        if (touching->modes[i] != IL_OPEN_CONTACT) {
            least = fmin(least, margin_of_force(touching, i));
        }
    }
    return least;
}

/* How far velocities of a contact are from zero that its mode keeps there: a drive that jumps may
   take them away. */
static double margin_of_hold(const il_touching *touching, int64_t i)
{
    int64_t rows[IL_ROLLING_ROWS];
    const int64_t kept = il_touching_unknowns(touching, i, rows);
    double most = 0.0;

    for (int64_t k = 0; k < kept; k++) {
        most = fmax(most, fabs(touching->u[rows[k]]));
    }
    return fmax(gone, 1.0 - most / touching->slow);
}

double il_touching_margin(const il_touching *touching, double elapsed)
{
    double least = il_touching_force_margin(touching);

    for (int64_t i = 0; i < touching->count; i++) {
        il_disc discs[IL_DISCS];
        if (touching->modes[i] == IL_OPEN_CONTACT) {
            least = fmin(least, margin_of_gap(touching, i, elapsed));
            continue;
        }
        /* a touch that is found may be there no more */
        least = touching->p.gap[i] < INFINITY ? least : fmin(least, gone);
        least = touching->table.moved ? fmin(least, margin_of_hold(touching, i)) : least;
        il_touching_discs(touching, i, discs);
        for (int j = 0; j < IL_DISCS; j++) {
            const int64_t disc = IL_DISCS * i + j;
            if (touching->slips[disc] && discs[j].size > 0) {
                const double *begun = touching->direction + 2 * disc;
                least = fmin(least, slip_along(touching, discs + j, begun) / elapsed);
            }
        }
    }
    return least;
}

void il_touching_follow(il_touching *touching)
{
    for (int64_t i = 0; i < touching->count; i++) {
        il_disc discs[IL_DISCS];
        il_touching_discs(touching, i, discs);
        for (int j = 0; touching->modes[i] != IL_OPEN_CONTACT && j < IL_DISCS; j++) {
            const int64_t disc = IL_DISCS * i + j;
            double *const begun = touching->direction + 2 * disc, d[2];
            if (!touching->slips[disc]) {
                continue;
            }
            il_touching_slip(touching, i, j, d);
            const double along = slip_along(touching, discs + j, begun);
            touching->starts[disc] = touching->starts[disc] && along < touching->slow;
            begun[0] = d[0];
            begun[1] = d[1];
        }
    }
    il_touching_anchor(touching);
}
