/* A program with the plant and nothing else, linked to measure its size. */
#include "plant.h"

static unsigned char memory[PLANT_BYTES] __attribute__((aligned(IL_ALIGNMENT)));
static plant_number u[PLANT_INPUTS + 1], y[PLANT_OUTPUTS + 1];

void footprint(void);
void footprint(void)
{
    il_instance *instance = il_initialize(memory, PLANT(), PLANT_METHOD, PLANT_STEP);
    while (instance) {
        il_set_inputs(instance, u);
        if (il_advance(instance) != IL_OK) il_reset(instance);
        il_outputs(instance, y);
    }
}
