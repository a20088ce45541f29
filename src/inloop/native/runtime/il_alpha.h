/* What the parts of the generalized-alpha method share; see il_alpha.c. */
#ifndef IL_ALPHA_H
#define IL_ALPHA_H

#include "il_redundant.h"
#include "il_rotation.h"

/* Parts of a history: what belongs to the state at the end of a step. */
typedef struct il_alpha_history {
    double *known;  /* 1 if there is one */
    double *x;      /* the state: q, qd, z, quaternions of ball joints */
    double *p;      /* p_WC and quaternion of each body */
    double *u, *ud; /* velocities and their rates: bodies, joints, states of laws */
    double *a;      /* what the method integrates instead of the rates: those of Δα h later */
    double *jerk;   /* change of the rates per time in the step that led here */
    double *meant;  /* the step h that a is meant for */
    double *tau, *in; /* efforts and inputs at the end of the step that led here */
    double *lam, *mu;
} il_alpha_history;

/* Coefficients of a step. */
typedef struct il_alpha_rule {
    double h, alpha_m, alpha_f, gamma, beta;
    double ahead; /* Δα = αm - αf */
    double per_motion, per_speed; /* β' and γ': how accelerations and velocities follow motions */
    double from_new, from_old, from_a; /* a at the end of the step, from rates at both and a before */
} il_alpha_rule;

/* Inputs that are others than at the end of the step before; accelerations jump with them. */
typedef struct il_alpha_change {
    int efforts, inputs; /* not 0: some have changed */
} il_alpha_change;

/* Where motions of a step lead bodies to, from where they were; `finish` of il_alpha.c sees to lengths. */
static inline void il_alpha_lead(const il_redundant *table, const double *moved, const double *from,
                                 double *to)
{
    for (int64_t k = 0; k < table->bodies; k++, moved += 6, from += 7, to += 7) {
        for (int i = 0; i < 3; i++) {
            to[i] = from[i] + moved[i];
        }
        il_turn_nearly(from + 3, moved + 3, to + 3);
    }
}

/* Joints and states of laws of the point, where the motions of a step lead to; attitudes of ball joints
   from where they were in x. */
int il_alpha_move(il_context *c, const double *x, const il_alpha_history *next);
/* The whole point, with the poses of bodies. */
int il_alpha_put(il_context *c, const double *x, const il_alpha_history *next);
/* The motions of a step from their first guess, il_alpha_newton.c. */
int il_alpha_newton(il_context *c, const double *x, const il_alpha_rule *s,
                    const il_alpha_history *now, const il_alpha_history *next, il_alpha_change changed);
/* Coefficients of a step of length h. */
il_alpha_rule il_alpha_rule_of(double radius, double h);

#endif
