/* The free choice of a mode: independent coordinates that nobody has compiled, chosen while it runs.
 *
 * It stands behind the compiled choices and looks like one of them, with the functions of
 * il_reduction.h and with tables in the memory of the instance. It always has roles that make
 * sense: at first those of the first compiled choice.
 */
#ifndef IL_FREE_H
#define IL_FREE_H

#include "il_arena.h"
#include "il_plant.h"
#include "il_reduction.h"

typedef struct il_free {
    il_choice choice;                         /* its tables are those below */
    int64_t *dependent, *independent, *rows;
    il_reduction *reduction;
} il_free;

/* The free choice of a mode, but for its tables. */
il_choice il_free_choice(const il_mode_row *row);

/* Memory and first roles. pre: what its preparation writes. */
il_free *il_lay_out_free(il_arena *from, const il_mode_row *row, const double *pre);

/* Numbers that tell the roles of a choice: dependent and independent coordinates, rows in use. */
int64_t il_free_size(const il_mode_row *row);
void il_tell_roles(const il_choice *choice, double *to);
/* Are these roles, each coordinate and row in one place? */
int il_free_makes_sense(const il_mode_row *row, const double *from);
/* Take roles that make sense; 0 if it had them. */
int il_free_take(il_free *f, const double *from);

/* Take the roles that the reduction has found, or give it back those from before. */
void il_free_adopt(il_free *f);
void il_free_put_back(il_free *f);

#endif
