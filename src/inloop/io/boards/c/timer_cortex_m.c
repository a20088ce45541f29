/* An interrupt of the SysTick timer steps the plant.
 *
 * Write the three functions at the end: read inputs, write outputs, go to a safe state.
 * plant_start(HZ) with the clock of the core starts it; the interrupt stack must have the size given
 * in REPORT.md. */
#include <stdint.h>

#include "plant.h"

#define SYSTICK ((volatile uint32_t *)0xe000e010u) /* control, reload, value */
enum { ENABLED = 1, INTERRUPTS = 2, CORE_CLOCK = 4, LONGEST = 0x1000000 };

void read_inputs(plant_number *u);
void write_outputs(const plant_number *y);
void stop_safely(int status);

static unsigned char memory[PLANT_BYTES] __attribute__((aligned(IL_ALIGNMENT)));
static plant_number u[PLANT_INPUTS + 1], y[PLANT_OUTPUTS + 1];
static il_instance *instance;

/* Returns 0 if it runs; otherwise nothing was started. */
int plant_start(uint32_t core_clock_hz)
{
    const uint32_t counts = (uint32_t)((double)core_clock_hz * (double)PLANT_STEP + 0.5);
    const il_plant *plant = PLANT();
    if (il_instance_size(plant, PLANT_METHOD) > sizeof memory || counts < 2 || counts > LONGEST) {
        return IL_BAD_ARGUMENT;
    }
    instance = il_initialize(memory, plant, PLANT_METHOD, PLANT_STEP);
    if (instance == NULL) return IL_BAD_ARGUMENT;
    for (int k = 0; k < PLANT_INPUTS; k++) u[k] = plant->inputs[k].start;
    SYSTICK[1] = counts - 1;
    SYSTICK[2] = 0;
    SYSTICK[0] = ENABLED | INTERRUPTS | CORE_CLOCK;
    return IL_OK;
}

void SysTick_Handler(void)
{
    read_inputs(u);
    il_set_inputs(instance, u);
    int status = il_advance(instance);
    if (status == IL_OK) status = il_outputs(instance, y);
    if (status == IL_OK) {
        write_outputs(y);
    } else {
        SYSTICK[0] = 0; /* the state is as it was before the step */
        stop_safely(status);
    }
}

#ifndef PLANT_CONNECTED
void read_inputs(plant_number *values)
{
    (void)values; /* e.g. of an analog-to-digital converter; values[k] is plant->inputs[k] */
}

void write_outputs(const plant_number *values)
{
    (void)values; /* e.g. to a digital-to-analog converter; values[k] is plant->outputs[k] */
}

void stop_safely(int status)
{
    (void)status; /* see il_status.h; e.g. brakes on, drives off */
}
#endif
