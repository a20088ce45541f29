/* What the parts of a step know of hard contacts (il_contacts.h). Not for users. */
#ifndef IL_STRIKE_H
#define IL_STRIKE_H

#include "il_contacts.h"

/* How contacts hit: slow ones as smooth forces bring them about, without restitution. */
enum il_hit { IL_SLOW = 1, IL_FAST };

/* What contacts have done in the step so far. */
enum il_deed { IL_ACTED = 1, IL_HIT_SLOWLY, IL_HIT_FAST };

/* What a step knows of its contacts; of those that act, first closed ones, then impacts. */
typedef struct il_strike_parts {
    double *found;           /* by il_contact_table.rows, in this order: */
    double *gap;
    const double *mu, *e, *soft;
    double *w, *H;           /* w half-way */
    double *w_before, *w_after; /* at the beginning of the step, and at its end */
    double *found_before;    /* at the beginning, if it is known */
    il_touch_memory *memory_before;
    double *gap_before;      /* the same, if it is known */
    int gap_known;
    double *turned;          /* by row of the table: velocity half-way that is to be turned back,
                                because the row, at rest at the beginning, has turned; else 0 */
    double *back;            /* velocities that may be opposite at the end of a part */
    double *M;               /* then its factor */
    const double *meetings;  /* poses and twists */
    il_touch_memory *memory; /* of contacts that are found, by number of the contact */
    double *acting_H;        /* rows of contacts that act */
    double *Y;               /* what a unit of each impulse changes, in rows of `width` */
    int64_t width;           /* n: L^-1 H^T, with M = L L^T; or n and the states of laws */
    double *W;
    double *u, *pushed;      /* velocities, and what smooth forces of the whole step add to them */
    double *q, *r, *R;       /* of the problem of a part of the step */
    double *begun;           /* velocities with which it begins */
    double *squeezed;        /* impulses of the compression of an impact */
    double *apart;           /* velocities with which an expansion ends, of normals at least */
    double *sum, *moved;     /* impulses of the whole step; times when they act, after half-way */
    double *own_mu;          /* by contact that acts */
    double *change;          /* of velocities or positions */
    double *solver;
    int64_t *acting, *first; /* numbers of contacts that act; where their rows begin */
    int64_t *opposed;        /* of those that act: friction opposes the mean of velocities */
    int64_t *turning;        /* of those that act, if any resists: rows of rolling and drilling */
    int64_t closed, count;   /* contacts that are closed, and with those that hit */
    int64_t rows;
    double when;             /* of the first impact, in steps */
    double speed;            /* largest of u and pushed together */
    double *given;           /* impulses of the step by row of the table, then the residual */
    double *kept;            /* the same before a part that is tried several times */
    int64_t *struck;         /* by contact: 0, or how it hits next */
    int64_t *deeds;          /* by contact: 0, or what it has done */
    int64_t *pressed;        /* by contact: it has carried up to the next impact */
} il_strike_parts;

/* What a contact is about to do. */
typedef struct il_approach {
    double when; /* it closes, in steps; beyond 1: not within this one */
    int fast;    /* not 0: faster than smooth forces make it close */
    int closed;  /* not 0: it is closed already */
} il_approach;

/* Where all of it is in the memory of the contacts. */
il_strike_parts il_strike_split(const il_contacts *contacts, const il_strike *strike);

/* The same with room of its own for what is found at the beginning of the step. */
il_strike_parts il_strike_before(const il_contact_table *table, const il_strike *strike,
                                 const il_strike_parts *p);

/* What the table tells of all contacts at a state, into `found`: wherever they are looked at in a
   step, it is by this. */
int il_strike_rows(const il_contact_table *table, const il_strike *strike, double t,
                   const double *x, const il_strike_parts *p);

/* Gaps, rows and masses half-way, how rows turn up to there, and what drives do; the status of
   `rows`. */
int il_strike_look(const il_contact_table *table, const il_strike *strike, il_strike_parts *p);

/* Velocity of a row of the table at the beginning of the step, and what smooth forces and drives
   add to it in the whole step. */
void il_strike_motion(const il_strike *strike, const il_strike_parts *p, const double *v_free,
                       int64_t row, double *u, double *pushed);

il_approach il_approach_of(const il_contact_table *table, const il_strike *strike,
                           const double *v_free, const il_strike_parts *p, int64_t i);

/* Impulses r of the first `count` contacts after the velocities q. */
void il_strike_solve(const il_contacts *contacts, il_strike_parts *p, int64_t count);

/* Let impulses r of the first contacts act; `delay`: when they do, after half-way, in steps. */
void il_strike_act(il_strike_parts *p, int64_t count, double delay);

/* The impact of all contacts that act. */
void il_strike_impact(const il_contacts *contacts, il_strike_parts *p);

#endif
