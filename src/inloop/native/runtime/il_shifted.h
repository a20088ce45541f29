/* Linear systems with the matrix I / g - J of a system whose first n rows are (0, I, 0). Internal.
   */
#ifndef IL_SHIFTED_H
#define IL_SHIFTED_H

#include "il_method.h"

/* Eliminate q and factorize the rest, (n + m) x (n + m), into W; uses stepper->pivots. */
int il_shifted_factor(const il_stepper *stepper, double g, const double *J, double *W);

/* u = (I / g - J)^-1 u, with the W of il_shifted_factor for the same g and J. */
void il_shifted_solve(const il_stepper *stepper, double g, const double *J, const double *W,
                      double *u);

#endif
