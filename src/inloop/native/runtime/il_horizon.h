/* What the files of a moving horizon share. Not for users. */
#ifndef IL_HORIZON_H
#define IL_HORIZON_H

#include "il_arena.h"
#include "il_observer_parts.h"

void il_horizon_lay_out(il_observer *o, il_arena *arena);

/* The changes of all nodes that fit best, in window.change: with what was measured, or, without, what
   pulls on nodes alone leads to. */
void il_horizon_smooth(il_observer *o, int with_samples);

/* The same within bounds, from what fits best without them; not IL_OK: nothing lies within them. */
int il_horizon_keep_bounds(il_observer *o);

#endif
