/* Steps the plant STEPS times and writes the cost and the bits of the outputs. */
#include <string.h>

#include "board.h"
#include "plant.h"

enum { ROOM = 2 << 20 };
static unsigned char memory[ROOM] __attribute__((aligned(IL_ALIGNMENT)));
static plant_number y[PLANT_OUTPUTS + 1];

static void write_number(const char *name, uint64_t value)
{
    char digits[24];
    int k = sizeof digits - 1;
    digits[k] = '\0';
    digits[--k] = '\n';
    do {
        digits[--k] = (char)('0' + value % 10u);
        value /= 10u;
    } while (value != 0);
    board_write(name);
    board_write(&digits[k]);
}

/* Fowler-Noll-Vo hash (FNV-1a) of all bits of the outputs */
static uint64_t mixed(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    for (size_t k = 0; k < count; k++) hash = (hash ^ byte[k]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t bits_of(plant_number value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value); /* all targets are little-endian */
    return bits;
}

int main(void)
{
    const il_plant *plant = PLANT();
    const size_t size = il_instance_size(plant, PLANT_METHOD);
    uint64_t hash = UINT64_C(0xcbf29ce484222325), sum = 0;
    uint32_t most = 0;
    int status = IL_BAD_ARGUMENT;
    il_instance *instance = NULL;
    write_number("bytes ", size);
    board_paint_stack();
    if (size > 0 && size <= ROOM) instance = il_initialize(memory, plant, PLANT_METHOD, PLANT_STEP);
    if (instance) status = il_outputs(instance, y);
    write_number("start_stack ", board_painted_over());
    board_paint_stack();
    for (int k = 0; k < STEPS && status == IL_OK; k++) {
        const uint32_t before = board_instructions();
        status = il_advance(instance);
        if (status == IL_OK) status = il_outputs(instance, y);
        const uint32_t took = board_instructions() - before;
        sum += took;
        most = took > most ? took : most;
        hash = mixed(hash, y, sizeof y[0] * PLANT_OUTPUTS);
    }
    write_number("step_stack ", board_painted_over());
    write_number("status ", (uint64_t)status);
    write_number("most ", most);
    write_number("sum ", sum);
    write_number("hash ", hash);
    for (int k = 0; k < PLANT_OUTPUTS; k++) write_number("y ", bits_of(y[k]));
    return status;
}
