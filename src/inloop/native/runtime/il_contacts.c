/* Impulses of the contacts that are closed; see il_contacts.h. */
#include "il_contacts.h"

#include <math.h>
#include <string.h>

/* a contact that closes faster than this many steps of smooth forces would make it is an impact */
static const double sudden = 2.0;

/* more than this part of the energy that is exchanged is a gain */
static const double rounding = 1e-9;

/* Restitution of an impact, in the order in which it is tried. */
enum rule { OWN, LEAST, NONE };

/* What a step knows of its contacts; of those that act, first closed ones, then impacts. */
typedef struct parts {
    double *found;           /* by il_contact_table.rows, in this order: */
    double *gap;
    const double *mu, *e;
    double *H;
    double *M;               /* then its factor */
    const double *meetings;  /* poses and twists */
    const double *before;    /* states, with the forces of the step before */
    double *Y;               /* L^-1 H^T, row by row */
    double *W;
    double *u, *pushed;      /* velocities, and what smooth forces of the whole step add to them */
    double *q, *r;           /* of the problem of a part of the step */
    double *begun;           /* velocities with which it begins */
    double *sum, *moved;     /* impulses of the whole step; times when they act, after half-way */
    double *own_mu, *e_now;  /* by contact */
    double *change;          /* of velocities or positions */
    double *solver;
    int64_t *acting, *first; /* numbers of contacts that act; where their rows begin */
    int64_t closed, count;   /* contacts that are closed, and with those that hit */
    int64_t rows;
    double when;             /* of the first impact, in steps */
    double speed;            /* largest of u and pushed together */
    double residual;         /* largest of all parts of the step */
} parts;

static int64_t found_size(const il_contact_table *table, int64_t n)
{
    const int64_t of_meeting = IL_POSE_SIZE + IL_TWIST_ROWS * n;
    return 3 * table->count + table->first[table->count] * n + n * n +
           table->meeting_count * of_meeting;
}

int64_t il_contacts_work(const il_contact_table *table, int64_t n)
{
    const int64_t rows = table->first[table->count];
    return found_size(table, n) + rows * n + rows * rows + 7 * rows + 2 * table->count + n +
           il_contact_work_size(table->count, rows);
}

int64_t il_contacts_integers(const il_contact_table *table)
{
    return 2 * table->count + 1;
}

static parts split(const il_contacts *contacts, int64_t n)
{
    const il_contact_table *table = contacts->table;
    const int64_t count = table->count, rows = table->first[count];
    parts p = {.found = contacts->work, .acting = contacts->chosen};

    p.gap = p.found;
    p.mu = p.gap + count;
    p.e = p.mu + count;
    p.H = p.found + 3 * count;
    p.M = p.found + 3 * count + rows * n;
    p.meetings = p.M + n * n;
    p.Y = p.found + found_size(table, n);
    p.W = p.Y + rows * n;
    p.u = p.W + rows * rows;
    p.pushed = p.u + rows;
    p.q = p.pushed + rows;
    p.r = p.q + rows;
    p.begun = p.r + rows;
    p.sum = p.begun + rows;
    p.moved = p.sum + rows;
    p.own_mu = p.moved + rows;
    p.e_now = p.own_mu + count;
    p.change = p.e_now + count;
    p.solver = p.change + n;
    p.first = p.acting + count;
    p.when = 1.0;
    return p;
}

static double dot(int64_t n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int64_t k = 0; k < n; k++) {
        sum += a[k] * b[k];
    }
    return sum;
}

/* M = L L^T in its place, reciprocal pivots on the diagonal; not 0: it is not positive definite */
static int factorize(int64_t n, double *M)
{
    for (int64_t i = 0; i < n; i++) {
        double *row = M + i * n;
        for (int64_t j = 0; j < i; j++) {
            row[j] = (row[j] - dot(j, row, M + j * n)) * M[j * n + j];
        }
        const double pivot = row[i] - dot(i, row, row);
        if (!(pivot > 0.0)) {
            return 1;
        }
        row[i] = 1.0 / sqrt(pivot);
    }
    return 0;
}

/* y = L^-1 b */
static void solve_lower(int64_t n, const double *L, const double *b, double *y)
{
    for (int64_t i = 0; i < n; i++) {
        y[i] = (b[i] - dot(i, L + i * n, y)) * L[i * n + i];
    }
}

/* y = L^-T y */
static void solve_upper(int64_t n, const double *L, double *y)
{
    for (int64_t i = n - 1; i >= 0; i--) {
        y[i] *= L[i * n + i];
        for (int64_t j = 0; j < i; j++) {
            y[j] -= L[i * n + j] * y[i];
        }
    }
}

/* When a contact hits within the step, in steps; 1 or more: it does not. */
static double impact_time(const il_strike *strike, double gap_middle, double u, double pushed)
{
    if (!(u < -sudden * fabs(pushed))) {
        return 1.0;
    }
    /* gap + u t + pushed t^2 / 2h = 0, in lengths of the step */
    const double gap = gap_middle / strike->h - 0.5 * u;
    const double root = u * u - 2.0 * gap * pushed;
    return gap <= 0.0 ? 0.0 : root < 0.0 ? 1.0 : 2.0 * gap / (sqrt(root) - u);
}

static void add(const il_contact_table *table, parts *p, int64_t i)
{
    p->acting[p->count] = i;
    p->own_mu[p->count] = p->mu[i];
    p->first[p->count + 1] = p->first[p->count] + table->first[i + 1] - table->first[i];
    p->count++;
}

/* Touches of shapes that meet, as the last contacts. */
static void meet(const il_contact_table *table, const il_strike *strike, const parts *p, double *x_new)
{
    const double *told = p->meetings;

    for (int64_t k = 0; k < table->meeting_count; k++) {
        const il_meeting *meeting = table->meetings + k;
        const il_meeting_motion motion = {told, told + IL_POSE_SIZE, strike->n};
        const il_meeting_contacts contacts = {
            p->gap + meeting->first, p->H + table->first[meeting->first] * strike->n, x_new,
            table->places};
        il_meet(meeting, &motion, &contacts);
        told += IL_POSE_SIZE + IL_TWIST_ROWS * strike->n;
    }
}

/* Which contacts act, and when the first one hits. */
static void choose(const il_contact_table *table, const il_strike *strike, const double *v_free,
                   parts *p)
{
    const int64_t n = strike->n;

    p->first[0] = 0;
    for (int hits = 0; hits < 2; hits++) {
        for (int64_t i = 0; i < table->count; i++) {
            const double *H = p->H + table->first[i] * n;
            const double u = dot(n, H, strike->x + n), pushed = dot(n, H, v_free) - u;
            const double when = impact_time(strike, p->gap[i], u, pushed);
            if (hits && when < 1.0) {
                p->when = fmin(p->when, when);
                add(table, p, i);
            } else if (!hits && when >= 1.0 && p->gap[i] <= table->near) {
                add(table, p, i);
            }
        }
        p->closed = hits ? p->closed : p->count;
    }
    p->rows = p->first[p->count];
}

/* W, and velocities. */
static void pose(const il_contact_table *table, const il_strike *strike, const double *v_free,
                 parts *p)
{
    const int64_t n = strike->n;

    for (int64_t c = 0; c < p->count; c++) {
        const double *H = p->H + table->first[p->acting[c]] * n;
        for (int64_t k = p->first[c]; k < p->first[c + 1]; k++, H += n) {
            solve_lower(n, p->M, H, p->Y + k * n);
            p->u[k] = dot(n, H, strike->x + n);
            p->pushed[k] = dot(n, H, v_free) - p->u[k];
            p->sum[k] = p->moved[k] = 0.0;
            p->speed = fmax(p->speed, fabs(p->u[k]) + fabs(p->pushed[k]));
            for (int64_t j = 0; j <= k; j++) {
                p->W[k * p->rows + j] = p->W[j * p->rows + k] = dot(n, p->Y + k * n, p->Y + j * n);
            }
        }
    }
}

/* Impulses r of the first `count` contacts after the velocities q. */
static void solve(const il_contacts *contacts, parts *p, int64_t count)
{
    const il_contact_problem problem = {p->first, p->own_mu, p->W, NULL, p->q, count, p->rows};
    il_contact_effort effort = contacts->effort;
    il_contact_report report;

    /* a part of a step that hardly anything happens in need not be solved better than the others */
    effort.speed = p->speed;
    (void)il_contact_solve(&problem, &effort, p->r, p->solver, &report);
    /* NaN is the worst */
    p->residual = report.residual <= p->residual ? p->residual : report.residual;
}

/* Let impulses r of the first contacts act; `delay`: when they do, after half-way, in steps. */
static void act(parts *p, int64_t count, double delay)
{
    const int64_t given = p->first[count];

    for (int64_t k = 0; k < p->rows; k++) {
        p->u[k] += dot(given, p->W + k * p->rows, p->r);
    }
    for (int64_t k = 0; k < given; k++) {
        p->sum[k] += p->r[k];
        p->moved[k] -= delay * p->r[k];
    }
}

/* Let friction that would do work oppose the mean of the velocities at both ends of a part instead
   of that at its end: what turns about a point that sticks would gain energy. Not 0: there is some. */
static int stop_gains(parts *p, int64_t count)
{
    const int64_t given = p->first[count];
    int any = 0;

    for (int64_t c = 0; c < count; c++) {
        double work = 0.0, slip = 0.0;
        for (int64_t k = p->first[c] + 1; k < p->first[c + 1]; k++) {
            work += p->r[k] * (p->begun[k] + p->u[k] + dot(given, p->W + k * p->rows, p->r));
            slip = fmax(slip, fabs(p->begun[k]));
        }
        if (work > 0.0 && slip > rounding * p->speed) {
            for (int64_t k = p->first[c] + 1; k < p->first[c + 1]; k++) {
                p->q[k] += p->begun[k];
            }
            any = 1;
        }
    }
    return any;
}

/* Smooth forces for a share of the step, and the first contacts against them. */
static void press(const il_contacts *contacts, const il_strike *strike, parts *p, int64_t count,
                  double share, double delay)
{
    const il_contact_table *table = contacts->table;

    for (int64_t k = 0; k < p->rows; k++) {
        p->begun[k] = p->u[k];
        p->u[k] += share * p->pushed[k];
        p->q[k] = p->u[k];
    }
    /* what opens may close again as far: then the contact does no work */
    for (int64_t c = 0; c < count; c++) {
        p->q[p->first[c]] += fmax(0.0, p->begun[p->first[c]]);
    }
    /* from the forces of the step before */
    for (int64_t c = 0; c < count; c++) {
        const double *forces = p->before + table->places[p->acting[c]];
        for (int64_t k = p->first[c]; k < p->first[c + 1]; k++) {
            p->r[k] = share * strike->h * *forces++;
        }
    }
    solve(contacts, p, count);
    if (stop_gains(p, count)) {
        solve(contacts, p, count);
    }
    act(p, count, delay);
}

/* Restitution of contact c. */
static double restitution(const parts *p, int64_t c, enum rule rule)
{
    double e = p->e[p->acting[c]];
    for (int64_t k = p->closed; rule == LEAST && k < p->count; k++) {
        e = fmin(e, p->e[p->acting[k]]);
    }
    return rule == NONE || c < p->closed ? 0.0 : e;
}

/* Not 0: impulses r after velocities u would add to the energy. */
static int gains(const parts *p)
{
    double gained = 0.0, exchanged = 0.0;

    for (int64_t k = 0; k < p->rows; k++) {
        const double after = p->u[k] + dot(p->rows, p->W + k * p->rows, p->r);
        gained += 0.5 * p->r[k] * (p->u[k] + after);
        exchanged += fabs(p->r[k]) * (fabs(p->u[k]) + fabs(after));
    }
    return gained > rounding * exchanged;
}

/* The impact of all contacts that act. */
static void hit(const il_contacts *contacts, parts *p)
{
    enum rule rule = OWN;

    do {
        memcpy(p->q, p->u, (size_t)p->rows * sizeof *p->q);
        memset(p->r, 0, (size_t)p->rows * sizeof *p->r);
        for (int64_t c = 0; c < p->count; c++) {
            const int64_t normal = p->first[c];
            p->q[normal] += restitution(p, c, rule) * fmin(0.0, p->u[normal]);
        }
        solve(contacts, p, p->count);
    } while (rule++ < NONE && gains(p));
    act(p, p->count, p->when - 0.5);
}

/* Velocities and positions after all impulses. */
static void move(const il_strike *strike, parts *p, double *x_new)
{
    const int64_t n = strike->n;
    const double *impulses[2] = {p->moved, p->sum};
    const double scales[2] = {strike->h, 1.0};

    for (int which = 0; which < 2; which++) {
        memset(p->change, 0, (size_t)n * sizeof *p->change);
        for (int64_t k = 0; k < p->rows; k++) {
            for (int64_t j = 0; j < n; j++) {
                p->change[j] += impulses[which][k] * p->Y[k * n + j];
            }
        }
        solve_upper(n, p->M, p->change);
        for (int64_t j = 0; j < n; j++) {
            x_new[which * n + j] += scales[which] * p->change[j];
        }
    }
}

/* Forces and the residual as states; 0 of contacts that are open. */
static void tell(const il_contact_table *table, const il_strike *strike, const parts *p,
                 double *x_new)
{
    for (int64_t i = 0; i < table->count; i++) {
        const int64_t size = table->first[i + 1] - table->first[i];
        memset(x_new + table->places[i], 0, (size_t)(size + 1) * sizeof *x_new);
    }
    for (int64_t c = 0; c < p->count; c++) {
        double *states = x_new + table->places[p->acting[c]];
        for (int64_t k = p->first[c]; k < p->first[c + 1]; k++) {
            *states++ = p->sum[k] / strike->h;
        }
        *states = p->residual;
    }
}

int il_contacts_strike(const il_contacts *contacts, const il_strike *strike, double *x_new)
{
    const il_contact_table *table = contacts->table;
    const int64_t n = strike->n;
    parts p = split(contacts, n);

    p.before = x_new;
    table->rows(strike->context, strike->t, strike->x_middle, p.found);
    meet(table, strike, &p, x_new);
    choose(table, strike, x_new + n, &p);
    if (p.count > 0) {
        if (factorize(n, p.M)) {
            return IL_DIVERGED;
        }
        pose(table, strike, x_new + n, &p);
        /* delays: of forces that act from a to b of the step, (a + b - 1) / 2 */
        if (p.count > p.closed) {
            press(contacts, strike, &p, p.closed, p.when, 0.5 * (p.when - 1.0));
            hit(contacts, &p);
        } else {
            p.when = 0.0;
        }
        press(contacts, strike, &p, p.count, 1.0 - p.when, 0.5 * p.when);
        move(strike, &p, x_new);
    }
    tell(table, strike, &p, x_new);
    return IL_OK;
}
