/* What the parts of a step know of a pile (il_pile.h). Not for users. */
#ifndef IL_PILE_PARTS_H
#define IL_PILE_PARTS_H

#include "il_contacts.h"
#include "il_pile_solver.h"

/* How a touch acts. */
enum il_pile_deed { IL_PILE_OPEN, IL_PILE_CLOSED, IL_PILE_HITS, IL_PILE_WAITS };

/* What the step knows of a contact beside what its island solves. */
typedef struct il_pile_touch {
    double identity;                                    /* which touch of which pair it is */
    double begun[IL_PILE_ROWS], pushed[IL_PILE_ROWS];   /* velocity before; what forces add to it */
    double memory[IL_PILE_ROWS];                        /* impulse that its spring remembers */
    double spring;                                      /* compliance of that, in impulses [1/kg] */
    double when;                                        /* it hits, in steps; 1/2 of others */
    double gap;                                         /* half-way [m] */
    const double *was;                                  /* its slot of the step before, or NULL */
    int64_t deed;
    int64_t opposed;                                    /* not 0: changed, because it did work */
} il_pile_touch;

/* A member at its place half-way. */
typedef struct il_pile_member {
    const double *p, *R, *twist;
    double low[3], high[3]; /* box around it */
} il_pile_member;

/* All lie in the memory of the pile; the first numbers are kept to the end of the step. */
typedef struct il_pile_parts {
    double *told;              /* residual, contacts that carry, impacts */
    int64_t *count;            /* contacts of the step */
    il_pile_contact *contacts;
    il_pile_touch *touches;
    double *found;             /* by il_contact_table.rows */
    int64_t size;              /* velocities that a tree has at most */
    double h;                  /* length of the step [s] */
    int fresh;                 /* not 0: nothing has carried in the step before */
    double *M, *inverse;       /* of each tree, a square of IL_TREE_MOST; then M^-1 */
    double *before, *free, *v; /* velocities of each tree: before, without contacts, at work */
    double *shift;             /* by tree: what hits move beside the mean of both velocities, over h */
    il_pile_member *members;
    double *blocks, *dv, *dense;
    int64_t *parent;           /* of trees: the forest of unions */
    int64_t *position, *pattern;
    int64_t *order, *tree_order; /* contacts and trees, island after island */
    int64_t *ends;             /* of each island: end of its contacts, end of its trees */
    int64_t *near;             /* of il_pile_near */
} il_pile_parts;

/* Contacts and moments of a step, at most. */
static inline int64_t il_pile_capacity(const il_pile *pile)
{
    return pile->slots * (pile->turns ? 2 : 1);
}

il_pile_parts il_pile_split(const il_pile *pile, double *work, int64_t *integers);

int il_pile_is_endless(const il_shape *shape);

/* Sort members by where they are; then tell which ones with larger numbers may touch member i, in the
   order of their numbers, and how many there are. */
int64_t il_pile_near_integers(int64_t members);
void il_pile_sort(const il_pile *pile, const il_pile_parts *p);
int64_t il_pile_near(const il_pile *pile, const il_pile_parts *p, int64_t i, const int64_t **near);

/* Rows of rotation of a member, times lengths of resistance and `sign`, about both tangents and the
   normal of a contact. axes[c][k]: component c of axis k, the normal first. */
void il_turning_rows(const il_pile *pile, const il_pile_parts *p, int64_t member, double sign,
                     double axes[3][IL_PILE_LANES], double H[IL_TREE_MOST][IL_PILE_LANES]);

/* What is near each other at the state half-way, as contacts that act; 1 if there are too many. */
int il_pile_meet(const il_contact_table *table, const il_strike *strike, const il_pile_parts *p);

/* Find impulses of all islands, and let them act on v; in bounded time, or patiently. */
void il_pile_solve(const il_pile *pile, const il_pile_parts *p, int patient);

/* Find what hits move beside the mean of both velocities; gained: energy of contacts, not above 0, which
   the shift does not lift above 0 either. */
void il_island_shift(const il_island *island, const il_pile_parts *p,
                     const il_island_effort *effort, double gained);

/* For il_contacts.h: a step of a pile, and its states at the end; returns the residual. */
int il_pile_strike(const il_contacts *contacts, const il_strike *strike, double *x_new);
double il_pile_tell(const il_contacts *contacts, double h, double *x_new);

#endif
