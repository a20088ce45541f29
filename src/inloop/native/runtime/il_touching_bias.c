/* Rates of velocities at contacts that masses do not make: d(H)/dt v, and what drives do.
 *
 * They are differences along the motion, of fourth order. Drives may be of any speed, which shows in
 * differences over h and 2h alone, and their velocities may jump; see il_touching.h.
 */
#include "il_touching.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "il_method.h"

/* how far the motion is followed for differences, in natural units; and drives, in steps: at most,
   and within which they change suddenly */
static const double ahead = 2e-4, drives_ahead = 0.02, drives_jump = 1e-6;

/* by what part of that, where touches that are found come from one face to another */
static const double nearer = 0.1;

/* by what part differences over h and 2h may differ: those of fourth order are then good to 1e-12 */
static const double alike = 1e-6;

/* weights of velocities at -2h to 2h for their slope at 0: of fourth order, by what follows and by
   what was before; and for how much they change in all */
static const double central[] = {1.0 / 12.0, -8.0 / 12.0, 0.0, 8.0 / 12.0, -1.0 / 12.0};
static const double ahead_of[] = {0.0, 0.0, 0.0, -1.0, 1.0}, behind[] = {-1.0, 1.0, 0.0, 0.0, 0.0};
static const double across[] = {-1.0, 0.0, 0.0, 0.0, 1.0};

/* What differences show of closed contacts. */
typedef struct slopes {
    double most;   /* the largest */
    double coarse; /* how far they are from those of second order, in parts of it */
    int bends;     /* not 0: velocities of a touch that is found have a kink */
} slopes;

/* d(H)/dt v by differences along the motion, over h; xd: rates at x. */
static int difference(il_touching *touching, double t, const double *x, const double *xd, double h,
                      const double *weights, slopes *seen)
{
    const il_system *system = &touching->free;
    const int64_t n = system->n, size = il_state_size(system), rows = touching->rows;
    double *const second = touching->p.pushed;
    const int found = touching->table.meeting_count > 0;
    double most = 0.0, apart = 0.0, fastest = 0.0;

    memset(touching->bias, 0, (size_t)rows * sizeof *touching->bias);
    memset(second, 0, (size_t)rows * sizeof *second);
    for (int side = -2; side <= 2; side++) {
        if (side == 0) {
            continue;
        }
        double *const beside = touching->x_beside;
        il_move_by(size, beside, x, side * h, xd);
        memcpy(beside + n, x + n, (size_t)n * sizeof *beside);
        il_normalize(system, beside);
        const int status = il_touching_velocities(touching, t + side * h, beside, touching->still);
        if (status != IL_OK) {
            return status;
        }
        il_move_by(rows, touching->bias, touching->bias, weights[side + 2] / h, touching->still);
        if (side * side == 1) {
            il_move_by(rows, second, second, 0.5 * side / h, touching->still);
        }
        if (found) {
            il_touching_note(touching, side);
        }
    }
    if (found) {
        const int status = il_touching_velocities(touching, t, x, touching->still);
        il_touching_note(touching, 0);
        seen->bends = il_touching_bend(touching, x + n, h);
        if (status != IL_OK) {
            return status;
        }
    }
    for (int64_t i = 0; i < touching->count; i++) {
        const int64_t *first = touching->contacts.table->first + i;
        for (int64_t k = first[0]; touching->modes[i] != IL_OPEN_CONTACT && k < first[1]; k++) {
            most = fmax(most, fabs(touching->bias[k]));
            apart = fmax(apart, fabs(touching->bias[k] - second[k]));
            fastest = fmax(fastest, fabs(touching->still[k]) + fabs(touching->p.w[k]));
        }
    }
    /* what rounding leaves of them is no sign of anything */
    seen->most = most;
    seen->coarse = apart <= 1e2 * DBL_EPSILON * fastest / h ? 0.0 : apart / most;
    return IL_OK;
}

/* The same where velocities of drives jump within 2h: what comes counts, unless it is there that
   they do. */
static int difference_aside(il_touching *touching, double t, const double *x, const double *xd,
                            double h)
{
    slopes all = {0}, next = {0};

    int status = difference(touching, t, x, xd, h, across, &all);
    status = status == IL_OK ? difference(touching, t, x, xd, h, ahead_of, &next) : status;
    if (status == IL_OK && next.most > 0.5 * all.most) {
        status = difference(touching, t, x, xd, h, behind, &next);
    }
    return status;
}

/* d(H)/dt v, and what drives add to it. How fast these are shows in the differences alone. */
int il_touching_bias(il_touching *touching, double t, const double *x, const double *xd)
{
    const il_system *system = &touching->free;
    const int64_t n = system->n;
    const double whole = touching->whole;
    const int drives = touching->contacts.table->moved != 0;
    double fastest = 0.0;
    slopes seen = {0};

    memset(touching->bias, 0, (size_t)touching->rows * sizeof *touching->bias);
    for (int64_t k = 0; k < il_state_size(system); k++) {
        /* coordinates that depend on others, and attitudes, are behind the states of laws */
        const int place = k < n || k >= 2 * n + touching->contacts.table->states;
        const double unit = system->sizes ? system->sizes[k] : 1.0;
        fastest = place ? fmax(fastest, fabs(xd[k]) / unit) : fastest;
    }
    if (fastest == 0.0 && !drives) {
        return IL_OK;
    }
    double h = fastest * whole > ahead ? ahead / fastest : whole;
    if (!drives) {
        const int status = difference(touching, t, x, xd, h, central, &seen);
        /* what is only sharply bent is no kink from near */
        return status == IL_OK && seen.bends
                   ? difference(touching, t, x, xd, nearer * h, central, &seen)
                   : status;
    }
    h = fmin(h, fmin(2.0 * touching->beat, drives_ahead * whole));
    int status = difference(touching, t, x, xd, h, central, &seen);
    for (; status == IL_OK && seen.coarse > alike && h > drives_jump * whole; h *= 0.25) {
        status = difference(touching, t, x, xd, 0.25 * h, central, &seen);
    }
    touching->beat = h;
    return status == IL_OK && seen.coarse > alike ? difference_aside(touching, t, x, xd, h) : status;
}
