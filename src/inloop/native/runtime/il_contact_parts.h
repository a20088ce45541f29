/* A contact problem while it is being solved. Not for users. */
#ifndef IL_CONTACT_PARTS_H
#define IL_CONTACT_PARTS_H

#include "il_contact_solver.h"

/* All lie in the work array; one entry per row unless said otherwise. */
typedef struct il_contact_parts {
    il_contact_problem problem; /* R and q: what is solved now, which may be softened */
    int64_t rows;
    double *u;
    double *y;       /* of il_cone_map */
    double *best;    /* r of the least residual of one way to find it */
    double *swept;   /* r after sweeps alone */
    double *kept;    /* r of the least residual of all ways */
    double *weights; /* w, by contact */
    double *modes;   /* by contact, see il_contact_mode */
    double *R, *q;   /* of softened problems */
    double *step;    /* unknowns of Newton's method */
    double *tangent; /* where it slips: unit vector of r_t, then slip over r_t, by contact */
    double *A;       /* Newton's matrix, see il_elimination.h */
    double *scales;     /* of moments, see il_rolling.h */
    double *disc_modes; /* there, three by contact */
} il_contact_parts;

/* u = (W + R) r + q */
void il_contact_velocities(const il_contact_parts *parts, const double *r);

/* One step of Newton's method from r for the modes of now; not 0: the matrix is singular. */
int il_contact_newton(const il_contact_parts *parts, double *r);

#endif
