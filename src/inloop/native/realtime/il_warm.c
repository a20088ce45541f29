/* Warm-up: bring the data and code of a step into the caches before its inputs are read.
 *
 * A warm-up is the step itself, with the previous inputs, on the same memory as the real one. That
 * memory is saved and restored byte by byte: whatever the warm-up does, the plant continues
 * unaffected.
 */
#include "il_loop.h"

enum { LINE = 64, MOST_FETCHED = 32768 }; /* bytes */

static size_t fetched(size_t bytes)
{
    return bytes < MOST_FETCHED ? bytes : MOST_FETCHED;
}

static void fetch_to_read(const void *from, size_t bytes)
{
    for (size_t at = 0; at < fetched(bytes); at += LINE) {
        __builtin_prefetch((const unsigned char *)from + at, 0);
    }
}

static void fetch_to_write(const void *from, size_t bytes)
{
    for (size_t at = 0; at < fetched(bytes); at += LINE) {
        __builtin_prefetch((const unsigned char *)from + at, 1);
    }
}

void il_fetch(il_loop *loop)
{
    const inloop_mailbox *box = &loop->box;
    const inloop_place *rings = box->layout.rings;
    const uint64_t inputs = inloop_head(box, INLOOP_INPUTS), outputs = loop->last_outputs + 1;
    const il_instance *instance = loop->instance;

    fetch_to_write(instance, instance->often);
    fetch_to_write(loop->scratch, (size_t)(loop->command - loop->scratch) * sizeof(double));
    fetch_to_write(inloop_statistics_of(box), offsetof(inloop_statistics, step));
    fetch_to_read(inloop_slot(box, INLOOP_INPUTS, inputs), inloop_stride(&rings[INLOOP_INPUTS]));
    fetch_to_write(inloop_slot(box, INLOOP_OUTPUTS, outputs), inloop_stride(&rings[INLOOP_OUTPUTS]));
}

void il_warm_up(il_loop *loop)
{
    il_instance *instance = loop->instance;
    const il_clock *clock = loop->clock;

    memcpy(loop->aside, instance, instance->size);
    if (clock->work != NULL) {
        clock->work(loop->clock_self, IL_WARM_UP);
    }
    (void)il_advance_period(loop, loop->thrown_away);
    il_complete_outputs(loop, loop->thrown_away);
    memcpy(instance, loop->aside, instance->size);
    il_fetch(loop);
}
