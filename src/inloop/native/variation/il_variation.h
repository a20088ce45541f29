/* Runs with derivatives: the equations of a plant along a run, and how they change.
 *
 * x holds what a run integrates, dep the coordinates that loops determine; dx has IL_DIRECTIONS
 * numbers for each entry of x, one for each direction, and dg the same for the parameters and
 * inputs that are varied. Arrays with directions begin at multiples of 64 bytes.
 */
#ifndef IL_VARIATION_H
#define IL_VARIATION_H

#include <stdint.h>

#include "il_export.h"
#include "il_status.h"

typedef struct il_variation {
    const double *pre;        /* prepared quantities */
    const double *tau;        /* efforts of the joints */
    const double *dg;         /* directions of parameters and inputs */
    const double *unit;       /* what counts as one unit of each dependent coordinate */
} il_variation;

/* What is generated for a plant. dep is a guess that is brought to closure. */
typedef int (*il_slopes)(const il_variation *self, double t, const double *u, const double *x,
                         double *dep, const double *dx, double *xd, double *dxd);

/* An explicit method of Runge and Kutta: a[stages][stages], weights b, times c. */
typedef struct il_tableau {
    int64_t stages;
    const double *a, *b, *c;
} il_tableau;

/* A piece of a run with equal steps. */
typedef struct il_varied_run {
    const il_variation *self;
    il_slopes slopes;
    il_tableau tableau;       /* no stages: symplectic Euler */
    int64_t size, dependent;  /* lengths of x and dep */
    int64_t coordinates;      /* the first entries of x are positions, the next their velocities */
    int64_t attitudes;        /* unit quaternions at the end of x */
    int64_t lanes;            /* numbers of each direction array per entry: directions, or 0 */
    double t, h;              /* begin and step [s] */
    int64_t steps, stride;    /* every stride-th state is kept, the first one always */
    const double *u;          /* inputs, u_step numbers for each step, u_stage for each stage */
    int64_t u_step, u_stage;
    double *x, *dep, *dx;     /* in: begin, out: end */
    double *memory;           /* (stages + 1) * size * (1 + lanes) numbers, aligned */
    double *kept_x, *kept_dep, *kept_dx; /* samples, the first state among them */
} il_varied_run;

/* Returns a status; `steps` then tells how many steps were good. */
IL_EXPORT int il_vary(il_varied_run *piece);

/* What is told of states: arrays have a row for each of them; u_row is 0 if inputs stay the same. */
typedef struct il_told_rows {
    const il_variation *self;
    il_slopes observe;
    int64_t rows, size, dependent, lanes, results;
    const double *t, *u;
    int64_t u_row;
    const double *x, *dx;
    double *dep, *y, *dy;
} il_told_rows;

IL_EXPORT int il_tell(const il_told_rows *told);

/* Newton's method for a position; `newton` gives steps of the dependent coordinates. */
enum { IL_MOST_CORRECTIONS = 25 };
#define IL_CLOSED 1e-9 /* units; convergence is quadratic: what is left after such a step is rounding */

#endif
