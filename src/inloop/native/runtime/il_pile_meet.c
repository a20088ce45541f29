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
        for (int axis = 0; axis < 3 && !il_pile_is_endless(pile->shapes + k); axis++) {
            const double half =
                extent(pile->shapes + k, member->R + 3 * axis) + 0.5 * pile->margin;
            member->low[axis] = member->p[axis] - half;
            member->high[axis] = member->p[axis] + half;
        }
    }
}

/* Rows of a member along the axes of a contact at a point, times `sign`. axes[c][k]: component c of
   axis k. */
static void write_rows(const il_pile *pile, const il_pile_parts *p, int64_t member, double sign,
                       const double *point, double axes[3][IL_PILE_LANES],
                       double H[IL_TREE_MOST][IL_PILE_LANES])
{
    const int64_t tree = pile->trees[member];
    const il_pile_member *at = p->members + member;
    double arm[3];

    if (tree < 0) {
        return;
    }
    const int64_t n = pile->first[tree + 1] - pile->first[tree];
    il_sub3(point, at->p, arm);
    for (int64_t j = 0; j < n; j++) {
        const double *t = at->twist + j;
        /* velocity of the point, v + w x arm */
        const double x = sign * (t[0] + t[4 * n] * arm[2] - t[5 * n] * arm[1]);
        const double y = sign * (t[n] + t[5 * n] * arm[0] - t[3 * n] * arm[2]);
        const double z = sign * (t[2 * n] + t[3 * n] * arm[1] - t[4 * n] * arm[0]);
        for (int k = 0; k < IL_PILE_LANES; k++) {
            H[j][k] = x * axes[0][k] + y * axes[1][k] + z * axes[2][k];
        }
    }
}

/* Velocities before the step, and what smooth forces add to them. */
static void find_motion(const il_pile_parts *p, const il_pile_contact *contact, il_pile_touch *touch)
{
    double before[IL_PILE_LANES] = {0.0}, after[IL_PILE_LANES] = {0.0};

    for (int side = 0; side < 2; side++) {
        const int64_t at = contact->tree[side] * IL_TREE_MOST;
        for (int j = 0; contact->tree[side] >= 0 && j < IL_TREE_MOST; j++) {
            for (int k = 0; k < IL_PILE_LANES; k++) {
                before[k] += contact->H[side][j][k] * p->before[at + j];
                after[k] += contact->H[side][j][k] * p->free[at + j];
            }
        }
    }
    for (int k = 0; k < IL_PILE_ROWS; k++) {
        touch->begun[k] = before[k];
        touch->pushed[k] = after[k] - before[k];
    }
}

/* How fast anything hits, and the most that forces of the step change velocities [m/s]. */
typedef struct bounds {
    double hit, change;
} bounds;

/* How a touch acts, and when; see il_approach.c, without what bends the way of the gap. */
static void classify(const il_contact_table *table, double h, const bounds *most,
                     il_pile_touch *touch)
{
    const int carried = touch->was && touch->was[0] > 0.0;
    const double u = touch->begun[0], pushed = touch->pushed[0], reach = h * most->hit;
    /* what falls with another is not pushed towards it, and yet carried by it */
    const double smooth = sudden * most->change + table->near / h;
    const double first = touch->gap - 0.5 * h * u;
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

    while (*at < pile->slots && slots[IL_PILE_SLOT * *at + 3] != 0.0 &&
           fabs(slots[IL_PILE_SLOT * *at + 3]) < pair) {
        ++*at;
    }
    for (int64_t k = *at; k < pile->slots && k < *at + IL_SPOTS_MOST; k++) {
        if (fabs(slots[IL_PILE_SLOT * k + 3]) == identity) {
            return slots + IL_PILE_SLOT * k;
        }
    }
    return NULL;
}

/* Y = M^-1 H^T and W of a contact whose rows are there. */
static void answer(const il_pile_parts *p, il_pile_contact *contact)
{
    double W[IL_PILE_ROWS][IL_PILE_LANES] = {{0.0}}, trace = 0.0;

    for (int side = 0; side < 2; side++) {
        if (contact->tree[side] < 0) {
            continue;
        }
        const double *inverse = p->inverse + contact->tree[side] * IL_TREE_MOST * IL_TREE_MOST;
        for (int k = 0; k < IL_PILE_ROWS; k++) {
            double Y[IL_TREE_MOST] = {0.0};
            for (int j = 0; j < IL_TREE_MOST; j++) {
                const double h = contact->H[side][j][k];
                for (int i = 0; i < IL_TREE_MOST; i++) {
                    Y[i] += inverse[IL_TREE_MOST * j + i] * h;
                }
            }
            double own[IL_PILE_LANES] = {0.0};
            for (int j = 0; j < IL_TREE_MOST; j++) {
                for (int l = 0; l < IL_PILE_LANES; l++) {
                    own[l] += contact->H[side][j][l] * Y[j];
                }
            }
            for (int l = 0; l < IL_PILE_LANES; l++) {
                W[k][l] += own[l];
            }
            memcpy(contact->Y[side][k], Y, sizeof Y);
        }
    }
    for (int k = 0; k < IL_PILE_ROWS; k++) {
        memcpy(contact->W + IL_PILE_ROWS * k, W[k], IL_PILE_ROWS * sizeof *contact->W);
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

/* Rows and motion of the moments of the touch that was placed last, as the next contact. */
static void place_moments(const il_pile *pile, const il_pile_parts *p, const pair *of,
                          double axes[3][IL_PILE_LANES])
{
    const il_pile_contact *contact = p->contacts + *p->count - 1;
    il_pile_contact *moments = p->contacts + *p->count;
    il_pile_touch *touch = p->touches + *p->count;

    *moments = (il_pile_contact){.tree = {contact->tree[0], contact->tree[1]}, .turns = 1};
    *touch = (il_pile_touch){.identity = 0.0};
    il_turning_rows(pile, p, of->a, -1.0, axes, moments->H[0]);
    il_turning_rows(pile, p, of->b, 1.0, axes, moments->H[1]);
    find_motion(p, moments, touch);
    ++*p->count;
}

/* Rows and motion of a touch, with its moments where it resists: the last of all contacts so far. */
static void place_touch(const il_pile *pile, const il_pile_parts *p, const pair *of,
                        const il_spot *spot)
{
    const il_pile_member *A = p->members + of->a;
    il_pile_contact *contact = p->contacts + *p->count;
    il_pile_touch *touch = p->touches + *p->count;
    double point[3], n[3], t1[3] = {0.0, 0.0, 0.0}, t2[3];

    il_turn3(A->R, spot->point, point);
    il_along3(point, 1.0, A->p, point);
    il_turn3(A->R, spot->normal, n);
    t1[fabs(n[0]) < steep ? 0 : 1] = 1.0;
    il_along3(t1, -il_dot3(t1, n), n, t1);
    il_unit3(t1);
    il_cross3(t1, n, t2);
    double axes[3][IL_PILE_LANES] = {
        {n[0], t1[0], t2[0], 0.0}, {n[1], t1[1], t2[1], 0.0}, {n[2], t1[2], t2[2], 0.0}};
    contact->tree[0] = pile->trees[of->a];
    contact->tree[1] = pile->trees[of->b];
    memset(contact->H, 0, sizeof contact->H);
    write_rows(pile, p, of->a, -1.0, point, axes, contact->H[0]);
    write_rows(pile, p, of->b, 1.0, point, axes, contact->H[1]);
    find_motion(p, contact, touch);
    touch->gap = spot->gap;
    contact->turns = 0;
    ++*p->count;
    if (pile->turns) {
        place_moments(pile, p, of, axes);
    }
}

/* Make a touch that acts a contact. */
static void take(const il_strike *strike, const il_pile_parts *p, il_pile_contact *contact,
                 il_pile_touch *touch)
{
    if (contact->turns) {
        answer(p, contact);
        return;
    }
    const double *was = touch->was;
    /* impacts are rigid, and so is a beginning: springs that are born loaded do not sink */
    const int carries = touch->deed == IL_PILE_CLOSED;

    contact->mu = p->found[0];
    contact->soft = carries && !p->fresh ? p->found[2] / (strike->h * strike->h) : 0.0;
    touch->spring = contact->soft;
    for (int k = 0; k < IL_PILE_LANES; k++) {
        contact->r[k] = k < IL_PILE_ROWS && was && carries ? was[k] * strike->h : 0.0;
        contact->c[k] = 0.0;
    }
    for (int k = 0; k < IL_PILE_ROWS; k++) {
        touch->memory[k] = was && was[IL_PILE_ROWS] > 0.0 ? contact->r[k] : 0.0;
        contact->c[k] = -contact->soft * touch->memory[k];
    }
    if (carries) {
        /* what opens may close again as far: then the contact does no work */
        contact->c[0] += fmax(0.0, touch->begun[0]);
    } else if (touch->deed == IL_PILE_HITS) {
        contact->c[0] = p->found[1] * fmin(0.0, touch->begun[0]);
    } else {
        /* the gap at the end, gap + h/2 (u before + u after), stays open */
        contact->c[0] = 2.0 * touch->gap / strike->h;
    }
    touch->opposed = 0;
    answer(p, contact);
}

/* How a touch acts; moments do what the touch before them does. */
static void judge(const il_contact_table *table, const il_strike *strike, const il_pile_parts *p,
                  const bounds *most, int64_t i)
{
    il_pile_touch *touch = p->touches + i;
    if (p->contacts[i].turns) {
        touch->deed = touch[-1].deed;
        touch->when = touch[-1].when;
    } else {
        classify(table, strike->h, most, touch);
    }
}

/* How the touches act; those that are open go. */
static void sort_out(const il_contact_table *table, const il_strike *strike, const il_pile_parts *p,
                     const bounds *most)
{
    int64_t kept = 0;

    for (int64_t i = 0; i < *p->count; i++) {
        judge(table, strike, p, most, i);
    }
    for (int64_t i = 0; i < *p->count; i++) {
        if (p->touches[i].deed != IL_PILE_OPEN) {
            if (kept < i) {
                p->contacts[kept] = p->contacts[i];
                p->touches[kept] = p->touches[i];
            }
            kept++;
        }
    }
    *p->count = kept;
}

/* How fast anything hits at most [m/s]. */
static double fastest_hit(const il_contact_table *table, const il_strike *strike,
                          const il_pile_parts *p, const bounds *most)
{
    double fastest = 0.0;

    for (int64_t i = 0; i < *p->count; i++) {
        judge(table, strike, p, most, i);
        if (p->touches[i].deed == IL_PILE_HITS && !p->contacts[i].turns) {
            fastest = fmax(fastest, -p->touches[i].begun[0]);
        }
    }
    return fastest;
}

/* Speed of the surface of a member, at most, where its tree has velocities v. */
static double speed_of(const il_pile *pile, const il_pile_parts *p, int64_t member, const double *v)
{
    const int64_t tree = pile->trees[member], n = pile->first[tree + 1] - pile->first[tree];
    const double *twist = p->members[member].twist;
    const il_shape *shape = pile->shapes + member;
    double moved[6] = {0.0};

    for (int row = 0; row < 6; row++) {
        for (int64_t j = 0; j < n; j++) {
            moved[row] += twist[row * n + j] * v[j];
        }
    }
    return sqrt(il_dot3(moved, moved)) +
           (shape->radius + shape->half + shape->tube) * sqrt(il_dot3(moved + 3, moved + 3));
}

static double most_change(const il_pile *pile, const il_pile_parts *p)
{
    double most = 0.0;

    for (int64_t k = 0; k < pile->member_count; k++) {
        const int64_t at = pile->trees[k] * IL_TREE_MOST;
        double change[IL_TREE_MOST];
        if (at < 0) {
            continue;
        }
        for (int j = 0; j < IL_TREE_MOST; j++) {
            change[j] = p->free[at + j] - p->before[at + j];
        }
        most = fmax(most, speed_of(pile, p, k, change));
    }
    return most;
}

/* All touches of a pair; 1 if there are too many that act. */
static int meet_pair(const il_contact_table *table, const il_strike *strike, const il_pile_parts *p,
                     const pair *of, const bounds *most, int64_t *slot)
{
    const il_pile *pile = table->pile;
    const il_pile_member *A = p->members + of->a, *B = p->members + of->b;
    il_pose pose;
    il_spots spots;
    double apart[3];

    il_sub3(B->p, A->p, apart);
    il_turn_back3(A->R, apart, pose.p);
    for (int row = 0; row < 3; row++) {
        for (int k = 0; k < 3; k++) {
            pose.R[3 * row + k] =
                A->R[row] * B->R[k] + A->R[3 + row] * B->R[3 + k] + A->R[6 + row] * B->R[6 + k];
        }
    }
    il_collide(pile->shapes + of->a, pile->shapes + of->b, &pose, pile->margin, &spots);
    for (int64_t k = 0; k < spots.count; k++) {
        int64_t copy = 0;
        for (int64_t l = 0; l < k; l++) {
            copy += spots.list[l].feature == spots.list[k].feature;
        }
        if (*p->count == il_pile_capacity(pile)) {
            /* without those that would only wait */
            sort_out(table, strike, p, most);
        }
        if (*p->count == il_pile_capacity(pile)) {
            return 1;
        }
        const double feature = (double)(spots.list[k].feature % FEATURES);
        il_pile_touch *touch = p->touches + *p->count;
        touch->identity = of->identity + feature * COPIES + (double)copy;
        touch->was =
            find_slot(pile, strike->x + pile->place, slot, of->identity, touch->identity);
        place_touch(pile, p, of, spots.list + k);
    }
    return 0;
}

/* All pairs that may touch, in the order of their numbers; 1 if there are too many touches. */
static int meet_all(const il_contact_table *table, const il_strike *strike, const il_pile_parts *p,
                    const bounds *most)
{
    const il_pile *pile = table->pile;
    int64_t slot = 0;

    *p->count = 0;
    for (int64_t i = 0; i < pile->member_count; i++) {
        const int64_t *near, count = il_pile_near(pile, p, i, &near);
        for (int64_t k = 0; k < count; k++) {
            const int64_t j = near[k];
            const int swapped = !il_collides(pile->shapes[i].kind, pile->shapes[j].kind);
            const double number = (double)(i * pile->member_count + j);
            const pair of = {swapped ? j : i, swapped ? i : j, number * FEATURES * COPIES};
            if (meet_pair(table, strike, p, &of, most, &slot)) {
                return 1;
            }
        }
    }
    return 0;
}

int il_pile_meet(const il_contact_table *table, const il_strike *strike, const il_pile_parts *p)
{
    place_members(table->pile, p);
    il_pile_sort(table->pile, p);
    bounds most = {0.0, most_change(table->pile, p)};
    const int many = meet_all(table, strike, p, &most);
    /* what is hit may close other gaps in the same step */
    most.hit = fastest_hit(table, strike, p, &most);
    sort_out(table, strike, p, &most);
    for (int64_t i = 0; i < *p->count; i++) {
        take(strike, p, p->contacts + i, p->touches + i);
    }
    return many;
}
