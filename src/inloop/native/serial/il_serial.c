/* Frames of numbers; see il_serial.h. */
#include "il_serial.h"

#include <string.h>

enum { CHECK = 4, PLAIN = IL_SERIAL_HEADER + 4 * IL_SERIAL_MOST + CHECK };

static uint32_t crc32(const uint8_t *bytes, size_t size)
{
    uint32_t crc = 0xffffffffu;
    for (size_t k = 0; k < size; k++) {
        crc ^= bytes[k];
        for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (0xedb88320u & (0u - (crc & 1u)));
    }
    return ~crc;
}

static void put(uint8_t *to, uint32_t value, int bytes)
{
    for (int k = 0; k < bytes; k++) to[k] = (uint8_t)(value >> (8 * k));
}

static uint32_t get(const uint8_t *from, int bytes)
{
    uint32_t value = 0;
    for (int k = 0; k < bytes; k++) value |= (uint32_t)from[k] << (8 * k);
    return value;
}

/* COBS encoding: each block begins with the distance to the next zero. Frames are shorter than the
   longest block. */
static size_t stuff(const uint8_t *plain, size_t size, uint8_t *to)
{
    size_t block = 0, at = 1;
    for (size_t k = 0; k < size; k++) {
        if (plain[k] == 0) {
            to[block] = (uint8_t)(at - block);
            block = at;
        } else {
            to[at] = plain[k];
        }
        at++;
    }
    to[block] = (uint8_t)(at - block);
    to[at] = 0;
    return at + 1;
}

/* COBS decoding; 0 if a block leads beyond the end. */
static size_t unstuff(const uint8_t *bytes, size_t size, uint8_t *plain)
{
    size_t made = 0, at = 0;
    while (at < size) {
        const size_t length = bytes[at];
        if (length == 0 || at + length > size) return 0;
        for (size_t k = 1; k < length; k++) plain[made++] = bytes[at + k];
        at += length;
        if (at < size) plain[made++] = 0;
    }
    return made;
}

void il_serial_init(il_serial *link, int count)
{
    memset(link, 0, sizeof *link);
    link->count = count < 0 ? 0 : (count > IL_SERIAL_MOST ? IL_SERIAL_MOST : count);
}

static int take(il_serial *link, const uint8_t *plain, size_t size, uint32_t now_us)
{
    if (size < IL_SERIAL_HEADER + CHECK ||
        crc32(plain, size - CHECK) != get(plain + size - CHECK, 4)) {
        link->damaged++;
        return 0;
    }
    const uint32_t sequence = get(plain + 4, 4);
    if (plain[0] != IL_SERIAL_VERSION || plain[1] != link->count ||
        size != (size_t)(IL_SERIAL_HEADER + 4 * link->count + CHECK) || sequence == 0 ||
        sequence == link->sequence) {
        link->unexpected++;
        return 0;
    }
    for (int k = 0; k < link->count; k++) {
        const uint32_t bits = get(plain + IL_SERIAL_HEADER + 4 * k, 4);
        memcpy(&link->values[k], &bits, sizeof bits);
    }
    link->status = (uint16_t)get(plain + 2, 2);
    link->sequence = sequence;
    link->arrived_us = now_us;
    link->accepted++;
    return 1;
}

int il_serial_receive(il_serial *link, uint8_t byte, uint32_t now_us)
{
    if (byte != 0) {
        if (link->size >= 0 && link->size < IL_SERIAL_FRAME) {
            link->coming[link->size++] = byte;
        } else {
            link->size = -1; /* too long: ignore everything until a zero */
        }
        return 0;
    }
    const int size = link->size;
    uint8_t plain[IL_SERIAL_FRAME];
    link->size = 0;
    if (size == 0) return 0; /* zeros between frames are harmless */
    if (size < 0) {
        link->damaged++;
        return 0;
    }
    return take(link, plain, unstuff(link->coming, (size_t)size, plain), now_us);
}

size_t il_serial_send(il_serial *link, const float *values, int count, uint32_t now_us,
                      uint8_t *frame)
{
    uint8_t plain[PLAIN];
    if (count < 0 || count > IL_SERIAL_MOST) return 0;
    link->sent = link->sent == 0xffffffffu ? 1 : link->sent + 1; /* 0 means no frame */
    plain[0] = IL_SERIAL_VERSION;
    plain[1] = (uint8_t)count;
    put(plain + 2, link->own_status, 2);
    put(plain + 4, link->sent, 4);
    put(plain + 8, link->sequence, 4);
    put(plain + 12, link->sequence ? now_us - link->arrived_us : 0, 4);
    for (int k = 0; k < count; k++) {
        uint32_t bits;
        memcpy(&bits, &values[k], sizeof bits);
        put(plain + IL_SERIAL_HEADER + 4 * k, bits, 4);
    }
    const size_t size = (size_t)(IL_SERIAL_HEADER + 4 * count);
    put(plain + size, crc32(plain, size), 4);
    return stuff(plain, size + CHECK, frame);
}

uint32_t il_serial_age_us(const il_serial *link, uint32_t now_us)
{
    return link->sequence ? now_us - link->arrived_us : 0xffffffffu;
}
