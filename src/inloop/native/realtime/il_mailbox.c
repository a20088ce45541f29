/* The functions of inloop.h for callers who load a library: Python. */
#include "il_mailbox.h"

int64_t il_mailbox_use(inloop_mailbox *box, void *base, uint64_t size, uint64_t number)
{
    return inloop_attach_memory(box, base, size, number);
}

int64_t il_mailbox_take(inloop_mailbox *box, int64_t ring)
{
    return inloop_take(box, (int)ring);
}

int64_t il_mailbox_take_briefly(inloop_mailbox *box, int64_t ring)
{
    return inloop_take_briefly(box, (int)ring);
}

void il_mailbox_release(inloop_mailbox *box, int64_t ring)
{
    inloop_release(box, (int)ring);
}

uint64_t il_mailbox_owner(const inloop_mailbox *box, int64_t ring)
{
    return __atomic_load_n(&inloop_ring_of(box, (int)ring)->owner, __ATOMIC_ACQUIRE);
}

int64_t il_mailbox_read(inloop_mailbox *box, inloop_record *record, double *outputs)
{
    return inloop_read(box, record, outputs);
}

int64_t il_mailbox_wait(inloop_mailbox *box, double timeout, inloop_record *record,
                        double *outputs)
{
    return inloop_wait(box, timeout, record, outputs);
}

int64_t il_mailbox_attend(inloop_mailbox *box, uint64_t inputs, uint64_t commands, double timeout)
{
    const int64_t end = inloop_now() + (int64_t)(timeout * 1e9);
    for (;;) {
        /* commands ring the bell of the inputs, too */
        const uint32_t bell = inloop_bell(box, INLOOP_INPUTS);
        if (inloop_head(box, INLOOP_INPUTS) > inputs ||
            inloop_head(box, INLOOP_COMMANDS) > commands) {
            return INLOOP_OK;
        }
        const int64_t left = end - inloop_now();
        if (left <= 0) {
            return INLOOP_NOTHING;
        }
        inloop_sleep(box, INLOOP_INPUTS, bell, left);
    }
}

int64_t il_mailbox_next(inloop_mailbox *box, inloop_record *record, double *outputs)
{
    return inloop_next(box, record, outputs);
}

int64_t il_mailbox_newest(inloop_mailbox *box, int64_t ring, inloop_record *record,
                          double *values)
{
    return inloop_newest(box, (int)ring, record, values);
}

int64_t il_mailbox_copy(const inloop_mailbox *box, int64_t ring, uint64_t sequence,
                        inloop_record *record, double *values)
{
    return inloop_copy(box, (int)ring, sequence, record, values);
}

int64_t il_mailbox_write(inloop_mailbox *box, const double *inputs)
{
    return inloop_write(box, inputs);
}

int64_t il_mailbox_rest(inloop_mailbox *box, const double *inputs)
{
    return inloop_rest(box, inputs);
}

int64_t il_mailbox_write_parameters(inloop_mailbox *box, const double *parameters)
{
    return inloop_write_parameters(box, parameters);
}

uint64_t il_mailbox_publish(inloop_mailbox *box, int64_t ring, const inloop_record *about,
                            const double *values)
{
    return inloop_publish(box, (int)ring, about, values);
}

uint64_t il_mailbox_publish_briefly(inloop_mailbox *box, int64_t ring,
                                    const inloop_record *about, const double *values)
{
    return inloop_publish_briefly(box, (int)ring, about, values);
}

int64_t il_mailbox_send(inloop_mailbox *box, int64_t command, const double *values,
                        uint64_t *sequence)
{
    return inloop_send(box, command, values, sequence);
}

int64_t il_mailbox_gone(const inloop_mailbox *box)
{
    return inloop_gone(box);
}

uint64_t il_mailbox_hash(const inloop_header *layout, const void *text)
{
    return inloop_layout_hash(layout, text);
}

uint64_t il_mailbox_self(uint64_t number)
{
    return inloop_self(number);
}

int64_t il_mailbox_alive(uint64_t owner)
{
    return inloop_alive(owner);
}

int64_t il_mailbox_index(const inloop_mailbox *box, const char *kind, const char *name)
{
    return inloop_index(box, kind, name);
}

int64_t il_mailbox_time(const inloop_mailbox *box)
{
    return inloop_time(box);
}

uint32_t il_mailbox_grant(const inloop_mailbox *box, int64_t limit)
{
    return inloop_grant(box, limit);
}

int64_t il_mailbox_settle(const inloop_mailbox *box, uint32_t grant, double timeout)
{
    return inloop_settle(box, grant, timeout);
}

int64_t il_mailbox_bin(uint64_t time)
{
    return il_bin(time);
}
