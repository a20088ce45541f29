/* What touches what in a pile; see il_pile.h. */
#include "il_pile_parts.h"

#include <math.h>
#include <string.h>

#include "il_vector3.h"

enum { FEATURES = 1 << 24, COPIES = 16 };

/* see il_approach.c */
static const double sudden = 2.0, hardly = 1e3, hardly_if_carried = 1e4;
static const double steep = 0.7;

/* Half the extent of a shape along an axis of the world. */
static double extent(const il_shape *shape, const double *row)
{
    if (shape->kind == IL_BOX) {
        return shape->edges[0] * fabs(row[0]) + shape->edges[1] * fabs(row[1]) +
               shape->edges[2] * fabs(row[2]);
    }
    return shape->radius + shape->half + shape->tube;
}

static int is_endless(const il_shape *shape)
{
    return shape->kind == IL_PLANE || shape->kind == IL_GROUND;
}

/* Where the members are, and boxes around them that are larger by half the margin. */
static void place_members(const il_pile *pile, const il_pile_parts *p)
{
    const double *told = p->found + IL_PILE_NUMBERS;

    for (int64_t k = 0; k < pile->member_count; k++) {
        il_pile_member *member = p->members + k;
        const int64_t tree = pile->trees[k];
        member->p = told;
        member->R = told + 3;
        member->twist = told + 12;
        told += 12 + (tree < 0 ? 0 : 6 * (pile->first[tree + 1] - pile->first[tree]));
        for (int axis = 0; axis < 3 && !is_endless(pile->shapes + k); axis++) {
            const double half =
                extent(pile->shapes + k, member->R + 3 * axis) + 0.5 * pile->margin;
            member->low[axis] = member->p[axis] - half;
            member->high[axis] = member->p[axis] + half;
        }
    }
}

/* Not 0: the boxes around two members overlap. */
static int may_touch(const il_pile *pile, const il_pile_parts *p, int64_t i, int64_t j)
{
    const il_pile_member *a = p->members + i, *b = p->members + j;

    if (pile->trees[i] == pile->trees[j]) {
        return 0;
    }
    if (is_endless(pile->shapes + i) || is_endless(pile->shapes + j)) {
        return 1;
    }
    return a->low[0] <= b->high[0] && b->low[0] <= a->high[0] && a->low[1] <= b->high[1] &&
           b->low[1] <= a->high[1] && a->low[2] <= b->high[2] && b->low[2] <= a->high[2];
}

/* Rows of a member along a direction at a point, times `sign`, as lane `row` of the contact. */
static void write_row(const il_pile *pile, const il_pile_parts *p, int64_t member, double sign,
                      const double *point, const double *direction, int row,
                      double H[IL_TREE_MOST][IL_PILE_LANES])
{
    const int64_t tree = pile->trees[member];
    const il_pile_member *at = p->members + member;
    double arm[3], moment[3];

    if (tree < 0) {
        return;
    }
    const int64_t n = pile->first[tree + 1] - pile->first[tree];
    const double *twist = at->twist;
    il_sub3(point, at->p, arm);
    il_cross3(arm, direction, moment);
    for (int64_t j = 0; j < n; j++) {
        H[j][row] = sign * (direction[0] * twist[j] + direction[1] * twist[n + j] +
                            direction[2] * twist[2 * n + j] + moment[0] * twist[3 * n + j] +
                            moment[1] * twist[4 * n + j] + moment[2] * twist[5 * n + j]);
    }
}

/* Velocity along a row before the step, and what smooth forces add to it. */
static void find_motion(const il_pile_parts *p, const il_pile_contact *contact, int row,
                        il_pile_touch *touch)
{
    double before = 0.0, after = 0.0;

    for (int side = 0; side < 2; side++) {
        const int64_t at = contact->tree[side] * IL_TREE_MOST;
        for (int j = 0; contact->tree[side] >= 0 && j < IL_TREE_MOST; j++) {
            before += contact->H[side][j][row] * p->before[at + j];
            after += contact->H[side][j][row] * p->free[at + j];
        }
    }
    touch->begun[row] = before;
    touch->pushed[row] = after - before;
}

/* How a touch acts, and when; see il_approach.c, without what bends the way of the gap. */
static void classify(const il_contact_table *table, double h, double reach, double gap, int carried,
                     il_pile_touch *touch)
{
    const double u = touch->begun[0], pushed = touch->pushed[0];
    const double smooth = sudden * fabs(pushed) + table->near / h;
    const double first = gap - 0.5 * h * u;
    const double ahead = fmin(0.0, 0.5 * h * (2.0 * u + pushed));
    const double open = (carried ? hardly_if_carried : hardly) * table->near;

    touch->when = 0.5;
    touch->deed = first > reach ? IL_PILE_OPEN : IL_PILE_WAITS;
    if (!(u < -smooth) && (first <= table->near || (first <= open && first + ahead <= 0.0))) {
        touch->deed = IL_PILE_CLOSED;
        return;
    }
    const double root = u * u - 2.0 * pushed * first / h;
    if (first <= 0.0) {
        touch->deed = IL_PILE_HITS;
        touch->when = 0.0;
    } else if (root >= 0.0 && sqrt(root) > u) {
        const double when = 2.0 * first / h / (sqrt(root) - u);
        if (when < 1.0 && sqrt(root) > smooth) {
            touch->deed = IL_PILE_HITS;
            touch->when = when;
        } else if (when < 1.0) {
            touch->deed = IL_PILE_CLOSED;
        }
    }
}

/* The slot of the step before that holds the same touch; slots are in the order of pairs. */
static const double *find_slot(const il_pile *pile, const double *states, int64_t *at,
                               double pair, double identity)
{
    const double *slots = states + IL_PILE_HEAD;

    while (*at < pile->slots && slots[IL_PILE_SLOT * *at + 3] > 0.0 &&
           slots[IL_PILE_SLOT * *at + 3] < pair) {
        ++*at;
    }
    for (int64_t k = *at; k < pile->slots && k < *at + IL_SPOTS_MOST; k++) {
        if (slots[IL_PILE_SLOT * k + 3] == identity) {
            return slots + IL_PILE_SLOT * k;
        }
    }
    return NULL;
}

/* Y = M^-1 H^T and W of a contact whose rows are there. */
static void answer(const il_pile_parts *p, il_pile_contact *contact)
{
    double trace = 0.0;

    memset(contact->W, 0, sizeof contact->W);
    for (int side = 0; side < 2; side++) {
        if (contact->tree[side] < 0) {
            continue;
        }
        const double *inverse = p->inverse + contact->tree[side] * IL_TREE_MOST * IL_TREE_MOST;
        for (int k = 0; k < IL_PILE_ROWS; k++) {
            double *Y = contact->Y[side][k];
            memset(Y, 0, IL_TREE_MOST * sizeof *Y);
            for (int j = 0; j < IL_TREE_MOST; j++) {
                const double h = contact->H[side][j][k];
                for (int i = 0; i < IL_TREE_MOST; i++) {
                    Y[i] += inverse[IL_TREE_MOST * j + i] * h;
                }
            }
            for (int l = 0; l < IL_PILE_ROWS; l++) {
                for (int j = 0; j < IL_TREE_MOST; j++) {
                    contact->W[IL_PILE_ROWS * l + k] += contact->H[side][j][l] * Y[j];
                }
            }
        }
    }
    for (int k = 0; k < IL_PILE_ROWS; k++) {
        contact->W[4 * k] += contact->soft;
        trace += contact->W[4 * k];
    }
    contact->weight = trace / IL_PILE_ROWS;
}

/* Two members in the order in which they collide. */
typedef struct pair {
    int64_t a, b;
    double identity; /* of its first touch */
} pair;

/* Make a touch a contact, if it acts. Not 0: it does. */
static int take(const il_contact_table *table, const il_strike *strike, const il_pile_parts *p,
                const pair *of, const il_spot *spot, double reach, const double *was)
{
    const il_pile *pile = table->pile;
    const il_pile_member *A = p->members + of->a;
    il_pile_contact *contact = p->contacts + *p->count;
    il_pile_touch *touch = p->touches + *p->count;
    double point[3], axes[3][3];

    il_turn3(A->R, spot->point, point);
    il_along3(point, 1.0, A->p, point);
    il_turn3(A->R, spot->normal, axes[0]);
    contact->tree[0] = pile->trees[of->a];
    contact->tree[1] = pile->trees[of->b];
    memset(contact->H, 0, sizeof contact->H);
    write_row(pile, p, of->a, -1.0, point, axes[0], 0, contact->H[0]);
    write_row(pile, p, of->b, 1.0, point, axes[0], 0, contact->H[1]);
    find_motion(p, contact, 0, touch);
    classify(table, strike->h, reach, spot->gap, was && was[0] > 0.0, touch);
    if (touch->deed == IL_PILE_OPEN) {
        return 0;
    }
    const double *n = axes[0];
    axes[1][0] = axes[1][1] = axes[1][2] = 0.0;
    axes[1][fabs(n[0]) < steep ? 0 : 1] = 1.0;
    il_along3(axes[1], -il_dot3(axes[1], n), n, axes[1]);
    il_unit3(axes[1]);
    il_cross3(axes[1], n, axes[2]);
    for (int row = 1; row < IL_PILE_ROWS; row++) {
        write_row(pile, p, of->a, -1.0, point, axes[row], row, contact->H[0]);
        write_row(pile, p, of->b, 1.0, point, axes[row], row, contact->H[1]);
        find_motion(p, contact, row, touch);
    }
    contact->mu = p->found[0];
    contact->soft = p->found[2] / (strike->h * strike->h);
    memset(contact->c, 0, sizeof contact->c);
    memset(contact->r, 0, sizeof contact->r);
    for (int row = 0; row < IL_PILE_ROWS && was && touch->deed == IL_PILE_CLOSED; row++) {
        contact->r[row] = was[row] * strike->h;
        contact->c[row] = -contact->soft * contact->r[row];
    }
    if (touch->deed == IL_PILE_HITS) {
        contact->c[0] = p->found[1] * fmin(0.0, touch->begun[0]);
    } else if (touch->deed == IL_PILE_WAITS) {
        /* the gap at the end, gap + h/2 (u before + u after), stays open */
        contact->c[0] = 2.0 * spot->gap / strike->h;
    }
    touch->opposed = 0;
    answer(p, contact);
    return 1;
}

/* The farthest that anything may go in the step [m], which is how far a touch that waits may be. */
static double reach_of(const il_pile *pile, double h, const il_pile_parts *p)
{
    double most = 0.0;

    for (int64_t k = 0; k < pile->member_count; k++) {
        const int64_t tree = pile->trees[k];
        if (tree < 0) {
            continue;
        }
        const int64_t n = pile->first[tree + 1] - pile->first[tree];
        const double *v = p->free + tree * IL_TREE_MOST, *twist = p->members[k].twist;
        double moved[6] = {0.0};
        for (int row = 0; row < 6; row++) {
            for (int64_t j = 0; j < n; j++) {
                moved[row] += twist[row * n + j] * v[j];
            }
        }
        const double size = pile->shapes[k].radius + pile->shapes[k].half + pile->shapes[k].tube;
        most = fmax(most, sqrt(il_dot3(moved, moved)) + size * sqrt(il_dot3(moved + 3, moved + 3)));
    }
    return h * most;
}

int il_pile_meet(const il_contact_table *table, const il_strike *strike, const il_pile_parts *p)
{
    const il_pile *pile = table->pile;
    const double *states = strike->x + pile->place;
    int64_t slot = 0;
    il_spots spots;

    place_members(pile, p);
    const double reach = reach_of(pile, strike->h, p);
    *p->count = 0;
    for (int64_t i = 0; i < pile->member_count; i++) {
        for (int64_t j = i + 1; j < pile->member_count; j++) {
            if (!may_touch(pile, p, i, j)) {
                continue;
            }
            const int swapped = !il_collides(pile->shapes[i].kind, pile->shapes[j].kind);
            const double number = (double)(i * pile->member_count + j);
            const pair of = {swapped ? j : i, swapped ? i : j, number * FEATURES * COPIES};
            const il_pile_member *A = p->members + of.a, *B = p->members + of.b;
            il_pose pose;
            double apart[3];
            il_sub3(B->p, A->p, apart);
            il_turn_back3(A->R, apart, pose.p);
            for (int row = 0; row < 3; row++) {
                for (int k = 0; k < 3; k++) {
                    pose.R[3 * row + k] = A->R[row] * B->R[k] + A->R[3 + row] * B->R[3 + k] +
                                          A->R[6 + row] * B->R[6 + k];
                }
            }
            il_collide(pile->shapes + of.a, pile->shapes + of.b, &pose, pile->margin, &spots);
            for (int64_t k = 0; k < spots.count; k++) {
                int64_t copy = 0;
                for (int64_t l = 0; l < k; l++) {
                    copy += spots.list[l].feature == spots.list[k].feature;
                }
                if (*p->count == pile->slots) {
                    return 1;
                }
                const double feature = (double)(spots.list[k].feature % FEATURES);
                const double identity = of.identity + feature * COPIES + (double)copy;
                const double *was = find_slot(pile, states, &slot, of.identity, identity);
                p->touches[*p->count].identity = identity;
                *p->count += take(table, strike, p, &of, spots.list + k, reach, was);
            }
        }
    }
    return 0;
}
