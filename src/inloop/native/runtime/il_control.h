/* Error norm and step size control. Internal.
 *
 * Gustafsson's PI controller with the constants of DOPRI5: Hairer, Norsett & Wanner, Solving
 * Ordinary Differential Equations I (1993), II.4; II (1996), IV.2.
 */
#ifndef IL_CONTROL_H
#define IL_CONTROL_H

#include "il_method.h"

/* Root mean square of v_i / (atol_i + rtol_i max(|x_i|, |y_i|)). */
double il_error_norm(int64_t size, const double *v, const double *x, const double *y,
                     const double *rtol, const double *atol);

/* Step after a successful one of length h with this error (at most 1), after error_before. */
double il_step_after_success(double h, double error, double error_before, int power);

/* Step after a rejected one, with an error above 1. */
double il_step_after_failure(double h, double error, int power);

#endif
