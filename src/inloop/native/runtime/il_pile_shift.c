/* Where hits move the trees of an island beside the mean of both velocities; see il_pile.h.
 *
 * A hit acts at its time, not half-way: it moves what it hits by its impulse times the time that this is
 * earlier. But what is hit may lie on something, and hits may come at different times: of all moves the
 * one next to it is taken (in the measure of masses) after which nothing overlaps more than before the
 * step, as far as rows tell (a few sweeps of Gauss and Seidel).
 */
#include <math.h>
#include <string.h>

#include "il_pile_parts.h"

enum { SWEEPS = 4, PATIENT_SWEEPS = 100 };

/* of what meets in the island: smaller changes of the shift are no longer worth a sweep */
static const double enough = 1e-5;

/* Move trees by an impulse of some rows of a contact. */
static void add(const il_pile_contact *contact, int row, double impulse, double *shift)
{
    for (int side = 0; side < 2; side++) {
        if (contact->tree[side] < 0) {
            continue;
        }
        double *to = shift + contact->tree[side] * IL_TREE_MOST;
        for (int j = 0; j < IL_TREE_MOST; j++) {
            to[j] += impulse * contact->Y[side][row][j];
        }
    }
}

/* How far a contact opens. */
static double opening(const il_pile_contact *contact, const double *shift)
{
    double sum = 0.0;

    for (int side = 0; side < 2; side++) {
        if (contact->tree[side] < 0) {
            continue;
        }
        const double *by = shift + contact->tree[side] * IL_TREE_MOST;
        for (int j = 0; j < IL_TREE_MOST; j++) {
            sum += contact->H[side][j][0] * by[j];
        }
    }
    return sum;
}

/* What hits alone do; not 0: there are some. */
static int shift_by_hits(const il_island *island, const il_pile_touch *touches, double *shift)
{
    int hits = 0;

    for (int64_t i = 0; i < island->count; i++) {
        const il_pile_contact *contact = island->contacts + island->members[i];
        const double early = 0.5 - touches[island->members[i]].when;
        for (int k = 0; k < IL_PILE_ROWS && early != 0.0; k++) {
            add(contact, k, early * contact->r[k], shift);
            hits = 1;
        }
    }
    return hits;
}

/* How far a contact must be opened, over h, so that its gap ends at 0 or as it has begun. */
static double wanted(const il_pile_contact *contact, const il_pile_touch *touch, double h)
{
    const double after = contact->u[0] - contact->c[0] - contact->soft * contact->r[0];
    const double first = touch->gap - 0.5 * h * touch->begun[0];
    return -fmax(0.0, first) / h - 0.5 * (touch->begun[0] + after);
}

/* Push contacts apart that would overlap: y holds the push of each and how far it must open. */
static void push_apart(const il_island *island, const il_pile_parts *p,
                       const il_island_effort *effort)
{
    const int most = 2 * (effort->patient ? PATIENT_SWEEPS : SWEEPS);
    double *shift = p->shift, largest = INFINITY;

    for (int64_t i = 0; i < island->count; i++) {
        il_pile_contact *contact = island->contacts + island->members[i];
        contact->y[0] = 0.0;
        contact->y[1] = wanted(contact, p->touches + island->members[i], p->h);
    }
    for (int k = 0; k < most && largest > enough * effort->speed; k++) {
        largest = 0.0;
        for (int64_t i = 0; i < island->count; i++) {
            const int64_t at = k % 2 ? island->count - 1 - i : i;
            il_pile_contact *contact = island->contacts + island->members[at];
            if (contact->turns) {
                continue;
            }
            const double ease = contact->W[0] - contact->soft;
            const double off = opening(contact, shift) - contact->y[1];
            const double push = fmax(0.0, contact->y[0] - off / ease);
            if (push != contact->y[0]) {
                largest = fmax(largest, ease * fabs(push - contact->y[0]));
                add(contact, 0, push - contact->y[0], shift);
                contact->y[0] = push;
            }
        }
    }
}

/* Energy of smooth forces that the shift adds at most: velocity terms among them, which do no work, may
   hide what others add, so that each tree counts with its size. */
static double lifted_by(const il_island *island, const il_pile_parts *p)
{
    double sum = 0.0;

    for (int64_t k = 0; k < island->tree_count; k++) {
        const int64_t at = island->trees[k] * IL_TREE_MOST;
        const double *M = island->M + at * IL_TREE_MOST, *shift = p->shift + at;
        for (int j = 0; j < IL_TREE_MOST; j++) {
            const double change = p->free[at + j] - p->before[at + j];
            double force = 0.0;
            for (int i = 0; i < IL_TREE_MOST; i++) {
                force += shift[i] * M[IL_TREE_MOST * j + i];
            }
            sum += fabs(force * change);
        }
    }
    return sum;
}

void il_island_shift(const il_island *island, const il_pile_parts *p,
                     const il_island_effort *effort, double gained)
{
    if (!shift_by_hits(island, p->touches, p->shift)) {
        return;
    }
    push_apart(island, p, effort);
    const double lifted = lifted_by(island, p);
    const double share = gained + lifted <= 0.0 ? 1.0 : fmax(0.0, -gained / lifted);
    for (int64_t k = 0; k < island->tree_count && share < 1.0; k++) {
        for (int j = 0; j < IL_TREE_MOST; j++) {
            p->shift[island->trees[k] * IL_TREE_MOST + j] *= share;
        }
    }
}
