/* Impulses of one island of a pile (il_pile.h), in the space of velocities.
 *
 * Each contact is a Coulomb cone (il_cone.h) with u = H v + R r + c. Sweeps of Gauss and Seidel solve one
 * contact after the other exactly. Then each contact becomes a spring of compliance ρ w that remembers
 * its impulse, with friction that is bounded by the normal impulse of the spring itself:
 *
 *   r(v) = P(r - u(v) / (ρ w)),   M (v - v_f) = H^T r(v)
 *
 * Newton's method with a search along its steps, (M + H^T D H) dv = H^T r(v) - M (v - v_f) with
 * D = -dr/du, brings springs and masses in balance. D is not symmetric where friction slips, because it
 * follows the normal impulse: bounds that lag behind it would need many rounds, and may go back and forth
 * for ever. In balance springs remember what they carry now, and so on with harder springs (augmented
 * Lagrangian; Alart & Curnier 1991, doi:10.1016/0045-7825(91)90022-X). Where this comes to rest nothing
 * of ρ is left, and redundant contacts do no harm. The matrix has a block for each pair of trees that
 * touch, and trees are eliminated in an order that adds few (il_pile_order.c).
 *
 * Where contacts resist rolling and drilling (il_rolling.h) each is followed by its moments, as if they
 * were another contact between the same trees: two rows of rolling and one of drilling, bounded by the
 * normal impulse of the contact before.
 */
#ifndef IL_PILE_SOLVER_H
#define IL_PILE_SOLVER_H

#include <stdint.h>

#include "il_pile.h"

enum { IL_PILE_ROWS = 3, IL_PILE_SQUARE = 9, IL_PILE_LANES = 4 };

/* A contact that acts. */
typedef struct il_pile_contact {
    double H[2][IL_TREE_MOST][IL_PILE_LANES]; /* of both trees, by velocity and row */
    double Y[2][IL_PILE_ROWS][IL_TREE_MOST];  /* what a unit of each impulse changes in them */
    double W[IL_PILE_SQUARE];                 /* its own, with its compliance */
    double u[IL_PILE_LANES];                  /* relative velocity, with what is added to it, c */
    double c[IL_PILE_LANES], r[IL_PILE_LANES], y[IL_PILE_LANES];
    double du[IL_PILE_LANES];                 /* change of u along a step of Newton's method */
    double per;                               /* stiffness of its spring */
    double per_spin, bound;                   /* of moments: stiffness against drilling; their bound */
    double best[IL_PILE_ROWS];                /* r of the least deviation so far */
    double weight, mu, soft;
    int64_t tree[2];                          /* -1: the ground */
    int64_t turns;                            /* not 0: moments of the contact before it */
} il_pile_contact;

/* An island at work; places of contacts and trees in the arrays of the pile. */
typedef struct il_island {
    il_pile_contact *contacts;
    const int64_t *members;    /* its contacts */
    int64_t count;
    int64_t *trees;            /* its trees; Newton's method sorts them */
    int64_t tree_count;
    double *v;                 /* velocities of all trees, IL_TREE_MOST apart */
    const double *M;           /* mass matrices of all trees, a square of IL_TREE_MOST each */
    int64_t size;              /* velocities that a tree has at most */
    int64_t *position;         /* of all trees: which one of the island it is */
    int64_t *pattern;          /* il_island_pattern integers: which blocks there are */
    double *blocks;            /* of Newton's matrix */
    double *dv;                /* by tree of the island */
    const double *free;        /* velocities of all trees without contacts */
    double *dense;             /* il_island_dense_work numbers */
} il_island;

/* What may be spent on an island, and what was. */
typedef struct il_island_effort {
    double tolerance; /* of the deviation [m/s] */
    int64_t work;     /* what is left of what all islands may spend: contacts times visits */
    int64_t newtons;  /* and of steps of Newton's method in dense problems */
    double speed;     /* what meets in the island [m/s] */
    int patient;      /* not 0: time does not matter */
} il_island_effort;

/* Moments of a contact (il_pile_turning.c): solved while all else stays; how far they are from a
   solution, squared [m^2/s^2]; the impulses of their springs at velocity u, with D if it is wanted;
   springs that begin; and y within its bounds. */
void il_turning_visit(const il_pile_contact *moments, double *r);
double il_turning_deviation(const il_pile_contact *moments);
void il_turning_stretch(const il_pile_contact *moments, const double *u, double *r, double *D);
void il_turning_spring(il_pile_contact *moments, double softness);
void il_turning_bound(il_pile_contact *moments, double *r);

/* Blocks that Newton's matrix of so many trees may have. */
int64_t il_island_blocks(int64_t trees);

/* Numbers of both halves of it. */
int64_t il_island_numbers(int64_t trees);

/* Integers that tell which blocks there are. */
int64_t il_island_pattern(int64_t trees);

/* Contacts of an island that is solved as one dense problem where springs do not lead there. */
enum { IL_DENSE_MOST = 16 };

int64_t il_island_dense_work(void);

/* Improve r; returns the steps of Newton's method that it took. */
int64_t il_island_dense(const il_island *island, double tolerance, double speed, double *work);

/* u = H v + R r + c of a contact */
void il_island_velocity(const il_island *island, il_pile_contact *contact);

/* Springs in place of contacts (il_pile_springs.c). They begin from impulses r, with this compliance. */
void il_springs_begin(const il_island *island, double softness);

/* Bring them in balance with masses, as well as `enough` [m/s], in at most so many steps of Newton's
   method: v, and impulses as y. Returns the steps that were needed, or -1 if they were not enough. */
int il_springs_balance(const il_island *island, double enough, int most);

/* Improve r and v, which belong together; returns the largest deviation that is left [m/s]. */
double il_island_solve(const il_island *island, il_island_effort *effort);

#endif
