/* Keeps a process alive when another program truncates its shared memory.
 *
 * Truncating a file removes its pages from all processes that have mapped it: the next access ends
 * the process with SIGBUS. Only unnamed memory can be sealed against this, so the signal is caught
 * instead: private memory, all zeros, replaces a segment that is registered here, and the access is
 * repeated. Later writes are invisible to others; zeros are not valid records. Signals for other
 * memory are passed to the previous handler.
 */
#ifndef IL_BUS_GUARD_H
#define IL_BUS_GUARD_H

#include "il_export.h"

#include <stdint.h>

/* Register a mapping; returns its number, or -1 if there are too many. */
IL_EXPORT int64_t il_bus_guard_add(void *base, uint64_t size);

/* Has it been truncated? */
IL_EXPORT int64_t il_bus_guard_lost(int64_t number);

/* Call before it is unmapped. */
IL_EXPORT void il_bus_guard_remove(int64_t number);

#endif
