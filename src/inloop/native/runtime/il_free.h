/* The free choice of a mode: independent coordinates without generated code, chosen at run time.
 *
 * It comes after the compiled choices and looks like one of them, with the functions of
 * il_reduction.h and with tables in the memory of the instance. Its roles are always valid:
 * initially those of the first compiled choice.
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

/* The free choice of a mode, without its tables. */
il_choice il_free_choice(const il_mode_row *row);

/* Memory and initial roles. pre: output of its preparation. */
il_free *il_lay_out_free(il_arena *from, const il_mode_row *row, const double *pre);

/* Length of the roles of a choice: dependent and independent coordinates, rows in use. */
int64_t il_free_size(const il_mode_row *row);
void il_tell_roles(const il_choice *choice, double *to);
/* Are these valid roles, each coordinate and row once? */
int il_free_makes_sense(const il_mode_row *row, const double *from);
/* Set valid roles; 0 if they are unchanged. */
int il_free_take(il_free *f, const double *from);

/* Take the roles found by the reduction, or restore the previous ones. */
void il_free_adopt(il_free *f);
void il_free_put_back(il_free *f);

#endif
