/* Generated functions of one mode in terms of all its coordinates. */
#ifndef IL_FORMULA_H
#define IL_FORMULA_H

#include <stdint.h>

/* Their inputs. */
typedef struct il_view {
    const double *pre, *u;
    double t;
    const double *q, *qd;
    const double *lam;               /* of all rows; 0 for those that are not in use */
    const double *effort, *z;
    const double *e;                 /* restitution of all rows */
    const double *qdd;
} il_view;

/* A generated program with all its outputs concatenated. */
typedef void (*il_formula)(const il_view *view, double *out);

/* All coordinates, multipliers and efforts from stepper states; returns the number of valid rows.
   */
typedef int64_t (*il_expand)(void *context, int64_t count, const double *t, const double *x,
                             double *q, double *qd, double *qdd, double *lam, double *effort);

#endif
