/* Accelerations while contacts keep their modes; see il_touching.h. */
#include "il_touching.h"

#include <math.h>
#include <string.h>

#include "il_cholesky.h"
#include "il_method.h"

/* how far the motion is followed for differences, in natural units */
static const double ahead = 2e-4;

/* gaps below this hit together, in lengths: more than rounding leaves of them; among such values
   the one that gives the printed digits of the slider-crank, see docs/hard_contact.md */
static const double together = 2e-11;

/* pivots below this part of the first one are zero */
static const double singular = 1e-9;

/* what forces may be beyond what is possible, in units of a large one: then modes are found anew */
static const double beyond = 1e-7;

int il_touching_can(const il_contact_table *table)
{
    return table && !table->pile && table->meeting_count == 0 && !table->moved &&
           !table->turning;
}

int64_t il_touching_work(const il_contact_table *table, int64_t n)
{
    const int64_t rows = table->first[table->count];
    return il_touching_can(table) ? rows * (2 * n + rows + 1 + 5) + 4 * table->count : 0;
}

int64_t il_touching_integers(const il_contact_table *table)
{
    return il_touching_can(table) ? 2 * table->count + 2 * table->first[table->count] : 0;
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
    t.size = 1e9 * table->near;
    t.table.near = together * t.size + 1e-14 * farthest;
    t.contacts.effort.tolerance = 1e-11;
    t.p = il_strike_split(system->contacts, &(il_strike){.n = n});
    t.direction = t.p.solver + il_contact_work_size(count, rows);
    t.gap_begun = t.direction + 2 * count;
    t.unit = t.gap_begun + count;
    t.force = t.unit + count;
    t.found = t.force + rows;
    t.u = t.found + rows;
    t.bias = t.u + rows;
    t.still = t.bias + rows;
    t.columns = t.still + rows;
    t.matrix = t.columns + 2 * rows * n;
    t.modes = t.p.turning + 2 * count;
    t.starts = t.modes + count;
    t.order = t.starts + count;
    t.x_beside = states;
    t.rates_beside = states + il_state_size(system);
    *touching = t;
    touching->contacts.table = &touching->table;
}

double il_touching_standstill(const il_touching *touching)
{
    double speed = 0.0;
    for (int64_t k = 0; k < touching->rows; k++) {
        speed = fmax(speed, fabs(touching->u[k]));
    }
    return 1e-12 * (touching->size / touching->whole + speed);
}

static int look_at(const il_touching *touching, double t, const double *x, double *u)
{
    const int64_t n = touching->free.n;
    const il_strike strike = {.context = touching->free.context, .n = n};
    const int status =
        il_strike_rows(touching->contacts.table, &strike, t, x, &touching->p);

    for (int64_t k = 0; k < touching->rows; k++) {
        u[k] = il_dot(n, touching->p.H + k * n, x + n) + touching->p.w[k];
    }
    return status;
}

int il_touching_look(il_touching *touching, double t, const double *x)
{
    return look_at(touching, t, x, touching->u);
}

/* d(H)/dt v by differences of fourth order along the motion; xd: rates at x. */
static int find_bias(il_touching *touching, double t, const double *x, const double *xd)
{
    static const double weights[] = {1.0 / 12.0, -8.0 / 12.0, 0.0, 8.0 / 12.0, -1.0 / 12.0};
    const il_system *system = &touching->free;
    const int64_t n = system->n, size = il_state_size(system);
    double fastest = 0.0;

    memset(touching->bias, 0, (size_t)touching->rows * sizeof *touching->bias);
    for (int64_t k = 0; k < n; k++) {
        fastest = fmax(fastest, fabs(x[n + k]) / (system->sizes ? system->sizes[k] : 1.0));
    }
    if (fastest == 0.0) {
        return IL_OK;
    }
    const double h = ahead / fastest;
    for (int side = -2; side <= 2; side++) {
        if (side == 0) {
            continue;
        }
        double *const beside = touching->x_beside;
        il_move_by(size, beside, x, side * h, xd);
        memcpy(beside + n, x + n, (size_t)n * sizeof *beside);
        il_normalize(system, beside);
        const int status = look_at(touching, t + side * h, beside, touching->still);
        if (status != IL_OK) {
            return status;
        }
        il_move_by(touching->rows, touching->bias, touching->bias, weights[side + 2] / h,
                   touching->still);
    }
    return IL_OK;
}

int il_touching_still(il_touching *touching, double t, const double *x, double *xd)
{
    const int64_t n = touching->free.n;
    int closed = 0;

    int status = touching->free.rates(touching->free.context, t, x, xd);
    for (int64_t i = 0; i < touching->count; i++) {
        closed |= touching->modes[i] != IL_APART;
    }
    if (status == IL_OK && closed) {
        status = find_bias(touching, t, x, xd);
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

/* The direction of slip of a contact, which lasts through its end. */
static void slip_direction(const il_touching *touching, int64_t i, double d[2])
{
    const int64_t row = touching->contacts.table->first[i] + 1;
    const int64_t tangents = touching->contacts.table->first[i + 1] - row;
    const double *begun = touching->direction + 2 * i, *u = touching->u + row;

    d[0] = begun[0];
    d[1] = begun[1];
    if (tangents < 2) {
        return;
    }
    const double speed = sqrt(u[0] * u[0] + u[1] * u[1]);
    const double least = touching->starts[i] ? touching->slow : il_touching_standstill(touching);
    if (speed > least && u[0] * d[0] + u[1] * d[1] > 0.0) {
        d[0] = u[0] / speed;
        d[1] = u[1] / speed;
    }
}

int64_t il_touching_columns(il_touching *touching)
{
    const il_contact_table *table = touching->contacts.table;
    const int64_t n = touching->free.n;
    double *F = touching->columns, *G = F + touching->rows * n;
    int64_t unknowns = 0;

    for (int64_t i = 0; i < touching->count; i++) {
        const int64_t first = table->first[i], end = table->first[i + 1];
        const int64_t last = touching->modes[i] == IL_APART      ? first
                             : touching->modes[i] == IL_SLIPPING ? first + 1
                                                                 : end;
        for (int64_t k = first; k < last; k++, unknowns++) {
            double *const along = F + unknowns * n;
            il_solve_lower(n, touching->p.M, touching->p.H + k * n, G + unknowns * n);
            memcpy(along, G + unknowns * n, (size_t)n * sizeof *along);
        }
        if (touching->modes[i] == IL_SLIPPING) {
            double d[2], *const along = F + (unknowns - 1) * n;
            slip_direction(touching, i, d);
            for (int64_t k = first + 1; k < end; k++) {
                double *const tangent = touching->p.change;
                il_solve_lower(n, touching->p.M, touching->p.H + k * n, tangent);
                il_move_by(n, along, along, -touching->p.mu[i] * d[k - first - 1], tangent);
            }
        }
    }
    return unknowns;
}

int64_t il_touching_solve(il_touching *touching, int64_t n, double *x)
{
    double *const A = touching->matrix;
    const int64_t stride = n + 1;
    int64_t *const place = touching->order, rank = 0;
    double largest = 0.0;

    memset(x, 0, (size_t)n * sizeof *x);
    for (int64_t k = 0; k < n; k++) {
        place[k] = k;
    }
    for (; rank < n; rank++) {
        int64_t row = rank, column = rank;
        for (int64_t i = rank; i < n; i++) {
            for (int64_t j = rank; j < n; j++) {
                if (fabs(A[i * stride + j]) > fabs(A[row * stride + column])) {
                    row = i;
                    column = j;
                }
            }
        }
        const double pivot = fabs(A[row * stride + column]);
        largest = rank == 0 ? pivot : largest;
        if (!(pivot > singular * largest)) {
            break;
        }
        for (int64_t j = 0; j <= n; j++) {
            const double kept = A[rank * stride + j];
            A[rank * stride + j] = A[row * stride + j];
            A[row * stride + j] = kept;
        }
        for (int64_t i = 0; i < n; i++) {
            const double kept = A[i * stride + rank];
            A[i * stride + rank] = A[i * stride + column];
            A[i * stride + column] = kept;
        }
        const int64_t kept = place[rank];
        place[rank] = place[column];
        place[column] = kept;
        for (int64_t i = rank + 1; i < n; i++) {
            const double part = A[i * stride + rank] / A[rank * stride + rank];
            il_move_by(n + 1 - rank, A + i * stride + rank, A + i * stride + rank, -part,
                       A + rank * stride + rank);
        }
    }
    for (int64_t i = rank - 1; i >= 0; i--) {
        double sum = A[i * stride + n];
        for (int64_t j = i + 1; j < rank; j++) {
            sum -= A[i * stride + j] * x[place[j]];
        }
        x[place[i]] = sum / A[i * stride + i];
    }
    return rank;
}

/* f of the modes as they are, by unknown, and the forces of all rows. */
static int64_t find_forces(il_touching *touching, double *f)
{
    const il_contact_table *table = touching->contacts.table;
    const int64_t n = touching->free.n, unknowns = il_touching_columns(touching);
    const double *F = touching->columns, *G = F + touching->rows * n;
    double *const begun = touching->p.u;
    int64_t k = 0;

    for (int64_t i = 0; i < touching->count; i++) {
        const int64_t first = table->first[i], rows = table->first[i + 1] - first;
        const int64_t own = touching->modes[i] == IL_APART      ? 0
                            : touching->modes[i] == IL_SLIPPING ? 1
                                                                : rows;
        for (int64_t j = 0; j < own; j++, k++) {
            begun[k] = touching->force[first + j];
            touching->matrix[k * (unknowns + 1) + unknowns] = -touching->still[first + j];
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
    const il_contact_table *table = touching->contacts.table;

    for (int64_t i = 0; i < touching->count; i++) {
        double *const force = touching->found + table->first[i];
        const int64_t rows = table->first[i + 1] - table->first[i];
        const int slips = touching->modes[i] == IL_SLIPPING;
        double d[2];
        slip_direction(touching, i, d);
        for (int64_t k = 0; k < rows; k++) {
            force[k] = touching->modes[i] == IL_APART ? 0.0
                       : slips && k > 0               ? -touching->p.mu[i] * d[k - 1] * force[0]
                                                      : *f++;
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

/* How far the force of a contact is from what is not possible, in units of a large one. */
static double margin_of_force(const il_touching *touching, int64_t i)
{
    const il_contact_table *table = touching->contacts.table;
    const double *force = touching->found + table->first[i];
    const double normal = force[0] / touching->unit[i] + beyond;
    double square = 0.0;

    for (int64_t k = 1; k < table->first[i + 1] - table->first[i]; k++) {
        square += force[k] * force[k];
    }
    if (touching->modes[i] == IL_SLIPPING) {
        return normal;
    }
    return fmin(normal, touching->p.mu[i] * normal + beyond - sqrt(square) / touching->unit[i]);
}

double il_touching_force_margin(const il_touching *touching)
{
    double least = INFINITY;
    for (int64_t i = 0; i < touching->count; i++) {
        least = touching->modes[i] == IL_APART ? least : fmin(least, margin_of_force(touching, i));
    }
    return least;
}

double il_touching_margin(const il_touching *touching, double elapsed)
{
    const il_contact_table *table = touching->contacts.table;
    double least = il_touching_force_margin(touching);

    for (int64_t i = 0; i < touching->count; i++) {
        const double *u = touching->u + table->first[i] + 1, *d = touching->direction + 2 * i;
        if (touching->modes[i] == IL_APART) {
            /* what begins at the gap where it would hit is on its way from there: over time, its
               mean speed, which is not zero at the beginning */
            const double begun = touching->gap_begun[i], gap = touching->p.gap[i];
            least = fmin(least, begun == INFINITY ? gap / touching->size : (gap - begun) / elapsed);
            continue;
        }
        if (touching->modes[i] == IL_SLIPPING && table->first[i + 1] - table->first[i] > 1) {
            const double second = table->first[i + 1] - table->first[i] > 2 ? u[1] * d[1] : 0.0;
            least = fmin(least, (u[0] * d[0] + second) / elapsed);
        }
    }
    return least;
}

void il_touching_follow(il_touching *touching)
{
    for (int64_t i = 0; i < touching->count; i++) {
        if (touching->modes[i] == IL_SLIPPING) {
            const double *u = touching->u + touching->contacts.table->first[i] + 1;
            const double *begun = touching->direction + 2 * i;
            double d[2];
            slip_direction(touching, i, d);
            const double along = u[0] * begun[0] + (begun[1] != 0.0 ? u[1] * begun[1] : 0.0);
            touching->starts[i] = touching->starts[i] && along < touching->slow;
            touching->direction[2 * i] = d[0];
            touching->direction[2 * i + 1] = d[1];
        }
    }
}
