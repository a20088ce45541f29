/* A process that survives when another program cuts its shared memory short.
 *
 * A file that is truncated takes its pages away from all who have mapped it: the next access ends
 * the process with SIGBUS. Only memory that has no name can be sealed against this, so the signal
 * is caught instead: private memory, all zeros, takes the place of a segment that is registered
 * here, and the access is done again. What the process still writes there nobody else sees; zeros
 * are no records. Signals that concern other memory go to the handler that was there before.
 */
#ifndef IL_BUS_GUARD_H
#define IL_BUS_GUARD_H

#include "il_export.h"

#include <stdint.h>

/* Register a mapping; returns its number, or -1 if there are too many. */
IL_EXPORT int64_t il_bus_guard_add(void *base, uint64_t size);

/* Has it been cut short? */
IL_EXPORT int64_t il_bus_guard_lost(int64_t number);

/* Before it is unmapped. */
IL_EXPORT void il_bus_guard_remove(int64_t number);

#endif
