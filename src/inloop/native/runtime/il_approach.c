/* When contacts close: what is closed, what hits, and when; see il_contacts.h. */
#include "il_cholesky.h"
#include "il_strike.h"

#include <math.h>
#include <string.h>

/* a contact that closes faster than this many steps of smooth forces would make it is an impact */
static const double sudden = 2.0;

/* contacts that hit at times which differ by less, in steps, hit at once */
static const double together = 1e-6;

/* a gap of this many times what counts as closed is hardly open */
static const double hardly = 1e3, hardly_if_carried = 1e4;

/* and of this many is what is left where an impact has been found */
static const double found = 10.0;

/* closing by less than this part of it in a step is not seen */
static const double flat = 1e-3;

/* less than this part of the friction that there may be: a contact sticks */
static const double stuck = 1.0 - 1e-6;

/* rows with less than this part of their velocity half-way were at rest; where they have not been turned
   back yet, it is one half */
static const double at_rest = 0.7;

int il_strike_rows(const il_contact_table *table, const il_strike *strike, double t,
                   const double *x, const il_strike_parts *p)
{
    const int status = table->rows(strike->context, t, x, p->found);
    const double *told = p->meetings;

    for (int64_t k = 0; status == IL_OK && k < table->meeting_count; k++) {
        const il_meeting *meeting = table->meetings + k;
        const int64_t row = table->first[meeting->first];
        const il_meeting_motion motion = il_meeting_told(told, strike->n);
        const il_meeting_contacts contacts = {p->gap + meeting->first,
                                              p->H + row * strike->n,
                                              p->memory + meeting->first};
        il_meet(meeting, &motion, &contacts);
        if (table->moved) {
            il_meeting_drift(meeting, &motion, motion.drift, contacts.memory, p->w + row);
        } else {
            memset(p->w + row, 0, (size_t)(meeting->count * meeting->rows) * sizeof *p->w);
        }
        told += il_meeting_numbers(meeting, strike->n);
    }
    return status;
}

/* Velocities w of the contacts at one end of the step; of shapes that meet, how they drift there. */
static int drive(const il_contact_table *table, const il_strike *strike, const il_strike_parts *p,
                 int end, double *w)
{
    const size_t size = (size_t)table->first[table->count] * sizeof *w;
    const double t = end ? strike->t + strike->h : strike->t;
    const double *x = end ? strike->x_end : strike->x;
    const double *told = p->meetings;

    if (!table->moved) {
        memset(w, 0, size);
        return IL_OK;
    }
    const int status = table->rows(strike->context, t, x, p->found);
    memcpy(w, p->w, size);
    for (int64_t k = 0; k < table->meeting_count; k++) {
        il_touch_memory *memory = p->memory + table->meetings[k].first;
        const il_meeting_motion motion = il_meeting_told(told, strike->n);
        memcpy(memory->drift[end], motion.drift, sizeof memory->drift[end]);
        told += il_meeting_numbers(table->meetings + k, strike->n);
    }
    return status;
}

/* The same of shapes that meet, at touches as they are half-way. */
static void drive_meetings(const il_contact_table *table, const il_strike *strike,
                           const il_strike_parts *p)
{
    const double *told = p->meetings;

    for (int64_t k = 0; table->moved && k < table->meeting_count; k++) {
        const il_meeting *meeting = table->meetings + k;
        const il_touch_memory *memory = p->memory + meeting->first;
        const int64_t row = table->first[meeting->first];
        const il_meeting_motion motion = il_meeting_told(told, strike->n);
        il_meeting_drift(meeting, &motion, memory->drift[0], memory, p->w_before + row);
        il_meeting_drift(meeting, &motion, memory->drift[1], memory, p->w_after + row);
        told += il_meeting_numbers(meeting, strike->n);
    }
}

/* Velocity of a row at the beginning of the step, as rows are known; w: what drives do. */
static double velocity(const il_strike *strike, const il_strike_parts *p, const double *w, int64_t row)
{
    return il_dot(strike->n, p->H + row * strike->n, strike->x + strike->n) + w[row];
}

/* Not 0: a contact carried in the step before, or was hit in this one. */
static int carried(const il_contact_table *table, const il_strike *strike, const il_strike_parts *p,
                   int64_t i)
{
    return strike->x[table->places[i]] > 0.0 || p->deeds[i] > IL_ACTED;
}

/* Rows of a contact that are tangents. */
static int64_t tangents_of(const il_contact_table *table, int64_t i)
{
    const int64_t *turning = table->turning ? table->turning + 2 * i : NULL;
    const int64_t rows = table->first[i + 1] - table->first[i];
    return rows - 1 - (turning ? turning[0] + turning[1] : 0);
}

/* Not 0: a contact that carried closes half-way, or slips there though it has stuck. */
static int seems_turned(const il_contact_table *table, const il_strike *strike,
                        const il_strike_parts *p, int64_t i)
{
    const int64_t normal = table->first[i], tangents = tangents_of(table, i);
    const double *force = strike->x + table->places[i];
    const double least = flat * table->near / strike->h;

    if (!(p->gap[i] < INFINITY) || !carried(table, strike, p, i)) {
        return 0;
    }
    const double friction = sqrt(il_dot(tangents, force + 1, force + 1));
    int any = velocity(strike, p, p->w_before, normal) < -least;
    if (friction < stuck * p->mu[i] * force[0] && p->deeds[i] <= IL_ACTED) {
        for (int64_t row = normal + 1; row <= normal + tangents; row++) {
            any |= fabs(velocity(strike, p, p->w_before, row)) > least;
        }
    }
    return any;
}

/* Gaps and rows at the beginning of the step. */
static int look_back(const il_contact_table *table, const il_strike *strike, il_strike_parts *p,
                     il_strike_parts *before)
{
    *before = il_strike_before(table, strike, p);
    const int status = il_strike_rows(table, strike, strike->t, strike->x, before);
    memcpy(p->gap_before, before->gap, (size_t)table->count * sizeof *p->gap);
    p->gap_known = status == IL_OK;
    return status;
}

/* Velocities at the beginning of some rows of a contact, squared and summed up: as `before` knows them,
   and half-way. Rows that moved before already are not turned. */
static void add_turned(const il_strike *strike, const il_strike_parts *p,
                       const il_strike_parts *before, const int64_t rows[2], double sums[2])
{
    double was = 0.0, is = 0.0;

    for (int64_t row = rows[0]; row < rows[1]; row++) {
        const double u = velocity(strike, before, before->w, row);
        p->turned[row] = velocity(strike, p, p->w_before, row);
        was += u * u;
        is += p->turned[row] * p->turned[row];
    }
    if (was > at_rest * at_rest * is) {
        memset(p->turned + rows[0], 0, (size_t)(rows[1] - rows[0]) * sizeof *p->turned);
        return;
    }
    sums[0] += was;
    sums[1] += is;
}

/* What turning rows do to velocities of contacts that carry, as of a bead inside a ring, or of what
   sticks to a turntable: where these are at rest half-way they are not at the end, and move on. */
static int find_turned(const il_contact_table *table, const il_strike *strike, il_strike_parts *p)
{
    il_strike_parts before;
    double sums[2] = {0.0, 0.0};
    int any = 0;

    memset(p->turned, 0, (size_t)table->first[table->count] * sizeof *p->turned);
    for (int64_t i = 0; !any && i < table->count; i++) {
        any = seems_turned(table, strike, p, i);
    }
    const int status = any ? look_back(table, strike, p, &before) : IL_OK;
    for (int64_t i = 0; any && status == IL_OK && i < table->count; i++) {
        const int64_t normal = table->first[i], end = normal + 1 + tangents_of(table, i);
        const double gap = fmax(p->gap[i], before.gap[i]);
        if (gap < INFINITY && (gap <= hardly_if_carried * table->near || carried(table, strike, p, i))) {
            add_turned(strike, p, &before, (const int64_t[]){normal, normal + 1}, sums);
            add_turned(strike, p, &before, (const int64_t[]){normal + 1, end}, sums);
        }
    }
    /* one part for all: where contacts are redundant, only velocities in proportion to those that they
       have can be met by all of them */
    const double part = sums[0] < sums[1] ? 1.0 - sqrt(sums[0] / sums[1]) : 0.0;
    for (int64_t row = 0; row < table->first[table->count]; row++) {
        p->turned[row] *= part;
    }
    return status;
}

int il_strike_look(const il_contact_table *table, const il_strike *strike, il_strike_parts *p)
{
    int status = drive(table, strike, p, 0, p->w_before);
    if (status == IL_OK) {
        status = drive(table, strike, p, 1, p->w_after);
    }
    if (status == IL_OK) {
        const double half = strike->t + 0.5 * strike->h;
        status = il_strike_rows(table, strike, half, strike->x_middle, p);
    }
    drive_meetings(table, strike, p);
    return status == IL_OK ? find_turned(table, strike, p) : status;
}

void il_strike_motion(const il_strike *strike, const il_strike_parts *p, const double *v_free,
                      int64_t row, double *u, double *pushed)
{
    const int64_t n = strike->n;
    const double *H = p->H + row * n;
    const double before = il_dot(n, H, strike->x + n);

    *u = before + p->w_before[row];
    *pushed = il_dot(n, H, v_free) - before + p->w_after[row] - p->w_before[row];
}

/* Not 0: a contact is closed at the beginning. What carried in the step before, or is hardly open,
   is so if it would close within a whole step: it must not fall through a gap that rounding left. */
static int touches(const il_contact_table *table, const il_strike *strike, const il_strike_parts *p,
                   int64_t i, double gap, double closing)
{
    const double ahead = fmin(0.0, 0.5 * strike->whole * closing);
    const double open = (carried(table, strike, p, i) ? hardly_if_carried : hardly) * table->near;

    return gap <= table->near || (gap <= open && gap + ahead <= 0.0);
}

il_approach il_approach_of(const il_contact_table *table, const il_strike *strike,
                            const double *v_free, const il_strike_parts *p, int64_t i)
{
    const double h = strike->h;
    double u, pushed;

    /* a touch that is not there, of shapes that meet */
    if (!(p->gap[i] < INFINITY) && !(p->gap_known && p->gap_before[i] < INFINITY)) {
        return (il_approach){INFINITY, 0, 0};
    }
    il_strike_motion(strike, p, v_free, table->first[i], &u, &pushed);
    /* what smooth forces do in some steps; and less than what counts as closed is no way to go */
    const double turned = fmin(0.0, p->turned[table->first[i]]);
    const double smooth = sudden * (fabs(pushed) - 2.0 * turned) * strike->whole / h +
                          table->near / strike->whole;
    /* u is the slope of the gap half-way along a straight line; bent: how far it is from straight */
    const double straight = p->gap[i] - 0.5 * h * u;
    const double gap = p->gap_known ? p->gap_before[i] : straight + 0.25 * h * turned;
    const double closing = 2.0 * u + pushed * strike->whole / h;
    /* what carries and gives way may do so at any speed: its spring takes it up */
    const double *forces = strike->x + table->places[i];
    const int hit = forces[table->first[i + 1] - table->first[i] + 1] > 0.0;
    const int yields = p->soft[i] > 0.0 && forces[0] > 0.0 && !hit;
    if ((yields || !(u - turned < -smooth)) && touches(table, strike, p, i, gap, closing)) {
        return (il_approach){INFINITY, 0, 1};
    }
    const double bent = 4.0 * (gap - straight) / h;
    /* gap + (u - bent) t + (2 bent + pushed) t^2 / 2h = 0, in lengths of the step */
    const double slope = u - bent, curve = 2.0 * bent + pushed;
    const double root = slope * slope - 2.0 * curve * gap / h;
    if (gap <= 0.0) {
        return (il_approach){0.0, 1, 0};
    }
    if (root < 0.0 || sqrt(root) <= slope) {
        return (il_approach){INFINITY, 0, 0};
    }
    return (il_approach){2.0 * gap / h / (sqrt(root) - slope), sqrt(root) > smooth, 0};
}

static double first_hit(const il_contact_table *table, const il_strike *strike,
                        const double *v_free, const il_strike_parts *p)
{
    double first = 1.0;
    for (int64_t i = 0; i < table->count; i++) {
        first = fmin(first, il_approach_of(table, strike, v_free, p, i).when);
    }
    return first;
}

int il_contacts_first_impact(const il_contacts *contacts, const il_strike *strike,
                             const double *v_free, double *when)
{
    const il_contact_table *table = contacts->table;
    if (table->pile) {
        *when = 1.0;
        return IL_OK;
    }
    il_strike_parts p = il_strike_split(contacts, strike);

    memset(p.struck, 0, (size_t)table->count * sizeof *p.struck);
    memset(p.pressed, 0, (size_t)table->count * sizeof *p.pressed);
    int status = il_strike_look(table, strike, &p);
    *when = first_hit(table, strike, v_free, &p);
    if (status == IL_OK && *when < 1.0) {
        /* once more, with gaps at the beginning: they tell how the way is bent */
        il_strike_parts before;
        status = p.gap_known ? IL_OK : look_back(table, strike, &p, &before);
        *when = first_hit(table, strike, v_free, &p);
    }
    for (int64_t i = 0; *when < 1.0 && i < table->count; i++) {
        const il_approach a = il_approach_of(table, strike, v_free, &p, i);
        p.struck[i] = a.when > *when + together ? 0 : a.fast ? IL_FAST : IL_SLOW;
    }
    return status;
}

int il_contacts_miss(const il_contacts *contacts, const il_strike *strike, il_miss *missed)
{
    const il_contact_table *table = contacts->table;
    const il_strike_parts p = il_strike_split(contacts, strike);
    const int64_t n = strike->n;

    const int status = il_strike_rows(table, strike, strike->t, strike->x_middle, &p);
    *missed = (il_miss){INFINITY, 0.0};
    for (int64_t i = 0; i < table->count; i++) {
        const int64_t row = table->first[i];
        if (p.struck[i] && p.gap[i] < missed->gap) {
            missed->gap = p.gap[i];
            missed->rate = p.w[row] + il_dot(n, p.H + row * n, strike->x_middle + n);
        }
    }
    /* what hits may be no more, where shapes meet in another way: then there is nothing to look for */
    if (!(missed->gap < INFINITY) || fabs(missed->gap) <= found * table->near) {
        missed->gap = 0.0;
    }
    return status;
}
