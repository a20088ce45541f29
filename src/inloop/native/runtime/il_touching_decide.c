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

enum { MOST_BLOWS = 20 };

/* What the discs of a contact that is closed do. */
static void take_slip(il_touching *touching, int64_t i, double zero)
{
    il_disc discs[IL_DISCS];

    touching->modes[i] = IL_CLOSED_CONTACT;
    il_touching_discs(touching, i, discs);
    for (int j = 0; j < IL_DISCS; j++) {
        const int64_t disc = IL_DISCS * i + j;
        const double slip = il_disc_length(discs + j, touching->u);
        touching->slips[disc] = slip > zero;
        touching->starts[disc] = touching->starts[disc] && slip <= touching->slow;
        for (int64_t k = 0; slip > zero && k < discs[j].size; k++) {
            touching->direction[2 * disc + k] = touching->u[discs[j].row + k] / slip;
        }
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
        touching->modes[i] = IL_OPEN_CONTACT;
        if (gap <= touching->near && fabs(u) <= zero) {
            take_slip(touching, i, zero);
        }
        touching->p.pressed[i] = touching->modes[i] != IL_OPEN_CONTACT;
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
        touching->modes[i] = touching->p.struck[i] ? IL_CLOSED_CONTACT : touching->modes[i];
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

/* Contact i as the next one of the problem: its unknowns, and which of them are of discs. */
static void add(il_touching *touching, int64_t i, double *largest)
{
    il_strike_parts *const p = &touching->p;
    int64_t rows[IL_ROLLING_ROWS], row = p->first[p->count];
    const int64_t own = il_touching_unknowns(touching, i, rows), *slips = touching->slips + 3 * i;
    il_disc discs[IL_DISCS];

    il_touching_discs(touching, i, discs);
    p->acting[p->count] = i;
    p->own_mu[p->count] = slips[0] ? 0.0 : p->mu[i];
    p->turning[2 * p->count] = slips[1] ? 0 : discs[1].size;
    p->turning[2 * p->count + 1] = slips[2] ? 0 : discs[2].size;
    p->first[p->count + 1] = row + own;
    p->count++;
    for (int64_t k = 0; k < own; k++, row++) {
        p->q[row] = touching->still[rows[k]];
        p->r[row] = touching->force[rows[k]];
        *largest = fmax(*largest, fabs(p->q[row]));
    }
}

/* The problem of accelerations: W, q and where contacts begin; returns how many there are. */
static int64_t pose(il_touching *touching, double *largest)
{
    il_strike_parts *const p = &touching->p;
    const int64_t n = touching->free.n, rows = il_touching_columns(touching);
    const double *F = touching->columns, *G = F + touching->rows * n;

    p->count = 0;
    p->first[0] = 0;
    *largest = 1e-12 * touching->size / (touching->whole * touching->whole);
    for (int64_t i = 0; i < touching->count; i++) {
        if (touching->modes[i] != IL_OPEN_CONTACT) {
            add(touching, i, largest);
        }
    }
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < rows; j++) {
            p->W[i * rows + j] = il_dot(n, G + i * n, F + j * n);
        }
    }
    p->rows = rows;
    return p->count;
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

/* What a contact does from now on, by its force f and acceleration a: a disc that does not slip yet
   begins to where it accelerates. */
static void take_mode(il_touching *touching, int64_t c, const double *a, double largest)
{
    const int64_t *first = touching->contacts.table->first;
    const il_strike_parts *p = &touching->p;
    const int64_t i = p->acting[c], row = p->first[c];
    int64_t rows[IL_ROLLING_ROWS];
    const int64_t own = il_touching_unknowns(touching, i, rows);
    const double *f = p->r + row;
    il_disc discs[IL_DISCS];

    touching->unit[i] = largest / p->W[row * p->rows + row];
    memset(touching->force + first[i], 0, (size_t)(first[i + 1] - first[i]) * sizeof *f);
    if (f[0] <= nothing * touching->unit[i] && a[0] > nothing * largest) {
        touching->modes[i] = IL_OPEN_CONTACT;
        return;
    }
    for (int64_t k = 0; k < own; k++) {
        touching->force[rows[k]] = f[k];
    }
    il_touching_discs(touching, i, discs);
    a++;
    for (int j = 0; j < IL_DISCS; j++) {
        const int64_t disc = IL_DISCS * i + j;
        if (touching->slips[disc]) {
            continue;
        }
        const double second = discs[j].size > 1 ? a[1] : 0.0;
        const double slip = discs[j].size > 0 ? sqrt(a[0] * a[0] + second * second) : 0.0;
        a += discs[j].size;
        if (slip > nothing * largest) {
            touching->slips[disc] = 1;
            touching->starts[disc] = 1;
            touching->direction[2 * disc] = a[-discs[j].size] / slip;
            touching->direction[2 * disc + 1] = second / slip;
        }
    }
}

/* Accelerations at x; contacts that leave, but not so that it would show, stay closed. */
static int hold_low_ones(il_touching *touching, double t, const double *x)
{
    const il_contact_table *table = touching->contacts.table;
    const double zero = il_touching_standstill(touching);

    for (int64_t i = 0; i < touching->count; i++) {
        if (touching->modes[i] == IL_OPEN_CONTACT && touching->p.gap[i] <= table->near) {
            take_slip(touching, i, zero);
        }
    }
    const int status = il_touching_still(touching, t, x, touching->rates_beside);
    for (int64_t i = 0; status == IL_OK && i < touching->count; i++) {
        const double u = touching->u[table->first[i]];
        if (touching->modes[i] != IL_OPEN_CONTACT && u > zero && !stays_low(touching, i, u)) {
            touching->modes[i] = IL_OPEN_CONTACT;
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
    const int64_t *turning = touching->table.turning ? p->turning : NULL;
    const il_contact_problem problem = {p->first, p->own_mu, p->W, NULL,
                                        p->q, p->count, p->rows, turning};
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

int il_touching_decide(il_touching *touching, double t, double *x)
{
    const il_contact_table *table = touching->contacts.table;

    int status = collide(touching, t, x);
    if (status == IL_OK) {
        il_touching_anchor(touching);
        status = find_modes(touching, t, x);
    }
    if (status == IL_OK) {
        il_touching_spread(touching);
    }
    status = status == IL_OK ? il_touching_project(touching, t, x) : status;
    for (int64_t i = 0; status == IL_OK && i < touching->count; i++) {
        /* what was closed, or has just hit, leaves from there */
        const int leaves = touching->p.gap[i] <= table->near || touching->p.pressed[i];
        touching->gap_begun[i] = leaves ? touching->p.gap[i] : INFINITY;
        if (touching->modes[i] != IL_OPEN_CONTACT && touching->p.deeds[i] < IL_ACTED) {
            touching->p.deeds[i] = IL_ACTED;
        }
    }
    return status;
}
