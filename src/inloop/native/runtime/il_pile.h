/* A pile: many bodies that touch each other and the ground wherever they meet.
 *
 * The bodies hang on a forest of small trees (a free body is one of six velocities). Nothing couples
 * two trees but contacts, so the mass matrix is a block for each tree, and impulses are found in the
 * space of velocities: v = v_f + sum of Y_i r_i, where Y_i = M^-1 H_i^T has entries in the trees of the
 * two bodies of contact i only.
 *
 * Each step, with poses and rows of half-way (il_contacts.h):
 *
 *   1. which members are near each other, where they touch, and which touches act: those that are
 *      closed, that hit, and that wait, open, for what may be pushed into them within the step;
 *   2. islands: trees that contacts join, directly or through others, apart from all the rest;
 *   3. the impulses of each island (il_pile_solver.h), from those of the step before;
 *   4. the energy of each island: contacts never add to it, however well impulses were found.
 *
 * All contacts of a step are solved at once, with the velocity before the step as that of impacts; what
 * hits moves on from where it hits. Contacts are no states by pair: those that carry share `slots`, and
 * each tells which touch of which pair it is, so that it is found again in the next step.
 *
 *   states: residual, number of contacts that carry, number of impacts; then of each slot normal and
 *   tangential forces [N] and the identity of the touch: 0 of an empty slot, negative if it was hit, so
 *   that a contact that gives way does not remember the force
 */
#ifndef IL_PILE_H
#define IL_PILE_H

#include "il_collision.h"

enum il_pile_sizes {
    IL_TREE_MOST = 8,    /* velocities of a tree: one vector register, or two */
    IL_PILE_HEAD = 3,    /* states before the slots */
    IL_PILE_SLOT = 4,    /* states of a slot */
    IL_PILE_NUMBERS = 5  /* friction, restitution, compliance [m/N], lengths of rolling and drilling
                            resistance [m]: of all contacts */
};

typedef struct il_pile {
    const il_shape *shapes;     /* of the members */
    const int64_t *trees;       /* of the members; -1: it is part of the ground */
    int64_t member_count;
    const int64_t *first;       /* where in `velocities` those of each tree begin, then the end */
    const int64_t *velocities;  /* numbers of coordinates, tree after tree */
    int64_t tree_count;
    double margin;              /* larger gaps are not looked at [m] */
    int64_t slots;              /* contacts that may carry at a time */
    int64_t turns;              /* not 0: they resist rolling or drilling */
    int64_t place;              /* where in x its states begin */
} il_pile;

/* Numbers that il_contact_table.rows tells of a pile: IL_PILE_NUMBERS, pose (p, R in the world) and
   twist (velocity and angular velocity by velocity of its tree) of each member, masses of each tree. */
int64_t il_pile_found(const il_pile *pile);

/* Length of its memory, in numbers and integers. */
int64_t il_pile_work(const il_pile *pile);
int64_t il_pile_integers(const il_pile *pile);

#endif
