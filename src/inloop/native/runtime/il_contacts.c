/* Impulses of the contacts that are closed; see il_contacts.h. */
#include "il_cholesky.h"
#include "il_pile_parts.h"
#include "il_touching.h"

#include <math.h>
#include <string.h>

/* residual of a step from which on it is told */
static const double tolerated = 1e-6;

/* more than this part of the energy that is exchanged is a gain */
static const double rounding = 1e-9;

static void add(const il_contact_table *table, il_strike_parts *p, int64_t i)
{
    /* a touch that is no more, of shapes that meet, has no rows */
    if (!(p->gap[i] < INFINITY)) {
        return;
    }
    p->acting[p->count] = i;
    p->own_mu[p->count] = p->mu[i];
    p->first[p->count + 1] = p->first[p->count] + table->first[i + 1] - table->first[i];
    p->count++;
}

/* Which contacts act, and when the first one hits. */
static void choose(const il_contact_table *table, const il_strike *strike, const double *v_free,
                   il_strike_parts *p)
{
    p->first[0] = 0;
    for (int hits = 0; hits < 2; hits++) {
        for (int64_t i = 0; i < table->count; i++) {
            const il_approach a = il_approach_of(table, strike, v_free, p, i);
            if (p->struck[i] && strike->without) {
                continue;
            }
            if (hits && a.when < 1.0 && a.fast) {
                p->when = fmin(p->when, a.when);
                add(table, p, i);
            } else if (!hits && (a.closed || (a.when < 1.0 && !a.fast))) {
                add(table, p, i);
            }
        }
        p->closed = hits ? p->closed : p->count;
    }
    p->rows = p->first[p->count];
}

/* Rows and velocities of the contacts that act. */
static void pose(const il_contact_table *table, const il_strike *strike, const double *v_free,
                 il_strike_parts *p)
{
    const int64_t n = strike->n;

    for (int64_t c = 0; c < p->count; c++) {
        int64_t row = table->first[p->acting[c]];
        for (int64_t k = p->first[c]; k < p->first[c + 1]; k++, row++) {
            memcpy(p->acting_H + k * n, p->H + row * n, (size_t)n * sizeof *p->acting_H);
            il_strike_motion(strike, p, v_free, row, &p->u[k], &p->pushed[k]);
            p->sum[k] = p->moved[k] = 0.0;
            p->speed = fmax(p->speed, fabs(p->u[k]) + fabs(p->pushed[k]));
        }
    }
}

/* How masses answer impulses. Not 0: the mass matrix is not positive definite. */
static int answer_by_masses(int64_t n, il_strike_parts *p)
{
    if (il_cholesky(n, p->M)) {
        return 1;
    }
    for (int64_t k = 0; k < p->rows; k++) {
        il_solve_lower(n, p->M, p->acting_H + k * n, p->Y + k * n);
        for (int64_t j = 0; j <= k; j++) {
            p->W[k * p->rows + j] = p->W[j * p->rows + k] = il_dot(n, p->Y + k * n, p->Y + j * n);
        }
    }
    return 0;
}

/* How masses and laws answer together. */
static void answer_with_laws(const il_strike *strike, il_strike_parts *p)
{
    const int64_t n = strike->n;

    for (int64_t k = 0; k < p->rows; k++) {
        strike->respond(strike->context, strike->h, p->acting_H + k * n, p->Y + k * p->width);
        for (int64_t j = 0; j < p->rows; j++) {
            p->W[j * p->rows + k] = il_dot(n, p->acting_H + j * n, p->Y + k * p->width);
        }
    }
}

/* Rows of rolling and drilling of contacts that act; NULL: none resists. */
static const int64_t *turning_of(const il_contact_table *table, const il_strike_parts *p,
                                 int64_t count)
{
    for (int64_t c = 0; table->turning && c < count; c++) {
        memcpy(p->turning + 2 * c, table->turning + 2 * p->acting[c], 2 * sizeof *p->turning);
    }
    return table->turning ? p->turning : NULL;
}

void il_strike_solve(const il_contacts *contacts, il_strike_parts *p, int64_t count)
{
    const int64_t *turning = turning_of(contacts->table, p, count);
    const il_contact_problem problem = {p->first, p->own_mu, p->W,    p->R,
                                        p->q,     count,     p->rows, turning};
    il_contact_effort effort = contacts->effort;
    il_contact_report report;

    /* a part of a step that hardly anything happens in need not be solved better than the others */
    effort.speed = p->speed;
    (void)il_contact_solve(&problem, &effort, p->r, p->solver, &report);
    /* NaN is the worst */
    double *worst = p->given + contacts->table->first[contacts->table->count];
    *worst = report.residual <= *worst ? *worst : report.residual;
}

void il_strike_act(il_strike_parts *p, int64_t count, double delay)
{
    const int64_t given = p->first[count];

    for (int64_t k = 0; k < p->rows; k++) {
        p->u[k] += il_dot(given, p->W + k * p->rows, p->r);
    }
    for (int64_t k = 0; k < given; k++) {
        p->sum[k] += p->r[k];
        p->moved[k] -= delay * p->r[k];
    }
}

/* Twice what impulses r do, from the beginning of a part to its end. */
static double work_of(const il_strike_parts *p, int64_t count)
{
    const int64_t given = p->first[count];
    double work = 0.0;

    for (int64_t k = 0; k < given; k++) {
        work += p->r[k] * (p->begun[k] + p->u[k] + il_dot(given, p->W + k * p->rows, p->r));
    }
    return work;
}

/* Let friction of a contact oppose the mean of the velocities at both ends of a part. */
static void oppose(il_strike_parts *p, int64_t c)
{
    p->opposed[c] = 1;
    for (int64_t k = p->first[c] + 1; k < p->first[c + 1]; k++) {
        p->q[k] += p->begun[k] - p->back[k];
    }
}

/* Not 0: some tangents of a contact have turned. */
static int has_turned(const il_strike_parts *p, int64_t c)
{
    int any = 0;
    for (int64_t k = p->first[c] + 1; k < p->first[c + 1]; k++) {
        any |= p->back[k] != 0.0;
    }
    return any;
}

/* Let friction that would do work oppose the mean of the velocities at both ends of a part instead
   of that at its end: what turns about a point that sticks would gain energy. Contacts that have
   turned do so together, because redundant ones cannot differ. Not 0: there is some. */
static int stop_gains(il_strike_parts *p, int64_t count)
{
    const int64_t given = p->first[count];
    int any = 0, turned = 0;

    for (int64_t c = 0; c < count; c++) {
        double work = 0.0, slip = 0.0;
        for (int64_t k = p->first[c] + 1; k < p->first[c + 1]; k++) {
            work += p->r[k] * (p->begun[k] + p->u[k] + il_dot(given, p->W + k * p->rows, p->r));
            slip = fmax(slip, fabs(p->begun[k]));
        }
        if (!p->opposed[c] && work > 0.0 && slip > rounding * p->speed) {
            turned |= has_turned(p, c);
            oppose(p, c);
            any = 1;
        }
    }
    for (int64_t c = 0; turned && c < count; c++) {
        if (!p->opposed[c] && has_turned(p, c)) {
            oppose(p, c);
        }
    }
    return any;
}

/* The part of a velocity that another one explains. */
static double no_more_than(double velocity, double part)
{
    return velocity * part <= 0.0 ? 0.0 : fabs(part) < fabs(velocity) ? part : velocity;
}

/* Smooth forces for a share of the step, and the first contacts against them. */
static void press(const il_contacts *contacts, const il_strike *strike, il_strike_parts *p,
                  int64_t count, double share, double delay)
{
    const il_contact_table *table = contacts->table;

    for (int64_t k = 0; k < p->rows; k++) {
        p->begun[k] = p->u[k];
        p->u[k] += share * p->pushed[k];
        p->q[k] = p->u[k];
    }
    /* what opens may close again as far: then the contact does no work; and what closes or slips at
       rows half-way only because they have turned goes back as far, to rest at those of the end */
    for (int64_t c = 0; c < count; c++) {
        const double *turned = p->turned + table->first[p->acting[c]];
        for (int64_t k = p->first[c]; k < p->first[c + 1]; k++) {
            p->back[k] = no_more_than(p->begun[k], share * *turned++);
        }
        p->back[p->first[c]] = fmax(p->begun[p->first[c]], p->back[p->first[c]]);
    }
    for (int64_t k = 0; k < p->first[count]; k++) {
        p->q[k] += p->back[k];
    }
    /* from the forces of the step before, which a spring remembers */
    const double h = share * strike->h;
    for (int64_t c = 0; c < count; c++) {
        const int64_t i = p->acting[c], size = p->first[c + 1] - p->first[c];
        const double *forces = strike->x + table->places[i];
        const int remembers = !(forces[size + 1] > 0.0) && p->deeds[i] <= IL_ACTED;
        for (int64_t k = p->first[c]; k < p->first[c + 1]; k++) {
            p->r[k] = h * *forces++;
            p->R[k] = h > 0.0 ? p->soft[i] / (h * h) : 0.0;
            p->q[k] -= remembers ? p->R[k] * p->r[k] : 0.0;
        }
    }
    memset(p->opposed, 0, (size_t)count * sizeof *p->opposed);
    il_strike_solve(contacts, p, count);
    while (stop_gains(p, count)) {
        il_strike_solve(contacts, p, count);
        if (work_of(p, count) <= 0.0) {
            break;
        }
    }
    il_strike_act(p, count, delay);
}

/* y += s x, four at a time */
static void add_multiple(int64_t n, double s, const double *restrict x, double *restrict y)
{
    int64_t j = 0;

    for (; j + 4 <= n; j += 4) {
        for (int k = 0; k < 4; k++) {
            y[j + k] += s * x[j + k];
        }
    }
    for (; j < n; j++) {
        y[j] += s * x[j];
    }
}

/* change = sum of `impulses` times what a unit of each changes */
static void add_up(const il_strike *strike, il_strike_parts *p, const double *impulses)
{
    memset(p->change, 0, (size_t)p->width * sizeof *p->change);
    for (int64_t k = 0; k < p->rows; k++) {
        if (impulses[k] != 0.0) {
            add_multiple(p->width, impulses[k], p->Y + k * p->width, p->change);
        }
    }
    if (!strike->respond) {
        il_solve_upper(strike->n, p->M, p->change);
    }
}

/* Positions, velocities and states of laws after all impulses. */
static void move(const il_strike *strike, il_strike_parts *p, double *x_new)
{
    const int64_t n = strike->n;

    add_up(strike, p, p->moved);
    for (int64_t j = 0; j < n; j++) {
        x_new[j] += strike->h * p->change[j];
    }
    add_up(strike, p, p->sum);
    for (int64_t j = 0; j < p->width; j++) {
        x_new[n + j] += p->change[j];
    }
}

/* Add to the impulses that are told. */
static void count_up(const il_contact_table *table, const il_strike_parts *p)
{
    for (int64_t c = 0; c < p->count; c++) {
        double *given = p->given + table->first[p->acting[c]];
        int64_t *deed = p->deeds + p->acting[c];
        *deed = *deed > IL_ACTED ? *deed : IL_ACTED;
        p->pressed[p->acting[c]] = 1;
        for (int64_t k = p->first[c]; k < p->first[c + 1]; k++, given++) {
            *given += p->sum[k];
        }
    }
}

/* Velocities, rows and answers of the contacts that act. */
static int prepare(const il_contact_table *table, const il_strike *strike, const double *v_free,
                   il_strike_parts *p)
{
    pose(table, strike, v_free, p);
    if (strike->respond) {
        answer_with_laws(strike, p);
        return IL_OK;
    }
    return answer_by_masses(strike->n, p) ? IL_DIVERGED : IL_OK;
}

void il_contacts_begin(const il_contacts *contacts, int64_t n, const double *x)
{
    const il_contact_table *table = contacts->table;
    if (table->pile) {
        return;
    }
    il_strike_parts p = il_strike_split(contacts, &(il_strike){.n = n});

    for (int64_t k = 0; k < table->meeting_count; k++) {
        const il_meeting *meeting = table->meetings + k;
        il_meeting_remember(meeting, x, table->places + meeting->first, p.memory + meeting->first);
    }

    memset(p.given, 0, (size_t)(table->first[table->count] + 1) * sizeof *p.given);
    memset(p.deeds, 0, (size_t)table->count * sizeof *p.deeds);
}

void il_contacts_keep(const il_contacts *contacts, int again)
{
    const il_contact_table *table = contacts->table;
    const size_t size = (size_t)(table->first[table->count] + 1);
    double *const given = contacts->work, *const kept = given + size;

    memcpy(again ? given : kept, again ? kept : given, size * sizeof *given);
}

int il_contacts_hit(const il_contacts *contacts, const il_strike *strike, double *x)
{
    const il_contact_table *table = contacts->table;
    const int64_t n = strike->n;
    il_strike_parts p = il_strike_split(contacts, strike);

    int status = il_strike_rows(table, strike, strike->t, strike->x_middle, &p);
    if (status != IL_OK) {
        return status;
    }
    memcpy(p.w_before, p.w, (size_t)table->first[table->count] * sizeof *p.w);
    memcpy(p.w_after, p.w, (size_t)table->first[table->count] * sizeof *p.w);
    p.first[0] = 0;
    for (int hits = 0; hits < 2; hits++) {
        for (int64_t i = 0; i < table->count; i++) {
            const int closed = p.gap[i] <= table->near || p.pressed[i];
            if (hits ? p.struck[i] : !p.struck[i] && closed) {
                add(table, &p, i);
            }
        }
        p.closed = hits ? p.closed : p.count;
    }
    p.rows = p.first[p.count];
    status = prepare(table, strike, strike->x + n, &p);
    if (status == IL_OK) {
        il_strike_impact(contacts, &p);
        add_up(strike, &p, p.sum);
        for (int64_t j = 0; j < p.width; j++) {
            x[n + j] += p.change[j];
        }
        count_up(table, &p);
    }
    for (int64_t i = 0; i < table->count; i++) {
        const int64_t deed = p.struck[i] == IL_FAST ? IL_HIT_FAST : p.struck[i] ? IL_HIT_SLOWLY : 0;
        p.deeds[i] = deed > p.deeds[i] ? deed : p.deeds[i];
    }
    return status;
}

int il_contacts_strike(const il_contacts *contacts, const il_strike *strike, double *x_new)
{
    const il_contact_table *table = contacts->table;
    const double *v_free = x_new + strike->n;
    if (table->pile) {
        return il_pile_strike(contacts, strike, x_new);
    }
    il_strike_parts p = il_strike_split(contacts, strike);

    int status = strike->looked ? IL_OK : il_strike_look(table, strike, &p);
    if (status != IL_OK) {
        return status;
    }
    choose(table, strike, v_free, &p);
    if (p.count == 0) {
        return IL_OK;
    }
    status = prepare(table, strike, v_free, &p);
    if (status != IL_OK) {
        return status;
    }
    /* delays: of forces that act from a to b of the step, (a + b - 1) / 2 */
    if (p.count > p.closed) {
        press(contacts, strike, &p, p.closed, p.when, 0.5 * (p.when - 1.0));
        il_strike_impact(contacts, &p);
    } else {
        p.when = 0.0;
    }
    press(contacts, strike, &p, p.count, 1.0 - p.when, 0.5 * p.when);
    move(strike, &p, x_new);
    count_up(table, &p);
    return IL_OK;
}

void il_contacts_tell(const il_contacts *contacts, double h, double *x_new)
{
    const il_contact_table *table = contacts->table;
    if (table->pile) {
        *contacts->inexact += !(il_pile_tell(contacts, h, x_new) <= tolerated);
        return;
    }
    const il_strike_parts p = il_strike_split(contacts, &(il_strike){0});
    const double residual = p.given[table->first[table->count]];

    *contacts->inexact += !(residual <= tolerated);
    for (int64_t i = 0; i < table->count; i++) {
        double *states = x_new + table->places[i];
        for (int64_t k = table->first[i]; k < table->first[i + 1]; k++) {
            *states++ = p.given[k] / h;
        }
        *states++ = p.deeds[i] ? residual : 0.0;
        *states = p.deeds[i] == IL_HIT_FAST ? 1.0 : 0.0;
    }
    for (int64_t k = 0; k < table->meeting_count; k++) {
        const il_meeting *meeting = table->meetings + k;
        il_meeting_tell(meeting, p.memory + meeting->first, table->places + meeting->first, x_new);
    }
}
