/* Efforts of drives due to hard contacts.
 *
 * Generated code computes the efforts of drives from smooth forces. Forces f of contacts that move
 * with u = H v + D qd_d + w act on the independent coordinates like efforts H^T f, and on the
 * drives with D^T f:
 *
 *     effort = (effort of smooth forces and H^T f) - D^T f
 *
 * where f are the mean forces of the last step, stored in x, including impulses of impacts. D is
 * obtained from velocities u at unit velocities of the drives, in which they are linear. Contacts
 * found at run time are at their positions in the last step.
 */
#include "il_instance.h"

#include <string.h>

#include "il_strike.h"

int64_t il_drive_efforts_size(const il_mode_row *row, int64_t rows, int64_t driven)
{
    return il_positions(row) + 6 * row->n + rows + 4 * driven;
}

/* Memory for one state. */
typedef struct scratch {
    double *tau, *given;         /* efforts, and motion of driven joints in rows of n */
    double *driven, *carried;    /* their motion from the drives; D^T f */
    double *q, *qd, *qdd, *lam;
} scratch;

static scratch split(const il_part *part, int64_t driven)
{
    const int64_t n = part->row->n;
    scratch s = {.tau = part->loaded};
    s.given = s.tau + n;
    s.driven = s.given + 3 * n;
    s.carried = s.driven + 3 * driven;
    s.q = s.carried + driven;
    s.qd = s.q + il_positions(part->row);
    s.qdd = s.qd + n;
    s.lam = s.qdd + n;
    return s;
}

/* f of all contacts; 0: no contact is active. */
static int take_forces(const il_contact_table *table, const double *x, double *f)
{
    int any = 0;
    for (int64_t i = 0; i < table->count; i++) {
        const int64_t *first = table->first + i;
        memcpy(f + first[0], x + table->places[i], (size_t)(first[1] - first[0]) * sizeof *f);
        any |= f[first[0]] != 0.0;
    }
    return any;
}

/* Motion of the driven joints, in a writable array. */
static void hold_drives(const il_choice *choice, const il_context *c, int64_t n, double t,
                        const double *z, const scratch *s)
{
    memcpy(s->given, c->q, (size_t)n * sizeof *s->given);
    memcpy(s->given + n, c->qd, (size_t)n * sizeof *s->given);
    memcpy(s->given + 2 * n, c->qdd, (size_t)n * sizeof *s->given);
    if (c->drives) {
        c->drives(c->drives_self, t, c->u, z, s->driven);
        for (int64_t k = 0; k < 3 * choice->driven_count; k++) {
            const int64_t kind = k / choice->driven_count, joint = k % choice->driven_count;
            s->given[kind * n + choice->driven[joint]] = s->driven[k];
        }
    }
}

/* Sum of f times the motion of rows besides the independent velocities; and the rows. */
static int power_of_drives(const il_contact_table *table, int64_t n, il_context *c, double t,
                           const double *x, const il_strike_parts *p, double *power)
{
    const int64_t rows = table->first[table->count];
    const int status = table->rows(c, t, x, p->found);
    const double *told = p->meetings;
    for (int64_t k = 0; k < table->meeting_count; k++) {
        const il_meeting *meeting = table->meetings + k;
        const il_meeting_motion motion = il_meeting_told(told, n);
        const il_touch_memory *memory = p->memory + meeting->first;
        const int64_t row = table->first[meeting->first];
        il_meeting_rows(meeting, &motion, memory, p->H + row * n);
        il_meeting_drift(meeting, &motion, motion.drift, memory, p->w + row);
        told += il_meeting_numbers(meeting, n);
    }
    *power = 0.0;
    for (int64_t k = 0; k < rows; k++) {
        *power += p->w[k] * p->r[k];
    }
    return status;
}

/* Efforts of one state, given the smooth ones. Not IL_OK: they are unchanged. */
static int add_contacts(il_part *part, const il_context *context, double t, const double *x,
                        double *effort)
{
    const il_active *active = il_in_use(part);
    const il_choice *choice = active->choice;
    const il_contact_table *table = choice->contacts;
    const int64_t n = part->row->n, nu = choice->independent_count;
    const il_strike_parts p = il_strike_split(&active->contacts, &(il_strike){.n = nu});
    const scratch s = split(part, choice->driven_count);
    il_context own = *context;
    double before, after;

    if (!take_forces(table, x, p.r)) {
        return IL_OK;
    }
    hold_drives(choice, context, n, t, x + 2 * nu, &s);
    own.drives = NULL;
    own.q = s.given;
    own.qd = s.given + n;
    own.qdd = s.given + 2 * n;
    for (int64_t k = 0; k < table->meeting_count; k++) {
        const il_meeting *meeting = table->meetings + k;
        il_meeting_recall(meeting, x, table->places + meeting->first, p.memory + meeting->first);
    }
    int status = power_of_drives(table, nu, &own, t, x, &p, &before);
    memcpy(s.tau, context->tau, (size_t)n * sizeof *s.tau);
    for (int64_t k = 0; k < table->first[table->count] * nu; k++) {
        s.tau[choice->independent[k % nu]] += p.H[k] * p.r[k / nu];
    }
    for (int64_t k = 0; status == IL_OK && k < choice->driven_count; k++) {
        double *const rate = s.given + n + choice->driven[k], kept = *rate;
        *rate = kept + 1.0;
        status = power_of_drives(table, nu, &own, t, x, &p, &after);
        *rate = kept;
        s.carried[k] = after - before;
    }
    own.tau = s.tau;
    if (status != IL_OK || choice->expand(&own, 1, &t, x, s.q, s.qd, s.qdd, s.lam, effort) != 1) {
        return IL_LOOP_OPEN;
    }
    for (int64_t k = 0; k < choice->driven_count; k++) {
        effort[k] -= s.carried[k];
    }
    return IL_OK;
}

int64_t il_expand_states(il_part *part, il_context *context, int64_t count, const double *t,
                         const double *x, double *q, double *qd, double *qdd, double *lam,
                         double *effort)
{
    const il_active *active = il_in_use(part);
    const il_choice *choice = active->choice;
    const il_contact_table *table = choice->contacts;
    const int64_t good = choice->expand(context, count, t, x, q, qd, qdd, lam, effort);
    const int64_t size = il_state_size(&active->system);

    if (!table || table->pile) {
        return good;
    }
    for (int64_t k = 0; choice->driven_count > 0 && k < good; k++) {
        if (context->inputs && il_follow(context->inputs, t[k]) != IL_OK) {
            return k;
        }
        if (add_contacts(part, context, t[k], x + k * size,
                         effort + k * choice->driven_count) != IL_OK) {
            return k;
        }
    }
    return good;
}
