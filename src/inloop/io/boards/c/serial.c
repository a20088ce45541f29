/* A computer controls the plant over a serial line:
 *
 *     inloop link serial DEVICE --controller FILE.py:NAME --outputs a,b --inputs c
 *
 * with the names of PLANT_SENT and PLANT_TAKEN, in this order. Compile it together with
 * serial/il_serial.c and a timer, compiled with -DPLANT_CONNECTED. Write the two functions at the end.
 * Call plant_connect() before the timer starts, and plant_received() for each received byte, in an
 * interrupt of the same priority as the timer's. */
#include <stddef.h>
#include <stdint.h>

#include "il_serial.h"
#include "plant.h"

#ifndef PLANT_SENT
#define PLANT_SENT 0 /* indices of outputs, such as PLANT_OUT_HINGE_Q, PLANT_OUT_HINGE_QD */
#define PLANT_TAKEN 0 /* indices of inputs, such as PLANT_IN_HINGE_TAU */
#endif
enum { STALE_US = 100000 }; /* older inputs are replaced by 0 */

uint32_t now_us(void);
void transmit(const uint8_t *bytes, size_t count);

static const int sent[] = {PLANT_SENT}, taken[] = {PLANT_TAKEN};
enum { SENT = sizeof sent / sizeof *sent, TAKEN = sizeof taken / sizeof *taken };
static il_serial computer;

void plant_connect(void)
{
    il_serial_init(&computer, TAKEN);
}

/* Returns 1 if the byte ends a frame of inputs. */
int plant_received(uint8_t byte)
{
    return il_serial_receive(&computer, byte, now_us()) != 0;
}

void read_inputs(plant_number *u)
{
    const int fresh = il_serial_age_us(&computer, now_us()) <= STALE_US;
    for (int k = 0; k < TAKEN; k++) u[taken[k]] = fresh ? computer.values[k] : 0;
}

static void send(const plant_number *y)
{
    float values[SENT];
    uint8_t frame[IL_SERIAL_FRAME];
    for (int k = 0; k < SENT; k++) values[k] = y == NULL ? 0.0f : (float)y[sent[k]];
    transmit(frame, il_serial_send(&computer, values, SENT, now_us(), frame));
}

void write_outputs(const plant_number *y)
{
    send(y);
}

void stop_safely(int status)
{
    computer.own_status = (uint16_t)status; /* reported to the computer */
    send(NULL);
}

#ifndef PLANT_WIRED
uint32_t now_us(void)
{
    return 0; /* a timer that counts microseconds */
}

void transmit(const uint8_t *bytes, size_t count)
{
    (void)bytes, (void)count; /* copy to the send buffer; must not block */
}
#endif
