/* Root of a scalar function. Internal. */
#ifndef IL_ROOT_H
#define IL_ROOT_H

#include "il_status.h"

enum { IL_ROOT_TRIALS = 100 };

/* f(s); returns IL_OK or the status that ends the search. */
typedef int (*il_curve)(void *context, double s, double *f);

typedef struct il_point {
    double s;
    double f;
} il_point;

/* Find where f falls from a.f > 0 to b.f <= 0, a.s < b.s.
 *
 * Shrinks the bracket until it is no longer than s_tolerance and |f| at one of its ends is no
 * larger than f_tolerance, or no number is left between them; in at most IL_ROOT_TRIALS trials, all
 * but 24 of which at least halve it. *s is the end with the smaller |f|.
 */
int il_find_root(il_curve curve, void *context, il_point a, il_point b, double s_tolerance,
                 double f_tolerance, double *s);

#endif
