/* The machine timer interrupt steps the plant.
 *
 * Write the three functions at the end, and set the timer addresses of your board;
 * plant_start(HZ) with the clock of the timer starts it. The stack must have the size given in
 * REPORT.md. */
#include <stdint.h>

#include "plant.h"

#ifndef MTIME
#define MTIME ((volatile uint64_t *)(uintptr_t)0x0200bff8u)    /* CLINT of SiFive and qemu */
#define MTIMECMP ((volatile uint64_t *)(uintptr_t)0x02004000u)
#endif

void read_inputs(plant_number *u);
void write_outputs(const plant_number *y);
void stop_safely(int status);
int plant_start(uint32_t timer_hz);

static unsigned char memory[PLANT_BYTES] __attribute__((aligned(IL_ALIGNMENT)));
static plant_number u[PLANT_INPUTS + 1], y[PLANT_OUTPUTS + 1];
static il_instance *instance;
static uint64_t period;

__attribute__((interrupt("machine"), aligned(4))) static void tick(void)
{
    *MTIMECMP += period; /* relative to the previous one, not to now: no drift */
    read_inputs(u);
    il_set_inputs(instance, u);
    int status = il_advance(instance);
    if (status == IL_OK) status = il_outputs(instance, y);
    if (status == IL_OK) {
        write_outputs(y);
    } else {
        *MTIMECMP = UINT64_MAX; /* the state is as it was before the step */
        stop_safely(status);
    }
}

/* Returns 0 if it runs; otherwise nothing was started. */
int plant_start(uint32_t timer_hz)
{
    const il_plant *plant = PLANT();
    period = (uint64_t)((double)timer_hz * (double)PLANT_STEP + 0.5);
    if (il_instance_size(plant, PLANT_METHOD) > sizeof memory || period < 1) return IL_BAD_ARGUMENT;
    instance = il_initialize(memory, plant, PLANT_METHOD, PLANT_STEP);
    if (instance == NULL) return IL_BAD_ARGUMENT;
    for (int k = 0; k < PLANT_INPUTS; k++) u[k] = plant->inputs[k].start;
    *MTIMECMP = *MTIME + period;
    __asm__ volatile("csrw mtvec, %0" : : "r"((uintptr_t)tick));
    __asm__ volatile("csrs mie, %0" : : "r"((uintptr_t)1 << 7));     /* machine timer */
    __asm__ volatile("csrs mstatus, %0" : : "r"((uintptr_t)1 << 3)); /* machine interrupts */
    return IL_OK;
}

#ifndef PLANT_CONNECTED
void read_inputs(plant_number *values)
{
    (void)values; /* values[k] is plant->inputs[k] */
}

void write_outputs(const plant_number *values)
{
    (void)values; /* values[k] is plant->outputs[k] */
}

void stop_safely(int status)
{
    (void)status; /* see il_status.h; e.g. brakes on, drives off */
}
#endif
