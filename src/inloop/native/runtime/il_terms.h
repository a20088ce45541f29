/* Terms of the equations of a mechanism with loops, for any choice of independent coordinates.
 *
 *   h(q, t) = 0,   J qd + nu = 0,   J qdd + gamma = 0,   M qdd + c = tau + J^T lam
 *
 * Generated functions write these terms into an il_terms_at; il_reduction.h solves with them. J and
 * M are given by their structural nonzeros.
 */
#ifndef IL_TERMS_H
#define IL_TERMS_H

#include "il_attitude.h"
#include "il_sparse.h"

/* State of the mechanism, and its terms there. All rows, including redundant ones. */
typedef struct il_terms_at {
    const double *pre, *u, *z;       /* prepared quantities, inputs, states of laws */
    double t;                        /* [s] */
    double *q, *qd, *qdd, *lam;      /* coordinates and their rates; multipliers of all rows */
    double *sine, *cosine;           /* of the angles that the terms need */
    double *h, *J, *nu;              /* of closing */
    double *M, *gamma, *c;           /* of motion; M: its lower half, row by row */
    double *zd;                      /* of rates: those of the states of laws */
} il_terms_at;

typedef void (*il_term)(const il_terms_at *at);

typedef struct il_terms {
    int32_t n, states, angles;       /* coordinates, states of laws, length of sine and cosine */
    int32_t attitudes;               /* unit quaternions at the end of q, see il_attitude.h */
    const int64_t *turned;           /* first of the three coordinates of each */
    int32_t nd;
    const int32_t *driven;           /* nd coordinates whose motion is prescribed */
    il_rows J, M;                    /* columns of the entries; of M those of the lower half */
    il_term sines;                   /* at q, t, u, z */
    /* updated after changes dq of all coordinates, none of them beyond IL_SMALL_TURN */
    void (*turn)(const il_terms_at *at, const double *dq);
    il_term closing;                 /* h, J and nu at q, t */
    il_term motion;                  /* M, gamma and c, given qd */
    il_term rates;                   /* zd, given qdd and lam; NULL without states */
} il_terms;

/* Length of q: the coordinates, then the quaternions. */
static inline int32_t il_terms_positions(const il_terms *terms)
{
    return terms->n + IL_QUATERNION * terms->attitudes;
}

#endif
