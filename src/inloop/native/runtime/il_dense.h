/* The polynomial over one step, in the form of Hairer, Norsett & Wanner (II.6):
 *
 *   x(t + s h) = r0 + s (r1 + (1 - s) (r2 + s (r3 + (1 - s) r4))),  0 <= s <= 1
 *
 * r0 to r4 are the rows of stepper->dense. It interpolates x and x_new exactly, and with the r2 and
 * r3 of il_dense_hermite also the slopes at both ends.
 */
#ifndef IL_DENSE_H
#define IL_DENSE_H

#include "il_method.h"

/* r0 and r1, and zeros for the others. */
void il_dense_line(il_stepper *stepper, const il_span *span);

/* r0 to r3 of the cubic through both states and slopes, which must be known. */
void il_dense_hermite(il_stepper *stepper, const il_span *span);

/* il_dense_hermite for methods without a polynomial of their own: evaluates the slope at the end,
   which the next step reuses. The error is of order 4. */
int il_dense_cubic(il_stepper *stepper, const il_span *span);

/* The same for methods with velocity jumps: a shorter step from the same state. The rows of `dense`
   are those of il_dense_line. */
int il_dense_reach(il_stepper *stepper, const il_span *span, double s, double *x);

/* x at the fraction s of the step. */
void il_dense_at(const il_stepper *stepper, double s, double *x);

#endif
