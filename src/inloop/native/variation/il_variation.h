/* Runs with derivatives: the equations of a plant along a run, and their sensitivities.
 *
 * x holds the integrated state, dep the coordinates determined by loops; dx has IL_DIRECTIONS
 * numbers for each entry of x, one per direction, and dg the same for the varied parameters and
 * inputs. Arrays with directions are aligned to 64 bytes.
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
    const double *unit;       /* scale of each dependent coordinate */
} il_variation;

/* Generated functions of a plant. dep is an estimate that is brought to closure. */
typedef int (*il_slopes)(const il_variation *self, double t, const double *u, const double *x,
                         double *dep, const double *dx, double *xd, double *dxd);

/* A Runge-Kutta method: a[stages][stages], weights b, times c. */
typedef struct il_tableau {
    int64_t stages;
    const double *a, *b, *c;
} il_tableau;

/* Additional data of implicit methods: their stages depend on each other, and the last one is the
 * end of the step. n = size of x, s = stages.
 */
typedef struct il_collocation {
    il_slopes rates;          /* values without derivatives */
    il_slopes slopes;         /* with derivatives along `lanes` directions */
    int64_t lanes;
    const double *still;      /* zero directions of the varied quantities */
    int64_t factorized;       /* M holds factors of a step of length h, */
    double h;                 /* which may be reused in the next one */
    double *J;                /* of each stage, s * n * n */
    double *M;                /* M after elimination of positions, up to (s n) * (s n) */
    int64_t *pivots;
    double *x, *f, *step, *rest; /* of all stages: states, rates, Newton's step, and its part without
                                 positions: s * n each */
    double *most;             /* largest magnitude of each entry of x so far */
    double *unit, *column;    /* directions, n * lanes each, aligned */
    double *df, *wide, *wide_rest; /* of all stages, s * n * lanes each, aligned */
    int64_t led;              /* x holds the stages of the previous step, */
    double *begun;            /* which started here, */
    const double *ahead;      /* and its extrapolation: for each stage, weights of its start and of
                                 its stages */
} il_collocation;

/* Kinks of force laws along a run (il_corners.c). */
typedef struct il_corners {
    il_slopes look;           /* expressions that change their sign at a kink, at a state */
    il_slopes rates;          /* of the state */
    int64_t count, laws;      /* number of kinks, and of laws that have them */
    const int64_t *owners;    /* law of each */
    double *values;           /* before and after a step, and at other evaluations: 4 * count */
    double *x, *dep, *k;      /* states: before a step, and the two sides of a kink, 3 * size; a
                                 guess of dependent coordinates; rates at both ends and more, 3 * size */
    double *stages;           /* states of all stages of a step */
    double *dx;               /* derivatives before a step, size * lanes, aligned */
    double *dk;               /* slopes on the two sides of a kink, 4 * size * lanes, aligned, or
                                 adjoints, 4 * (size + varied) */
    double *bent;             /* correction of a step, as many numbers as bends has for a law */
    int64_t *pending;         /* by kink: the step passes it */
    int64_t *charged;         /* by law: already counted in this step */
    int64_t *crossings;       /* by law: steps in which it passes a kink */
    double *first;            /* by law: the first of them [s] */
    double *bends;            /* by law: remaining error of derivatives, sum of squares */
    double *most;             /* backwards: largest adjoint of each entry of x so far */
} il_corners;

/* A step that may pass kinks. */
typedef struct il_passing {
    const il_variation *self;
    const il_corners *corners;
    const il_tableau *method;
    int64_t size, dependent;
    double t, h;              /* its start and length [s] */
    const double *u;          /* inputs of its first stage, */
    int64_t u_stage;          /* and the offset of those of the next one */
    const double *x, *after, *dep; /* states before and after it, dependent coordinates near them */
    const double *stages;     /* states of its stages */
} il_passing;

/* A part of a run with equal steps. */
typedef struct il_varied_run {
    const il_variation *self;
    il_slopes slopes;
    il_tableau tableau;       /* no stages: symplectic Euler */
    il_collocation *implicit; /* NULL: the method is explicit */
    int64_t size, dependent;  /* lengths of x and dep */
    int64_t coordinates;      /* the first entries of x are positions, the next their velocities */
    int64_t attitudes;        /* unit quaternions at the end of x */
    int64_t lanes;            /* numbers of each direction array per entry: directions, or 0 */
    double t, h;              /* start and step [s] */
    int64_t steps, stride;    /* every stride-th state is kept, and the first one */
    const double *u;          /* inputs, u_step numbers for each step, u_stage for each stage */
    int64_t u_step, u_stage;
    const double *tau;        /* efforts of the joints, tau_step numbers for each step; NULL: those of
                                 self in all steps */
    int64_t tau_step;
    double *x, *dep, *dx;     /* in: start, out: end */
    double *memory;           /* (stages + 1) * size * (1 + lanes) numbers, aligned */
    double *kept_x, *kept_dep, *kept_dx; /* samples, including the first state */
    double *stage_x, *stage_dep; /* of all stages of all steps; NULL: neither they are kept, */
    double *lengths;          /* nor lengths of quaternions after each step, before normalization */
    const il_corners *corners; /* NULL: kinks are not considered */
} il_varied_run;

/* Returns a status; `steps` is then the number of successful steps. */
IL_EXPORT int il_vary(il_varied_run *piece);

/* y = gradient of the sum of w times the results by x, then by the varied quantities. */
typedef int (*il_pull)(const il_variation *self, double t, const double *u, const double *x,
                       double *dep, const double *w, double *y);

/* Reverse mode: from adjoints of the state after the steps to those before. */
typedef struct il_backward_run {
    const il_variation *self;
    il_pull pull;
    il_tableau tableau;
    il_collocation *implicit;
    int64_t size, dependent, varied, coordinates;
    double t, h;              /* start of the first of these steps, and the step [s] */
    int64_t steps;
    const double *u;
    int64_t u_step, u_stage;
    const double *stage_x;    /* of all stages of all steps */
    double *stage_dep;
    int64_t attitudes;        /* as in il_varied_run */
    const double *x, *lengths; /* states, steps + 1 rows; of quaternions before normalization */
    const double *added;      /* adjoints added at each state, steps + 1 rows */
    const il_corners *corners; /* NULL: there are none */
    double *weights;          /* of x: in: after the last step, out: before the first */
    double *owed;             /* by varied quantity: accumulated */
    double *memory;           /* (stages + 4) * size + varied numbers */
} il_backward_run;

/* The stages of one step, of an implicit method. */
typedef struct il_stages {
    const il_variation *self;
    const il_tableau *method;
    il_collocation *implicit;
    int64_t size, coordinates;
    double t, h;
    const double *u;
    int64_t u_stage;
    const double *x;          /* of all stages */
    double *dep;              /* dep_stage numbers for each stage; 0: all share them */
    int64_t dep_stage;
} il_stages;

/* Factorize M = I - h (a_ij J_j), or its transpose; b = M^-1 b for all stages, also for all lanes, or
   with the transpose, if that was factorized. */
int il_stages_factorize(const il_stages *at, int transposed);
void il_stages_solve(const il_stages *at, double *b);
void il_stages_solve_lanes(const il_stages *at, double *b);
void il_stages_solve_transposed(const il_stages *at, double *b);
/* e = solution for e on the right side of the last stage's equation, by the factors of its step. */
void il_stages_soften(const il_stages *at, double *e);

/* An implicit step with its derivatives, and the same backwards. */
int il_collocate(const il_varied_run *piece, int64_t step, double t, const double *u);
int il_collocate_back(const il_backward_run *run, int64_t step, double t, const double *u);

/* Kinks at the start of a part, and around each of its steps. */
int il_corners_begin(const il_varied_run *piece);
void il_corners_before(const il_varied_run *piece);
int il_corners_after(const il_varied_run *piece, double t, const double *u);

/* The same in reverse mode, before the first and after each step; `later` are adjoints after it. */
int il_corners_back_begin(const il_backward_run *run);
int il_corners_back(const il_backward_run *run, int64_t step, const double *later);

/* A kink within a step. */
typedef struct il_corner {
    int64_t number;           /* -1: none left */
    double t;                 /* when [s] */
    const double *u;          /* inputs */
    double part;              /* fraction of the step before the kink, minus the weights of the stages
                                 with the slope from before */
} il_corner;

/* Kinks between the two ends of a step, whose values are known: whether there are any, preparation
   of the search, and the next one, with the states on both its sides in corners->x + size. The last
   two return a status. */
int il_passing_any(const il_passing *step);
int il_passing_begin(const il_passing *step);
int il_passing_next(const il_passing *step, il_corner *found);
/* Values of kinks at a state of the step, at the fraction c of it. */
int il_passing_look(const il_passing *step, double c, const double *x, double *values);

/* Adjoints added at the first state are not included: they belong to the part before it. */
IL_EXPORT int il_go_back(const il_backward_run *run);

/* Sums of signals at states in reverse mode: arrays have a row for each of them. */
typedef struct il_pulled_rows {
    const il_variation *self;
    il_pull pull;
    int64_t rows, size, dependent, results, signals;
    const double *t, *u;
    int64_t u_row;            /* 0 if inputs are constant */
    const double *x, *w;
    double *dep, *y;
} il_pulled_rows;

IL_EXPORT int il_pull_rows(const il_pulled_rows *pulled);

/* Signals at states: arrays have a row for each of them; u_row is 0 if inputs are constant. */
typedef struct il_observed_rows {
    const il_variation *self;
    il_slopes observe;
    int64_t rows, size, dependent, lanes, results;
    const double *t, *u;
    int64_t u_row;
    const double *tau;        /* efforts of the joints, by row; NULL: those of self */
    int64_t tau_row;
    const double *x, *dx;
    double *dep, *y, *dy;
} il_observed_rows;

IL_EXPORT int il_observe_rows(const il_observed_rows *observed);

/* Newton's method for a position; `newton` gives steps of the dependent coordinates. */
enum { IL_MOST_CORRECTIONS = 25 };
#define IL_VARIED_CLOSED 1e-9 /* units; convergence is quadratic: the error after such a step is rounding */

#endif
