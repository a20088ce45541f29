#include "il_tape.h"

#include "il_scalar.h"

/* are the inputs bit-identical to those of the last run? */
static int same(const double *registers, const double *inputs, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        if (il_to_bits(registers[k]) != il_to_bits(inputs[k])) return 0;
    return 1;
}

static double look_up(double x, const double *table, int pieces)
{
    const double *breaks = table + 2, *coefficients = breaks + pieces + 1;
    return il_table(x, pieces, breaks, coefficients, table[0], table[1]);
}

static double look_up_both(double x, double y, const double *tables, int32_t place)
{
    const double *const told = tables + place, *const grid = tables + (int64_t)told[1];
    const int a = (int)told[2], b = (int)told[3], c = (int)told[4], d = (int)told[5];
    switch ((enum il_chart)told[0]) {
    case IL_CHART_TABLE2: return il_table2(x, y, grid, a, b, c, d);
    case IL_CHART_SPLINE2: return il_spline2(x, y, grid, a, b, c);
    case IL_CHART_STATION: return il_station(x, y, grid);
    default: return NAN;
    }
}

static void execute(const il_instruction *i, int64_t length, const double *tables, double *r)
{
    for (const il_instruction *const end = i + length; i != end; i++) {
        const double a = r[i->a];
        double x;
        switch ((enum il_operation)i->operation) {
        case IL_TAPE_ADD: x = a + r[i->b]; break;
        case IL_TAPE_SUB: x = a - r[i->b]; break;
        case IL_TAPE_NEG: x = -a; break;
        case IL_TAPE_MUL: x = a * r[i->b]; break;
        case IL_TAPE_DIV: x = a / r[i->b]; break;
        case IL_TAPE_SIN: x = il_sin(a); break;
        case IL_TAPE_COS: x = il_cos(a); break;
        case IL_TAPE_TAN: x = il_tan(a); break;
        case IL_TAPE_ASIN: x = il_asin(a); break;
        case IL_TAPE_ACOS: x = il_acos(a); break;
        case IL_TAPE_ATAN: x = il_atan(a); break;
        case IL_TAPE_ATAN2: x = il_atan2(a, r[i->b]); break;
        case IL_TAPE_SQRT: x = il_sqrt(a); break;
        case IL_TAPE_EXP: x = il_exp(a); break;
        case IL_TAPE_LOG: x = il_log(a); break;
        case IL_TAPE_TANH: x = il_tanh(a); break;
        case IL_TAPE_POW: x = il_pow(a, r[i->b]); break;
        case IL_TAPE_ABS: x = il_abs(a); break;
        case IL_TAPE_SIGN: x = il_sign(a); break;
        case IL_TAPE_MIN: x = il_min(a, r[i->b]); break;
        case IL_TAPE_MAX: x = il_max(a, r[i->b]); break;
        case IL_TAPE_LT: x = il_lt(a, r[i->b]); break;
        case IL_TAPE_LE: x = il_le(a, r[i->b]); break;
        case IL_TAPE_WHERE: x = il_where(a, r[i->b], r[i->c]); break;
        case IL_TAPE_SINCOS: il_sincos_one(a, &x, &r[i->b]); break;
        case IL_TAPE_TABLE: x = look_up(a, tables + i->b, i->c); break;
        case IL_TAPE_TABLE2: x = look_up_both(a, r[i->b], tables, i->c); break;
        default: x = NAN; break;
        }
        r[i->out] = x;
    }
}

void il_tape_run(il_tape *tape, const double *inputs)
{
    double *const r = tape->registers;
    if (tape->known && same(r, inputs, tape->input_count)) return;
    for (int64_t k = 0; k < tape->input_count; k++) r[k] = inputs[k];
    execute(tape->instructions, tape->length, tape->tables, r);
    tape->known = 1;
}

void il_tape_rows(il_tape *tape, int64_t count, const double *inputs, double *results)
{
    const int64_t in = tape->input_count, out = tape->result_count;
    for (int64_t row = 0; row < count; row++) {
        il_tape_run(tape, inputs + row * in);
        for (int64_t k = 0; k < out; k++) results[row * out + k] = il_tape_result(tape, k);
    }
}
