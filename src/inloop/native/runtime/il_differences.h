/* The Jacobian of a system: its own, or forward differences of its rates. Internal. */
#ifndef IL_DIFFERENCES_H
#define IL_DIFFERENCES_H

#include "il_method.h"

/* J, whose first n rows are not written by differences, and dfdt, at the start of the step.
 *
 * The slope there must be known. work: 2 size numbers. A component is changed by 1.5e-8 of its
 * magnitude; near 0, of 3e-3 units or, in an adaptive run, of 1e6 atol if that is less.
 */
int il_find_jacobian(il_stepper *stepper, const il_span *span, double *J, double *dfdt,
                     double *work);

#endif
