/* A thread that sleeps until each period steps the plant: Linux has no timer interrupts for
 * processes. Give it a real-time priority (chrt -f 80) and a core of its own.
 *
 * Write the three functions at the end; plant_run(STEPS) does that many steps, or runs forever (-1). */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <time.h>

#include "plant.h"

void read_inputs(plant_number *u);
void write_outputs(const plant_number *y);
void stop_safely(int status);
int plant_run(int64_t steps);

static unsigned char memory[PLANT_BYTES] __attribute__((aligned(IL_ALIGNMENT)));
static plant_number u[PLANT_INPUTS + 1], y[PLANT_OUTPUTS + 1];

static void sleep_until(struct timespec *next, int64_t period_ns)
{
    next->tv_nsec += (long)(period_ns % 1000000000);
    next->tv_sec += (time_t)(period_ns / 1000000000) + next->tv_nsec / 1000000000;
    next->tv_nsec %= 1000000000;
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, next, NULL) != 0) {
    }
}

int plant_run(int64_t steps)
{
    const il_plant *plant = PLANT();
    const int64_t period_ns = (int64_t)((double)PLANT_STEP * 1e9 + 0.5);
    struct timespec next;
    if (il_instance_size(plant, PLANT_METHOD) > sizeof memory) return IL_BAD_ARGUMENT;
    il_instance *instance = il_initialize(memory, plant, PLANT_METHOD, PLANT_STEP);
    if (instance == NULL) return IL_BAD_ARGUMENT;
    for (int k = 0; k < PLANT_INPUTS; k++) u[k] = plant->inputs[k].start;
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (int64_t k = 0; steps < 0 || k < steps; k++) {
        sleep_until(&next, period_ns);
        read_inputs(u);
        il_set_inputs(instance, u);
        int status = il_advance(instance);
        if (status == IL_OK) status = il_outputs(instance, y);
        if (status != IL_OK) {
            stop_safely(status);
            return status;
        }
        write_outputs(y);
    }
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
