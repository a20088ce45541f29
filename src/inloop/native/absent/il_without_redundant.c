/* In place of bodies with six coordinates each in a plant that has none: nobody calls these. */
#include "il_redundant.h"

il_redundant_memory *il_redundant_lay_out(il_arena *from, const il_redundant *table)
{
    (void)from;
    (void)table;
    return NULL;
}

int64_t il_alpha_numbers(const il_redundant *table)
{
    (void)table;
    return 0;
}

void il_alpha_forget(il_redundant_memory *m)
{
    (void)m;
}

int il_alpha_advance(void *context, double t, double h, double t_new, const double *x, double *x_new,
                     int whole)
{
    (void)context;
    (void)t;
    (void)h;
    (void)t_new;
    (void)x;
    (void)x_new;
    (void)whole;
    return IL_BAD_ARGUMENT;
}

int il_redundant_settle(void *context, double t, const double *x)
{
    (void)context;
    (void)t;
    (void)x;
    return IL_BAD_ARGUMENT;
}

void il_redundant_respond(void *context, double g, const double *push, double *change)
{
    (void)context;
    (void)g;
    (void)push;
    (void)change;
}

int il_redundant_fit(void *context, double t, double *x)
{
    (void)context;
    (void)t;
    (void)x;
    return IL_BAD_ARGUMENT;
}

int il_redundant_grip(il_context *c, const il_view *before, double *qd)
{
    (void)c;
    (void)before;
    (void)qd;
    return IL_BAD_ARGUMENT;
}
