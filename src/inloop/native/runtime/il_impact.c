/* The impact of all contacts that act, with restitution of Newton or Poisson; see il_contacts.h. */
#include "il_cholesky.h"
#include "il_strike.h"

#include <math.h>
#include <string.h>

/* more than this part of the energy that is exchanged is a gain */
static const double rounding = 1e-9;

/* rounds of an expansion, and when they end: change of velocities in parts of the largest */
enum { EXPANSIONS = 30 };
static const double expanded = 1e-12;

/* Restitution of an impact, in the order in which it is tried. */
enum rule { OWN, LEAST, NONE };

/* Restitution of contact c. */
static double restitution(const il_strike_parts *p, int64_t c, enum rule rule)
{
    double e = p->e[p->acting[c]];
    for (int64_t k = p->closed; rule == LEAST && k < p->count; k++) {
        e = fmin(e, p->e[p->acting[k]]);
    }
    return rule == NONE || c < p->closed || p->struck[p->acting[c]] == IL_SLOW ? 0.0 : e;
}

/* Not 0: impulses r after velocities u would add to the energy. */
static int gains(const il_strike_parts *p)
{
    double gained = 0.0, exchanged = 0.0;

    for (int64_t k = 0; k < p->rows; k++) {
        const double after = p->u[k] + il_dot(p->rows, p->W + k * p->rows, p->r);
        gained += 0.5 * p->r[k] * (p->u[k] + after);
        exchanged += fabs(p->r[k]) * (fabs(p->u[k]) + fabs(after));
    }
    return gained > rounding * exchanged;
}

/* Not 0: the restitution of a contact is Poisson's. */
static int is_poisson(const il_contacts *contacts, const il_strike_parts *p, int64_t c)
{
    const int64_t *poisson = contacts->table->poisson;
    return poisson && poisson[p->acting[c]];
}

/* Restitution of such a contact: what is pressed together expands, whether it was closed or hits. */
static double expansion(const il_strike_parts *p, int64_t c, enum rule rule)
{
    double e = p->e[p->acting[c]];
    for (int64_t k = 0; rule == LEAST && k < p->count; k++) {
        e = fmin(e, p->e[p->acting[k]]);
    }
    return rule == NONE || p->struck[p->acting[c]] == IL_SLOW ? 0.0 : e;
}

/* Velocities that contacts are apart with at the end of an expansion: those of Newton's restitution
   are known, those of Poisson's are as impulses make them. Not 0: they have changed. */
static int find_apart(const il_contacts *contacts, il_strike_parts *p, enum rule rule)
{
    double *expanded_r = p->q, change = 0.0;

    memcpy(expanded_r, p->r, (size_t)p->rows * sizeof *p->r);
    for (int64_t c = 0; c < p->count; c++) {
        const int64_t normal = p->first[c];
        const double given = expansion(p, c, rule) * p->squeezed[normal];
        if (is_poisson(contacts, p, c)) {
            /* where it touches still the impulse may be more, and is as it was found */
            expanded_r[normal] = p->apart[normal] > 0.0 ? given : fmax(given, p->r[normal]);
        }
    }
    for (int64_t c = 0; c < p->count; c++) {
        const int64_t normal = p->first[c];
        const double *W = p->W + normal * p->rows;
        const int pressed = p->apart[normal] == 0.0 &&
                            p->r[normal] > expansion(p, c, rule) * p->squeezed[normal];
        if (is_poisson(contacts, p, c) && !pressed) {
            const double after = p->u[normal] + il_dot(p->rows, W, p->squeezed) +
                                 il_dot(p->rows, W, expanded_r);
            change = fmax(change, fabs(fmax(0.0, after) - p->apart[normal]));
            p->apart[normal] = fmax(0.0, after);
        }
    }
    return change > expanded * p->speed;
}

/* An impact in which some restitution is Poisson's: compression, then expansion. */
static void compress_and_expand(const il_contacts *contacts, il_strike_parts *p, enum rule rule)
{
    const size_t size = (size_t)p->rows * sizeof *p->r;

    memcpy(p->q, p->u, size);
    il_strike_solve(contacts, p, p->count);
    memcpy(p->squeezed, p->r, size);
    memset(p->r, 0, size);
    memset(p->apart, 0, size);
    for (int64_t c = 0; c < p->count; c++) {
        const double e = is_poisson(contacts, p, c) ? 0.0 : restitution(p, c, rule);
        p->apart[p->first[c]] = -e * fmin(0.0, p->u[p->first[c]]);
    }
    /* friction lags behind the velocities that it changes: a few rounds */
    for (int k = 0; k < EXPANSIONS && find_apart(contacts, p, rule); k++) {
        for (int64_t i = 0; i < p->rows; i++) {
            p->q[i] = p->u[i] + il_dot(p->rows, p->W + i * p->rows, p->squeezed) - p->apart[i];
        }
        il_strike_solve(contacts, p, p->count);
    }
    for (int64_t i = 0; i < p->rows; i++) {
        p->r[i] += p->squeezed[i];
    }
}

void il_strike_impact(const il_contacts *contacts, il_strike_parts *p)
{
    enum rule rule = OWN;
    int poisson = 0;

    for (int64_t c = 0; c < p->count; c++) {
        poisson |= is_poisson(contacts, p, c);
    }
    do {
        memcpy(p->q, p->u, (size_t)p->rows * sizeof *p->q);
        memset(p->r, 0, (size_t)p->rows * sizeof *p->r);
        memset(p->R, 0, (size_t)p->rows * sizeof *p->R);
        if (poisson) {
            compress_and_expand(contacts, p, rule);
            continue;
        }
        for (int64_t c = 0; c < p->count; c++) {
            const int64_t normal = p->first[c];
            p->q[normal] += restitution(p, c, rule) * fmin(0.0, p->u[normal]);
        }
        il_strike_solve(contacts, p, p->count);
    } while (rule++ < NONE && gains(p));
    il_strike_act(p, p->count, p->when - 0.5);
}
