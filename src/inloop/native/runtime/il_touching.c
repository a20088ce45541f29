/* Accelerations while contacts keep their modes; see il_touching.h. */
#include "il_touching.h"

#include <math.h>
#include <string.h>

#include "il_cholesky.h"
#include "il_method.h"

/* gaps below this hit together, in lengths: more than rounding leaves of them; among such values
   the one that gives the printed digits of the slider-crank, see docs/hard_contact.md */
static const double together = 2e-11;

/* and of less than this, in lengths, nothing is known */
static const double dust = 4e-16;

int il_touching_can(const il_contact_table *table)
{
    return table && !table->pile;
}

int64_t il_touching_work(const il_contact_table *table, int64_t n)
{
    const int64_t rows = table->first[table->count];
    return il_touching_can(table) ? rows * (2 * n + rows + 1 + 6) + (2 * IL_DISCS + 2) * table->count +
                                        il_touching_found_size(table) +
                                        (table->meeting_count > 0 ? IL_ALONG * rows : 0)
                                  : 0;
}

int64_t il_touching_integers(const il_contact_table *table)
{
    return il_touching_can(table) ? (2 * IL_DISCS + 1) * table->count + 2 * table->first[table->count]
                                  : 0;
}

void il_touching_begin(il_touching *touching, const il_system *system, double whole,
                       const double *x, double *states)
{
    const il_contact_table *table = system->contacts->table;
    const int64_t n = system->n, count = table->count, rows = table->first[table->count];
    il_touching t = {.free = *system, .table = *table, .contacts = *system->contacts};
    double farthest = 0.0;

    for (int64_t k = 0; k < n; k++) {
        farthest = fmax(farthest, fabs(x[k]));
    }
    t.count = count;
    t.rows = rows;
    t.whole = whole;
    t.near = table->near;
    t.beat = whole;
    t.size = 1e9 * table->near;
    t.dust = dust * (t.size + farthest);
    t.table.near = together * t.size + 1e-14 * farthest;
    t.contacts.effort.tolerance = 1e-11;
    t.p = il_strike_split(system->contacts, &(il_strike){.n = n});
    t.direction = t.p.solver + il_contact_work_size(count, rows);
    t.gap_begun = t.direction + 2 * IL_DISCS * count;
    t.unit = t.gap_begun + count;
    t.force = t.unit + count;
    t.found = t.force + rows;
    t.u = t.found + rows;
    t.bias = t.u + rows;
    t.still = t.bias + rows;
    t.scales = t.still + rows;
    t.columns = t.scales + rows;
    t.matrix = t.columns + 2 * rows * n;
    t.along = t.matrix + rows * (rows + 1);
    t.anchor = (il_touch_memory *)(t.along + (table->meeting_count > 0 ? IL_ALONG * rows : 0));
    t.modes = t.p.turning + 2 * count;
    t.slips = t.modes + count;
    t.starts = t.slips + IL_DISCS * count;
    t.order = t.starts + IL_DISCS * count;
    t.x_beside = states;
    t.rates_beside = states + il_state_size(system);
    *touching = t;
    touching->contacts.table = &touching->table;
}

double il_touching_standstill(const il_touching *touching)
{
    double speed = 0.0;
    for (int64_t k = 0; k < touching->rows; k++) {
        speed = fmax(speed, fmax(fabs(touching->u[k]), fabs(touching->p.w[k])));
    }
    return 1e-12 * (touching->size / touching->whole + speed);
}

void il_touching_discs(const il_touching *touching, int64_t i, il_disc discs[IL_DISCS])
{
    static const int64_t none[2];
    const il_contact_table *table = touching->contacts.table;
    const int64_t *turning = table->turning ? table->turning + 2 * i : none;
    const int64_t row = table->first[i] + 1;
    const int64_t tangents = table->first[i + 1] - row - turning[0] - turning[1];

    discs[0] = (il_disc){row, tangents, touching->p.mu[i]};
    discs[1] = (il_disc){row + tangents, turning[0], 1.0};
    discs[2] = (il_disc){row + tangents + turning[0], turning[1], 1.0};
}

int64_t il_touching_unknowns(const il_touching *touching, int64_t i, int64_t rows[IL_ROLLING_ROWS])
{
    int64_t count = 0;
    il_disc discs[IL_DISCS];

    if (touching->modes[i] == IL_OPEN_CONTACT) {
        return 0;
    }
    rows[count++] = touching->contacts.table->first[i];
    il_touching_discs(touching, i, discs);
    for (int j = 0; j < IL_DISCS; j++) {
        for (int64_t k = 0; !touching->slips[IL_DISCS * i + j] && k < discs[j].size; k++) {
            rows[count++] = discs[j].row + k;
        }
    }
    return count;
}

int il_touching_velocities(const il_touching *touching, double t, const double *x, double *u)
{
    const int64_t n = touching->free.n;
    const il_strike strike = {.context = touching->free.context, .n = n};

    il_touching_recall(touching);
    const int status =
        il_strike_rows(touching->contacts.table, &strike, t, x, &touching->p);
    for (int64_t k = 0; k < touching->rows; k++) {
        u[k] = il_dot(n, touching->p.H + k * n, x + n) + touching->p.w[k];
    }
    return status;
}

int il_touching_look(il_touching *touching, double t, const double *x)
{
    return il_touching_velocities(touching, t, x, touching->u);
}

int il_touching_still(il_touching *touching, double t, const double *x, double *xd)
{
    const int64_t n = touching->free.n;
    int closed = 0;

    int status = touching->free.rates(touching->free.context, t, x, xd);
    for (int64_t i = 0; i < touching->count; i++) {
        closed |= touching->modes[i] != IL_OPEN_CONTACT;
    }
    if (status == IL_OK && closed) {
        status = il_touching_bias(touching, t, x, xd);
    }
    status = status == IL_OK ? il_touching_look(touching, t, x) : status;
    if (status != IL_OK || !closed) {
        return status;
    }
    for (int64_t k = 0; k < touching->rows; k++) {
        touching->still[k] = il_dot(n, touching->p.H + k * n, xd + n) + touching->bias[k];
    }
    return il_cholesky(n, touching->p.M) ? IL_DIVERGED : IL_OK;
}

int64_t il_touching_columns(il_touching *touching)
{
    const int64_t n = touching->free.n;
    double *F = touching->columns, *G = F + touching->rows * n, *const tangent = touching->p.change;
    int64_t rows[IL_ROLLING_ROWS], unknowns = 0;

    for (int64_t i = 0; i < touching->count; i++) {
        const int64_t own = il_touching_unknowns(touching, i, rows);
        double *const along = F + unknowns * n;
        il_disc discs[IL_DISCS];
        for (int64_t k = 0; k < own; k++, unknowns++) {
            il_solve_lower(n, touching->p.M, touching->p.H + rows[k] * n, G + unknowns * n);
            memcpy(F + unknowns * n, G + unknowns * n, (size_t)n * sizeof *F);
        }
        il_touching_discs(touching, i, discs);
        for (int j = 0; own > 0 && j < IL_DISCS; j++) {
            double d[2];
            il_touching_slip(touching, i, j, d);
            for (int64_t k = 0; touching->slips[IL_DISCS * i + j] && k < discs[j].size; k++) {
                const double *H = touching->p.H + (discs[j].row + k) * n;
                il_solve_lower(n, touching->p.M, H, tangent);
                il_move_by(n, along, along, -discs[j].limit * d[k], tangent);
            }
        }
    }
    return unknowns;
}

/* f of the modes as they are, by unknown. */
static int64_t find_forces(il_touching *touching, double *f)
{
    const int64_t n = touching->free.n, unknowns = il_touching_columns(touching);
    const double *F = touching->columns, *G = F + touching->rows * n;
    double *const begun = touching->p.u;
    int64_t rows[IL_ROLLING_ROWS], k = 0;

    for (int64_t i = 0; i < touching->count; i++) {
        const int64_t own = il_touching_unknowns(touching, i, rows);
        for (int64_t j = 0; j < own; j++, k++) {
            begun[k] = touching->force[rows[j]];
            touching->matrix[k * (unknowns + 1) + unknowns] = -touching->still[rows[j]];
        }
    }
    for (int64_t i = 0; i < unknowns; i++) {
        double *const row = touching->matrix + i * (unknowns + 1);
        for (int64_t j = 0; j < unknowns; j++) {
            row[j] = il_dot(n, G + i * n, F + j * n);
            row[unknowns] -= row[j] * begun[j];
        }
    }
    il_touching_solve(touching, unknowns, f);
    il_move_by(unknowns, f, f, 1.0, begun);
    return unknowns;
}

/* Forces of all rows from the unknowns. */
static void tell_forces(il_touching *touching, const double *f)
{
    const int64_t *first = touching->contacts.table->first;
    int64_t rows[IL_ROLLING_ROWS];

    memset(touching->found, 0, (size_t)touching->rows * sizeof *touching->found);
    for (int64_t i = 0; i < touching->count; i++) {
        const int64_t own = il_touching_unknowns(touching, i, rows);
        il_disc discs[IL_DISCS];
        for (int64_t k = 0; k < own; k++) {
            touching->found[rows[k]] = *f++;
        }
        il_touching_discs(touching, i, discs);
        for (int j = 0; own > 0 && j < IL_DISCS; j++) {
            double d[2];
            il_touching_slip(touching, i, j, d);
            for (int64_t k = 0; touching->slips[IL_DISCS * i + j] && k < discs[j].size; k++) {
                touching->found[discs[j].row + k] =
                    -discs[j].limit * d[k] * touching->found[first[i]];
            }
        }
    }
}

int il_touching_rates(void *context, double t, const double *x, double *xd)
{
    il_touching *const touching = context;
    const int64_t n = touching->free.n;
    double *const f = touching->p.q, *const change = touching->p.change;

    const int status = il_touching_still(touching, t, x, xd);
    if (status != IL_OK) {
        return status;
    }
    const int64_t unknowns = find_forces(touching, f);
    if (unknowns > 0) {
        memset(change, 0, (size_t)n * sizeof *change);
        for (int64_t k = 0; k < unknowns; k++) {
            il_move_by(n, change, change, f[k], touching->columns + k * n);
        }
        il_solve_upper(n, touching->p.M, change);
        il_move_by(n, xd + n, xd + n, 1.0, change);
    }
    tell_forces(touching, f);
    return IL_OK;
}

