/* Which contacts stick, slip and open from a state on; see il_touching.h.
 *
 * Contacts that meet hit first, all that are closed at once, as in il_impact.c. Accelerations of
 * those that stay closed then fulfill
 *
 *   0 <= f_n ⊥ a_n >= 0,   f_t = -mu f_n d where it slips along d,   else dry friction as of
 *   velocities, with a in place of u
 *
 * which il_contact_solver.h solves: a contact that slips has one row there, and its column is that
 * of n - mu d. Where that column does not push it apart (Painlevé 1895), or nothing solves the
 * problem, forces are not possible.
 */
#include "il_touching.h"

#include <math.h>
#include <string.h>

#include "il_cholesky.h"
#include "il_method.h"

/* rebounds that would rise less than this, in characteristic lengths, are not followed: about what
   rounding leaves of a gap */
static const double lowest_rebound = 1e-15;

/* accelerations, or forces, below this part of the largest are zero; and a residual that is none */
static const double nothing = 1e-8, unsolved = 1e-9;

/* slip that has just begun turns at once to where accelerations lead, which no explicit method can
   follow: up to this part of a natural speed it keeps its direction */
static const double still_starting = 1e-7;

/* gaps beyond this many times what counts as closed stay as they are */
static const double too_deep = 1e3;

/* time in which gaps are closed [s]: so short that nothing else happens */
static const double instant = 1e-6;

enum { MOST_BLOWS = 20 };

/* What a contact that is closed does along its tangents. */
static void take_slip(il_touching *touching, int64_t i, double zero)
{
    const il_contact_table *table = touching->contacts.table;
    const int64_t tangents = table->first[i + 1] - table->first[i] - 1;
    const double *u = touching->u + table->first[i] + 1;
    const double second = tangents > 1 ? u[1] : 0.0;
    const double slip = tangents > 0 ? sqrt(u[0] * u[0] + second * second) : 0.0;

    touching->modes[i] = slip > zero ? IL_SLIPPING : IL_STICKING;
    touching->starts[i] = touching->starts[i] && slip <= touching->slow;
    if (slip > zero) {
        touching->direction[2 * i] = u[0] / slip;
        touching->direction[2 * i + 1] = second / slip;
    }
}

/* The contacts that are closed; not 0: some meet. */
static int sort_out(il_touching *touching)
{
    const il_contact_table *table = touching->contacts.table;
    const double zero = il_touching_standstill(touching);
    int meets = 0;

    for (int64_t i = 0; i < touching->count; i++) {
        const double gap = touching->p.gap[i], u = touching->u[table->first[i]];

        touching->p.struck[i] = gap <= table->near && u < -zero ? IL_FAST : 0;
        meets |= touching->p.struck[i] != 0;
        touching->modes[i] = IL_APART;
        if (gap <= touching->near && fabs(u) <= zero) {
            take_slip(touching, i, zero);
        }
        touching->p.pressed[i] = touching->modes[i] != IL_APART;
    }
    return meets;
}

/* Not 0: a contact that leaves, or is about to rebound, with u would not rise so high that it shows
   in its gap. Its acceleration is known. */
static int stays_low(const il_touching *touching, int64_t i, double u)
{
    const double falls = -touching->still[touching->contacts.table->first[i]];
    return u * u < 2.0 * fmax(0.0, falls) * lowest_rebound * touching->size;
}

/* What hits so slowly that its rebound would be lost in rounding does not rebound. */
static int settle_slow_ones(il_touching *touching, double t, const double *x)
{
    const il_contact_table *table = touching->contacts.table;

    /* accelerations are told of contacts that are not apart */
    for (int64_t i = 0; i < touching->count; i++) {
        touching->modes[i] = touching->p.struck[i] ? IL_STICKING : touching->modes[i];
    }
    const int status = il_touching_still(touching, t, x, touching->rates_beside);
    for (int64_t i = 0; status == IL_OK && i < touching->count; i++) {
        const double rebound = touching->p.e[i] * touching->u[table->first[i]];
        if (touching->p.struck[i] && stays_low(touching, i, rebound)) {
            touching->p.struck[i] = IL_SLOW;
        }
    }
    return status;
}

/* Let all that meets hit, until nothing does. */
static int collide(il_touching *touching, double t, double *x)
{
    const il_contacts *contacts = &touching->contacts;
    const int64_t n = touching->free.n;

    int status = il_touching_look(touching, t, x);
    for (int blow = 0; status == IL_OK && sort_out(touching); blow++) {
        if (blow == MOST_BLOWS) {
            return IL_CONTACT_INEXACT;
        }
        status = settle_slow_ones(touching, t, x);
        if (status != IL_OK) {
            return status;
        }
        memcpy(touching->x_beside, x, (size_t)il_state_size(&touching->free) * sizeof *x);
        const il_strike strike = {
            .context = touching->free.context,
            .t = t,
            .h = touching->whole,
            .whole = touching->whole,
            .x_middle = touching->x_beside,
            .x_end = touching->x_beside,
            .x = touching->x_beside,
            .n = n,
        };
        status = il_contacts_hit(contacts, &strike, x);
        status = status == IL_OK ? il_touching_look(touching, t, x) : status;
    }
    return status;
}

/* The problem of accelerations: W, q and where contacts begin; returns how many there are. */
static int64_t pose(il_touching *touching, double *largest)
{
    const il_contact_table *table = touching->contacts.table;
    il_strike_parts *const p = &touching->p;
    const int64_t n = touching->free.n, rows = il_touching_columns(touching);
    const double *F = touching->columns, *G = F + touching->rows * n;
    int64_t count = 0, row = 0;

    p->first[0] = 0;
    *largest = 1e-12 * touching->size / (touching->whole * touching->whole);
    for (int64_t i = 0; i < touching->count; i++) {
        if (touching->modes[i] == IL_APART) {
            continue;
        }
        const int slips = touching->modes[i] == IL_SLIPPING;
        const int64_t own = slips ? 1 : table->first[i + 1] - table->first[i];
        p->acting[count] = i;
        p->own_mu[count] = slips ? 0.0 : p->mu[i];
        p->first[count + 1] = p->first[count] + own;
        count++;
        for (int64_t k = 0; k < own; k++, row++) {
            p->q[row] = touching->still[table->first[i] + k];
            p->r[row] = touching->force[table->first[i] + k];
            *largest = fmax(*largest, fabs(p->q[row]));
        }
    }
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < rows; j++) {
            p->W[i * rows + j] = il_dot(n, G + i * n, F + j * n);
        }
    }
    p->rows = rows;
    p->count = count;
    return count;
}

/* Not 0: friction presses a contact that slips together instead of apart. */
static int jams(const il_touching *touching)
{
    const il_strike_parts *p = &touching->p;

    for (int64_t c = 0; c < p->count; c++) {
        const int64_t k = p->first[c];
        const double *G = touching->columns + (touching->rows + k) * touching->free.n;
        const double own = il_dot(touching->free.n, G, G);
        if (!(p->W[k * p->rows + k] > nothing * own)) {
            return 1;
        }
    }
    return 0;
}

/* What a contact does from now on, by its force f and acceleration a. */
static void take_mode(il_touching *touching, int64_t c, const double *a, double largest)
{
    const il_contact_table *table = touching->contacts.table;
    const il_strike_parts *p = &touching->p;
    const int64_t i = p->acting[c], row = p->first[c], own = p->first[c + 1] - row;
    const int64_t first = table->first[i], rows = table->first[i + 1] - first;
    const double *f = p->r + row;
    double *const d = touching->direction + 2 * i;

    touching->unit[i] = largest / p->W[row * p->rows + row];
    memset(touching->force + first, 0, (size_t)rows * sizeof *f);
    if (f[0] <= nothing * touching->unit[i] && a[0] > nothing * largest) {
        touching->modes[i] = IL_APART;
        return;
    }
    memcpy(touching->force + first, f, (size_t)own * sizeof *f);
    if (touching->modes[i] == IL_STICKING && own > 1) {
        const double second = own > 2 ? a[2] : 0.0, slip = sqrt(a[1] * a[1] + second * second);
        if (slip > nothing * largest) {
            touching->modes[i] = IL_SLIPPING;
            touching->starts[i] = 1;
            d[0] = a[1] / slip;
            d[1] = second / slip;
        }
    }
}

/* Accelerations at x; contacts that leave, but not so that it would show, stay closed. */
static int hold_low_ones(il_touching *touching, double t, const double *x)
{
    const il_contact_table *table = touching->contacts.table;
    const double zero = il_touching_standstill(touching);

    for (int64_t i = 0; i < touching->count; i++) {
        if (touching->modes[i] == IL_APART && touching->p.gap[i] <= table->near) {
            take_slip(touching, i, zero);
        }
    }
    const int status = il_touching_still(touching, t, x, touching->rates_beside);
    for (int64_t i = 0; status == IL_OK && i < touching->count; i++) {
        const double u = touching->u[table->first[i]];
        if (touching->modes[i] != IL_APART && u > zero && !stays_low(touching, i, u)) {
            touching->modes[i] = IL_APART;
        }
    }
    return status;
}

/* Modes of the contacts that are closed at x, from their accelerations. */
static int find_modes(il_touching *touching, double t, const double *x)
{
    il_strike_parts *const p = &touching->p;
    il_contact_report report;
    double largest;

    const int status = hold_low_ones(touching, t, x);
    if (status != IL_OK || pose(touching, &largest) == 0) {
        return status;
    }
    if (jams(touching)) {
        return IL_CONTACT_JAMMED;
    }
    const il_contact_problem problem = {p->first, p->own_mu, p->W, NULL,
                                        p->q, p->count, p->rows, NULL};
    (void)il_contact_solve(&problem, &touching->contacts.effort, p->r, p->solver, &report);
    if (!(report.residual <= unsolved)) {
        return IL_CONTACT_JAMMED;
    }
    for (int64_t k = 0; k < p->rows; k++) {
        p->u[k] = p->q[k] + il_dot(p->rows, p->W + k * p->rows, p->r);
    }
    touching->slow = still_starting * sqrt(largest * touching->size);
    for (int64_t c = 0; c < p->count; c++) {
        take_mode(touching, c, p->u + p->first[c], largest);
    }
    return IL_OK;
}

/* Numbers of the unknown forces of contact i, and where they lie. */
static int64_t unknowns_of(const il_touching *touching, int64_t i)
{
    const int64_t *first = touching->contacts.table->first;
    return touching->modes[i] == IL_APART      ? 0
           : touching->modes[i] == IL_SLIPPING ? 1
                                               : first[i + 1] - first[i];
}

/* The smallest forces f of redundant contacts, G M^-1 F^T f = -still; 0: they are not redundant. */
static int find_smallest(il_touching *touching, double *f)
{
    const int64_t n = touching->free.n, unknowns = il_touching_columns(touching);
    const double *F = touching->columns, *G = F + touching->rows * n;
    double *const A = touching->p.W, *const y = touching->p.q;
    int64_t row = 0;

    for (int64_t k = 0; k < unknowns * unknowns; k++) {
        A[k] = il_dot(n, G + k / unknowns * n, F + k % unknowns * n);
    }
    for (int64_t i = 0; i < touching->count; i++) {
        for (int64_t k = 0; k < unknowns_of(touching, i); k++, row++) {
            double *const line = touching->matrix + row * (unknowns + 1);
            for (int64_t j = 0; j < unknowns; j++) {
                line[j] = il_dot(unknowns, A + row * unknowns, A + j * unknowns);
            }
            line[unknowns] = -touching->still[touching->contacts.table->first[i] + k];
        }
    }
    if (il_touching_solve(touching, unknowns, y) == unknowns) {
        return 0;
    }
    for (int64_t k = 0; k < unknowns; k++) {
        f[k] = 0.0;
        for (int64_t j = 0; j < unknowns; j++) {
            f[k] += A[j * unknowns + k] * y[j];
        }
    }
    return 1;
}

/* Forces on the line from those that were found to the smallest ones, and how possible they are. */
static double share_out(il_touching *touching, const double *smallest, double share)
{
    const int64_t *first = touching->contacts.table->first;

    memcpy(touching->found, touching->force, (size_t)touching->rows * sizeof(double));
    for (int64_t i = 0; i < touching->count; i++) {
        for (int64_t k = 0; k < unknowns_of(touching, i); k++) {
            const double begun = touching->force[first[i] + k];
            touching->found[first[i] + k] = begun + share * (*smallest++ - begun);
        }
    }
    return il_touching_force_margin(touching);
}

/* Forces of redundant contacts are those of that line that are farthest from what is not possible:
   what was found may be at its edge, and leave it at once. The distance is a concave function. */
static void spread(il_touching *touching)
{
    enum { THIRDS = 40 };
    double *const smallest = touching->p.r;
    double low = -3.0, high = 3.0;

    if (!find_smallest(touching, smallest)) {
        return;
    }
    const double found = share_out(touching, smallest, 0.0);
    for (int trial = 0; trial < THIRDS; trial++) {
        const double left = low + (high - low) / 3.0, right = high - (high - low) / 3.0;
        if (share_out(touching, smallest, left) < share_out(touching, smallest, right)) {
            low = left;
        } else {
            high = right;
        }
    }
    if (share_out(touching, smallest, 0.5 * (low + high)) > found) {
        memcpy(touching->force, touching->found, (size_t)touching->rows * sizeof(double));
    }
}

/* The least change of v, or of q, that brings the rows G to zero that are `off`. */
static void find_change(il_touching *touching, int64_t unknowns, const double *off)
{
    const int64_t n = touching->free.n;
    const double *G = touching->columns + touching->rows * n;
    double *const f = touching->p.q, *const change = touching->p.change;

    for (int64_t i = 0; i < unknowns; i++) {
        double *const row = touching->matrix + i * (unknowns + 1);
        for (int64_t j = 0; j < unknowns; j++) {
            row[j] = il_dot(n, G + i * n, G + j * n);
        }
        row[unknowns] = -off[i];
    }
    il_touching_solve(touching, unknowns, f);
    memset(change, 0, (size_t)n * sizeof *change);
    for (int64_t k = 0; k < unknowns; k++) {
        il_move_by(n, change, change, f[k], G + k * n);
    }
    il_solve_upper(n, touching->p.M, change);
}

/* What rounding and steps have left of velocities that are zero, and of gaps that are closed. */
static int project(il_touching *touching, double t, double *x)
{
    const il_contact_table *table = touching->contacts.table;
    const il_system *system = &touching->free;
    const int64_t n = system->n, size = il_state_size(system);
    double *const off = touching->p.u, *const deep = touching->p.pushed;
    const int64_t unknowns = il_touching_columns(touching);
    int64_t k = 0;

    for (int64_t i = 0; i < touching->count; i++) {
        const int64_t first = table->first[i];
        for (int64_t j = 0; j < unknowns_of(touching, i); j++, k++) {
            const double gap = j == 0 ? touching->p.gap[i] : 0.0;
            off[k] = touching->u[first + j];
            deep[k] = fabs(gap) <= too_deep * touching->near ? gap : 0.0;
        }
    }
    if (unknowns == 0) {
        return IL_OK;
    }
    /* coordinates move as they would with such a velocity, and all that depends on them */
    find_change(touching, unknowns, deep);
    double *const beside = touching->x_beside, *const rates = touching->rates_beside;
    memcpy(beside, x, (size_t)size * sizeof *x);
    for (int64_t j = 0; j < n; j++) {
        beside[n + j] = touching->p.change[j] / instant;
    }
    find_change(touching, unknowns, off);
    il_move_by(n, x + n, x + n, 1.0, touching->p.change);
    const int status = system->rates(system->context, t, beside, rates);
    il_move_by(n, x, x, instant, rates);
    const int64_t behind = 2 * n + table->states;
    il_move_by(size - behind, x + behind, x + behind, instant, rates + behind);
    il_normalize(system, x);
    return status;
}

int il_touching_decide(il_touching *touching, double t, double *x)
{
    const il_contact_table *table = touching->contacts.table;

    int status = collide(touching, t, x);
    status = status == IL_OK ? find_modes(touching, t, x) : status;
    if (status == IL_OK) {
        spread(touching);
    }
    status = status == IL_OK ? project(touching, t, x) : status;
    for (int64_t i = 0; status == IL_OK && i < touching->count; i++) {
        /* what was closed, or has just hit, leaves from there */
        const int leaves = touching->p.gap[i] <= table->near || touching->p.pressed[i];
        touching->gap_begun[i] = leaves ? touching->p.gap[i] : INFINITY;
        if (touching->modes[i] != IL_APART && touching->p.deeds[i] < IL_ACTED) {
            touching->p.deeds[i] = IL_ACTED;
        }
    }
    return status;
}
