/* Impulses of contacts with dry friction that act on each other, in memory of the caller.
 *
 *   u = (W + R) r + q,   K* ∋ u + mu |u_t| n ⊥ r ∈ K   for each contact (il_cone.h)
 *
 * W = H A^-1 H^T couples the contacts through the mechanism; it may be singular (more contacts than
 * the mechanism can feel), and need not be symmetric. R >= 0 is the compliance of the contacts.
 *
 * The residual tells how far r is from a solution, whatever the units of mass:
 *
 *   max over contacts of |w r - P_K(w r - û)| / max |q|,   w = trace(W_ii + R_ii) / rows of i
 *
 * Sweeps of Gauss and Seidel, in which each contact is solved exactly while the others stay, find
 * what sticks, slips and opens; Newton's method for just these modes then finds the impulses to all
 * digits. Where it does not help more sweeps follow, and where W is so singular that neither helps,
 * the problem is softened and the softness taken out again (proximal points). All of it is bounded.
 */
#ifndef IL_CONTACT_SOLVER_H
#define IL_CONTACT_SOLVER_H

#include "il_cone.h"
#include "il_status.h"

typedef struct il_contact_problem {
    const int64_t *first; /* row at which each contact begins, then the number of rows */
    const double *mu;     /* of each contact, >= 0 */
    const double *W;      /* row-major, rows `stride` apart */
    const double *R;      /* diagonal, by row; NULL: 0 */
    const double *q;
    int64_t count;        /* of contacts; each has 1 to IL_CONE_ROWS rows, */
    int64_t stride;
    const int64_t *turning; /* and behind them moments: by contact, rows of rolling and of drilling
                               (il_rolling.h); NULL: none has any */
} il_contact_problem;

/* What may be spent. */
typedef struct il_contact_effort {
    double tolerance; /* of the residual */
    int64_t sweeps;   /* at most */
    int64_t newtons;  /* at most, steps of Newton's method */
    double speed;     /* residuals are measured by it, if it is more than max |q| [m/s] */
} il_contact_effort;

/* What was spent, and what came of it. */
typedef struct il_contact_report {
    double residual;
    int64_t sweeps, newtons;
    int64_t softened; /* proximal points that were needed */
} il_contact_report;

/* Length of the work array [doubles] for so many contacts and rows. */
IL_EXPORT int64_t il_contact_work_size(int64_t count, int64_t rows);

/* Find r, from the r of the caller (a warm start; else 0). Returns IL_OK, or IL_CONTACT_INEXACT:
   then r is the best that was found, and the report tells how good it is. */
IL_EXPORT int il_contact_solve(const il_contact_problem *problem, const il_contact_effort *effort,
                               double *r, double *work, il_contact_report *report);

/* The residual of any r. */
IL_EXPORT double il_contact_residual(const il_contact_problem *problem, const double *r,
                                     double *work);

#endif
