/* Functions given for a run, as register instructions: no compiler is needed.
 *
 * All numbers are in registers: first the inputs, then the constants, then intermediate values,
 * whose registers are reused when they are no longer needed. Every instruction reads up to three
 * registers and writes one, with the same rounding as in generated code (il_scalar.h). Nothing is
 * allocated; the registers belong to the caller, so that threads can share everything else.
 */
#ifndef IL_TAPE_H
#define IL_TAPE_H

#include <stdint.h>

#include "il_export.h"

/* listed in the same order in codegen/tape.py */
enum il_operation {
    IL_TAPE_ADD,
    IL_TAPE_SUB,
    IL_TAPE_NEG,
    IL_TAPE_MUL,
    IL_TAPE_DIV,
    IL_TAPE_SIN,
    IL_TAPE_COS,
    IL_TAPE_TAN,
    IL_TAPE_ASIN,
    IL_TAPE_ACOS,
    IL_TAPE_ATAN,
    IL_TAPE_ATAN2,
    IL_TAPE_SQRT,
    IL_TAPE_EXP,
    IL_TAPE_LOG,
    IL_TAPE_TANH,
    IL_TAPE_POW,
    IL_TAPE_ABS,
    IL_TAPE_SIGN,
    IL_TAPE_MIN,
    IL_TAPE_MAX,
    IL_TAPE_LT,
    IL_TAPE_LE,
    IL_TAPE_WHERE,
    IL_TAPE_SINCOS, /* the sine, and the cosine into register b */
    IL_TAPE_TABLE,  /* b: its offset in `tables`, c: number of its pieces */
    IL_TAPE_TABLE2  /* of two registers; c: its offset in `tables` */
};

/* functions of two variables, in the order of CHARTS in codegen/tape.py */
enum il_chart { IL_CHART_TABLE2, IL_CHART_SPLINE2, IL_CHART_STATION };

typedef struct il_instruction {
    int32_t operation;
    int32_t out;     /* register of the result */
    int32_t a, b, c; /* registers of the arguments */
} il_instruction;

typedef struct il_tape {
    const il_instruction *instructions;
    const double *tables;   /* of each: below, above, breaks, four coefficients per piece; of two
                               variables: which function, offset of its numbers, and its
                               integer arguments after them */
    const int32_t *results; /* their registers */
    double *registers;
    int64_t length;         /* number of instructions */
    int64_t input_count;
    int64_t result_count;
    int64_t known;          /* the registers hold the results for the inputs in them */
} il_tape;

/* Evaluate for these inputs. Repeated inputs cost only a comparison: integrators request the same
   time more than once. */
void il_tape_run(il_tape *tape, const double *inputs);

/* Evaluate rows of inputs to rows of results. */
IL_EXPORT void il_tape_rows(il_tape *tape, int64_t count, const double *inputs, double *results);

/* A result after il_tape_run. */
static inline double il_tape_result(const il_tape *tape, int64_t k)
{
    return tape->registers[tape->results[k]];
}

#endif
