/* In place of the hard contacts in a plant that has none. */
#include "il_contacts.h"
#include "il_instance.h"

int64_t il_contacts_work(const il_contact_table *table, int64_t n)
{
    (void)table;
    (void)n;
    return 0;
}

int64_t il_contacts_integers(const il_contact_table *table)
{
    (void)table;
    return 0;
}

int64_t il_drive_efforts_size(const il_mode_row *row, int64_t rows, int64_t driven)
{
    (void)row;
    (void)rows;
    (void)driven;
    return 0;
}

int64_t il_expand_states(il_part *part, il_context *context, int64_t count, const double *t,
                         const double *x, double *q, double *qd, double *qdd, double *lam,
                         double *effort)
{
    const il_choice *choice = il_in_use(part)->choice;
    return choice->expand(context, count, t, x, q, qd, qdd, lam, effort);
}
