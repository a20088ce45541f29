/* Constrained motion of large mechanisms: Eq. 16 of the ROBOTRAN paper with sparse factors. */
#ifndef IL_CLOSED_H
#define IL_CLOSED_H

#include "il_sparse.h"

/* A mechanism with loops and drives.
 *
 * Internal order of coordinates: m dependent ones in elimination order, nu independent in theirs,
 * nd driven. order[k] is the external index of the k-th one.
 */
typedef struct {
    int32_t m, nu, nd;
    const int32_t *order;
    il_factors Jv;           /* columns of the dependent coordinates */
    il_rows Jk;              /* the other columns; entries in this order */
    il_rows M;               /* full mass matrix */
    const int32_t *M_entry;  /* by place of M: index among the given entries */
    il_rows B;               /* independent coordinates on which each dependent one depends */
    il_rows MA;              /* columns of M A by rows */
    il_rows Mr;              /* A^T M A above its diagonal, fill included */
    /* generated code for the pattern of Jv, see il_sparse_lu.h; NULL: use its tables */
    void (*factor)(const double *A, double *factors, double *reciprocals);
    void (*solve)(const double *factors, const double *reciprocals, const double *b, double *y,
        double *x);
} il_closed;

/* Work memory, with the length of each array. */
typedef struct {
    double *Jv;          /* Jv.places */
    double *reciprocals; /* m */
    double *row;         /* m + nu + nd */
    double *B;           /* m * nu */
    double *Mr;          /* nu * nu */
    double *Mr_pivots;   /* nu */
    double *x;           /* m + nu + nd */
    double *need;        /* m + nu + nd */
} il_closed_work;

/* Factor J_v, into w. */
void il_closed_factor(const il_closed *s, const il_closed_work *w, const double *Jv,
    double *reciprocals);

/* One Newton step: J_v step = -h. */
void il_closed_newton(const il_closed *s, const il_closed_work *w, const double *Jv,
    const double *h, double *step, double *reciprocals);

/* All velocities from those of independent and driven coordinates: J qd + nu = 0.
 * Leaves the factors of J_v in w. */
void il_closed_velocities(const il_closed *s, const il_closed_work *w, const double *Jv,
    const double *Jk, const double *nu, const double *qd, double *v);

/* Accelerations, multipliers and efforts of the drives, after il_closed_velocities.
 *
 * M qdd + c = tau + J^T lam, J qdd + gamma = 0; qdd gives those of driven coordinates. */
void il_closed_motion(const il_closed *s, const il_closed_work *w, const double *Jk,
    const double *M, const double *gamma, const double *c, const double *tau, const double *qdd,
    double *a, double *lam, double *effort);

#endif
