/* A mechanism as bodies with six coordinates each, held together by forces that are unknown.
 * Displacements of flexible links that nothing hangs on are coordinates without a body.
 *
 * Unknowns, and rows of the equations, in this order:
 *
 *   six motions of each body in its own axes   Newton and Euler
 *   coordinates of joints that are not driven  efforts of these joints
 *   states of force laws                       their rates
 *   wrenches in the joints, six each           the joints
 *   multipliers                                constraints in use
 *
 * Generated code gives what is left of the equations and the matrix of Newton's method, scaled so
 * that its condition does not depend on the step (formalisms/redundant/newton.py). With all scales
 * zero it is the matrix of accelerations and forces at a state: il_redundant.c. The step is in
 * il_alpha.c. The state of a stepper is that of a tree: x = (q, qd of joints that are not driven, z,
 * quaternions of ball joints).
 */
#ifndef IL_REDUNDANT_H
#define IL_REDUNDANT_H

#include "il_arena.h"
#include "il_context.h"
#include "il_formula.h"
#include "il_sparse_lu.h"

enum {
    IL_POSE = 12,  /* numbers of a body: p_WC, rows of R_WC */
    IL_TWIST = 6,  /* velocity of the origin in W, angular velocity in C */
    IL_SCALES = 4  /* 1/beta', gamma'/beta', 1/gamma', epsilon */
};

/* Where the equations are evaluated. */
typedef struct il_redundant_point {
    const double *pre, *tau, *u;
    double t;
    double *q, *qd, *qdd;          /* of all joints; quaternions behind q */
    double *pose, *twist, *accel;  /* of the bodies */
    double *lam, *mu, *z, *zd;
    double scales[IL_SCALES];
} il_redundant_point;

/* What generated code tells of a mechanism; constants. */
typedef struct il_redundant {
    int64_t n, bodies, free_count, driven_count, states, rows, attitudes, inputs;
    const int64_t *free, *driven;  /* numbers of coordinates */
    const int64_t *turned;         /* of each ball joint: the first of its three entries of `free` */
    const int64_t *used;           /* of each row: its number among all rows of the mechanism */
    const int64_t *on_velocities;  /* of each row: not 0 if it restricts velocities alone */
    const double *open;            /* of each row: more than this is not closed */
    const double *units;           /* of each entry of `free`: what counts as one of it */
    double length;                 /* one unit of length [m] */
    double epsilon;                /* of the matrix, in rows of constraints */
    double radius;                 /* spectral radius of the step at infinity, 0 to 1 */
    int64_t solves;                /* of each step of Newton's method; 0: as many as it takes */
    void (*place)(const il_redundant_point *at, double *pose, double *twist);
    void (*residual)(const il_redundant_point *at, double *r, double *effort);
    void (*matrix)(const il_redundant_point *at, double *A);
    void (*gaps)(const il_redundant_point *at, double *g); /* joints and rows, twice differentiated */
    void (*speeds)(const il_redundant_point *at, double *v); /* rates of the rows */
    const il_sparse_lu *lu;
    int (*advance)(void *context, double t, double h, double t_new, const double *x, double *x_new,
                   int whole); /* il_alpha_advance, compiled for speed with the rest */
} il_redundant;

/* What a run of it needs; see il_redundant_lay_out. */
typedef struct il_redundant_memory {
    const il_redundant *table;
    il_redundant_point point;
    double *r, *b, *y, *A, *effort, *drives;
    double *moved;                 /* by the step so far: bodies, joints */
    double *before;                /* inputs of the step as if they had not changed where it begins */
    double *jumped[2];             /* u̇ and a there, if they have */
    double *history[2];            /* of il_alpha.c: where a step began, and where it led to */
    il_sparse_lu_memory lu;
    int64_t answering;             /* not 0: lu is that of il_redundant_respond at the point */
    int64_t iterations;            /* of Newton's method in the last step */
    double correction;             /* its last one, in units */
    int64_t divided;               /* steps that had to be divided */
} il_redundant_memory;

static inline int64_t il_redundant_moving(const il_redundant *table)
{
    return 6 * table->bodies + table->free_count + table->states;
}

/* Memory of the caller; NULL while it is measured. */
il_redundant_memory *il_redundant_lay_out(il_arena *from, const il_redundant *table);

/* The point for a time: nothing accelerates, no forces, the matrix that of accelerations. */
void il_redundant_begin(il_context *c, double t);

/* y = A^-1 b, without ε in the rows of constraints; r is lost. `again`: A is that of the last time. */
int il_redundant_solve(il_redundant_memory *m, int again);

/* A state into the point, at which nothing accelerates. */
int il_redundant_put(il_context *c, double t, const double *x);
/* The state of the point. */
void il_redundant_tell(const il_redundant_memory *m, double *x);

/* Close the rows at the point, which places the bodies: joints move by as little as masses let them.
   moved: some had to. IL_LOOP_OPEN: they cannot be closed near there. */
int il_redundant_close(il_context *c, int *moved);

/* Velocities at the point that fit the rows; e: restitution of all rows of the mechanism, or NULL. */
int il_redundant_fit_speeds(il_redundant_memory *m, const double *e);

/* Velocities that are left when the constraints grip at a state, with its restitutions. */
int il_redundant_grip(il_context *c, const il_view *before, double *qd);

/* Accelerations, wrenches and multipliers at a state, left in the point. Positions that do not fit are
   fitted, and then velocities; these in any case if `fit` is not 0. IL_LOOP_OPEN: constraints cannot be
   fulfilled there, or have lost rank. */
int il_redundant_accelerate(il_context *c, double t, const double *x, int fit);

/* The same as an il_rates and an il_expand. */
int il_redundant_rates(void *context, double t, const double *x, double *xd);
int64_t il_redundant_expand(void *context, int64_t count, const double *t, const double *x, double *q,
                            double *qd, double *qdd, double *lam, double *effort);

/* For IL_MOREAU, il_redundant_strike.c: the context's positions and velocities at a state, what an impulse
   changes there (an il_responder), and a state that fits (an il_fitter). */
int il_redundant_settle(void *context, double t, const double *x);
void il_redundant_respond(void *context, double g, const double *push, double *change);
int il_redundant_fit(void *context, double t, double *x);

/* Motion of the driven joints at a time, into the point. */
int il_redundant_drive(il_context *c, double t);

/* Numbers of one history, and how a snapshot holds both; see il_alpha.c. */
int64_t il_alpha_numbers(const il_redundant *table);
/* A step that is too short for il_alpha.c, from x with the rates of its velocities and states; 0 if
   they change too much in it. */
int il_alpha_rest(il_context *c, double t_new, double h, const double *x, const double *rates,
                  double *x_new);
/* Forget what came before: parameters have changed. */
void il_alpha_forget(il_redundant_memory *m);
/* One step of the generalized-alpha method, an il_advancer. */
int il_alpha_advance(void *context, double t, double h, double t_new, const double *x, double *x_new,
                     int whole);

#endif
