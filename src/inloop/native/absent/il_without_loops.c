/* Stubs for run-time choices of coordinates in a plant without loops: never called. */
#include "il_free.h"

il_choice il_free_choice(const il_mode_row *row)
{
    return row->choices[0];
}

il_free *il_lay_out_free(il_arena *from, const il_mode_row *row, const double *pre)
{
    (void)from;
    (void)row;
    (void)pre;
    return NULL;
}

int64_t il_free_size(const il_mode_row *row)
{
    (void)row;
    return 0;
}

void il_tell_roles(const il_choice *choice, double *to)
{
    (void)choice;
    (void)to;
}

int il_free_makes_sense(const il_mode_row *row, const double *from)
{
    (void)row;
    (void)from;
    return 0;
}

int il_free_take(il_free *f, const double *from)
{
    (void)f;
    (void)from;
    return 0;
}

void il_free_adopt(il_free *f)
{
    (void)f;
}

void il_free_put_back(il_free *f)
{
    (void)f;
}

int il_reduction_choose(void *context, double t, const double *q)
{
    (void)context;
    (void)t;
    (void)q;
    return IL_LOOP_OPEN;
}

void il_reduction_pivots(void *context, double t, const double *q, double *pivots)
{
    (void)context;
    (void)t;
    (void)q;
    (void)pivots;
}

void il_reduction_grip(void *context, const il_view *before, double *qd)
{
    (void)context;
    (void)before;
    (void)qd;
}
