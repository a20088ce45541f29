/* The functions of inloop.h for callers who load a library: Python. They do what the functions of
 * similar names do there; rings are numbers of inloop_ring_id, results those of inloop_error.
 */
#ifndef IL_MAILBOX_H
#define IL_MAILBOX_H

#include "il_export.h"
#include "il_histogram.h"
#include "inloop.h"

IL_EXPORT int64_t il_mailbox_use(inloop_mailbox *box, void *base, uint64_t size, uint64_t number);
IL_EXPORT int64_t il_mailbox_take(inloop_mailbox *box, int64_t ring);
IL_EXPORT int64_t il_mailbox_take_briefly(inloop_mailbox *box, int64_t ring);
IL_EXPORT void il_mailbox_release(inloop_mailbox *box, int64_t ring);
IL_EXPORT uint64_t il_mailbox_owner(const inloop_mailbox *box, int64_t ring);
IL_EXPORT int64_t il_mailbox_read(inloop_mailbox *box, inloop_record *record, double *outputs);
IL_EXPORT int64_t il_mailbox_wait(inloop_mailbox *box, double timeout, inloop_record *record,
                                  double *outputs);
/* Wait until there are inputs or commands after these numbers; INLOOP_NOTHING after `timeout` [s]. */
IL_EXPORT int64_t il_mailbox_attend(inloop_mailbox *box, uint64_t inputs, uint64_t commands,
                                    double timeout);
IL_EXPORT int64_t il_mailbox_next(inloop_mailbox *box, inloop_record *record, double *outputs);
IL_EXPORT int64_t il_mailbox_newest(inloop_mailbox *box, int64_t ring, inloop_record *record,
                                    double *values);
IL_EXPORT int64_t il_mailbox_copy(const inloop_mailbox *box, int64_t ring, uint64_t sequence,
                                  inloop_record *record, double *values);
IL_EXPORT int64_t il_mailbox_write(inloop_mailbox *box, const double *inputs);
IL_EXPORT int64_t il_mailbox_rest(inloop_mailbox *box, const double *inputs);
IL_EXPORT int64_t il_mailbox_write_parameters(inloop_mailbox *box, const double *parameters);
IL_EXPORT uint64_t il_mailbox_publish(inloop_mailbox *box, int64_t ring,
                                      const inloop_record *about, const double *values);
IL_EXPORT uint64_t il_mailbox_publish_briefly(inloop_mailbox *box, int64_t ring,
                                              const inloop_record *about, const double *values);
IL_EXPORT int64_t il_mailbox_send(inloop_mailbox *box, int64_t command, const double *values,
                                  uint64_t *sequence);
IL_EXPORT int64_t il_mailbox_gone(const inloop_mailbox *box);
IL_EXPORT uint64_t il_mailbox_hash(const inloop_header *layout, const void *text);
IL_EXPORT uint64_t il_mailbox_self(uint64_t number);
IL_EXPORT int64_t il_mailbox_alive(uint64_t owner);
IL_EXPORT int64_t il_mailbox_index(const inloop_mailbox *box, const char *kind, const char *name);
IL_EXPORT int64_t il_mailbox_time(const inloop_mailbox *box);
IL_EXPORT uint32_t il_mailbox_grant(const inloop_mailbox *box, int64_t limit);
IL_EXPORT int64_t il_mailbox_settle(const inloop_mailbox *box, uint32_t grant, double timeout);
IL_EXPORT int64_t il_mailbox_bin(uint64_t time);

#endif
