/* Board side of a serial link: frames of numbers with checksums, in both directions.
 *
 *     il_serial link;
 *     il_serial_init(&link, 3);                        // three numbers come from the computer
 *     in the interrupt of the receiver, or from its buffer:
 *         if (il_serial_receive(&link, byte, now_us)) use(link.values);
 *     each period:
 *         if (il_serial_age_us(&link, now_us) > 20000) be_safe();
 *         size = il_serial_send(&link, measured, 2, now_us, frame);
 *         transmit(frame, size);
 *
 * A frame is 16 bytes of header, numbers as little-endian IEEE floats and a CRC-32 (IEEE 802.3),
 * stuffed by COBS (Cheshire & Baker 1999, doi:10.1109/90.769765) and ended by a zero byte:
 *
 *     u8 version, u8 count of numbers, u16 status, u32 sequence, u32 answers, u32 held_us
 *
 * `answers` is the sequence number of the newest frame that the sender has received, `held_us` the
 * time since: with them each side knows an upper bound of the age of the data, on its own clock.
 * Nothing here allocates, blocks or calls the system; invalid bytes are harmless. C99. */
#ifndef IL_SERIAL_H
#define IL_SERIAL_H

#include <stddef.h>
#include <stdint.h>

enum {
    IL_SERIAL_VERSION = 1,
    IL_SERIAL_MOST = 56,     /* numbers in a frame */
    IL_SERIAL_HEADER = 16,   /* bytes */
    IL_SERIAL_FRAME = 248    /* maximum length of a stuffed frame with its zero [bytes] */
};

typedef struct il_serial {
    int count;                     /* expected number of values */
    float values[IL_SERIAL_MOST];  /* of the newest frame */
    uint16_t status;               /* from its sender */
    uint32_t sequence;             /* of its frame, as counted by the sender; 0: none yet */
    uint32_t arrived_us;           /* time of arrival */
    uint32_t sent;                 /* sequence number of the newest frame sent */
    uint16_t own_status;           /* sent with the next frames */
    uint32_t accepted, damaged, unexpected; /* frames so far: valid; damaged; wrong
                                               version or count, or sent twice */
    int size;                      /* of the incoming frame, stuffed; -1: too long */
    uint8_t coming[IL_SERIAL_FRAME];
} il_serial;

/* count: number of values in incoming frames, at most IL_SERIAL_MOST. */
void il_serial_init(il_serial *link, int count);

/* Process a byte; not 0 if it completes a valid frame: then values, status and sequence are new. */
int il_serial_receive(il_serial *link, uint8_t byte, uint32_t now_us);

/* Encode a frame; returns its length, at most IL_SERIAL_FRAME bytes, or 0 if there are too many
   values. */
size_t il_serial_send(il_serial *link, const float *values, int count, uint32_t now_us,
                      uint8_t *frame);

/* Time since the newest frame arrived [µs]; the maximum value if none has. Call at least once per
   hour, because the clock wraps. */
uint32_t il_serial_age_us(const il_serial *link, uint32_t now_us);

#endif
