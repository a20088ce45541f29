/* How a machine goes from leg to leg and from mode to mode. Not for users.
 *
 * A leg is a trial step up to its first event. What is done between il_open and il_close is done
 * as a whole or not at all.
 */
#ifndef IL_MODES_H
#define IL_MODES_H

#include "il_events.h"

/* Called with each leg before it is taken; a status other than IL_OK fails the step. */
typedef int (*il_inside)(void *host, il_leg *leg);

/* Put the stepper to work on a mode; what it counts goes on. */
void il_switch_to(il_machine *machine, int64_t mode);

void il_open(il_machine *machine);

/* Bring everything back unless the status is IL_OK; returns it. */
int il_close(il_machine *machine, int status);

/* Enter the mode in which the machine begins, with all transitions that have fired already. */
int il_enter_first(il_machine *machine);

/* Go to the end of the leg and, at an event, into the next mode. */
int il_take_leg(il_machine *machine, const il_leg *leg);

/* All legs of a step from machine->t to t_new, the first one with h. */
int il_take_step(il_machine *machine, double h, double t_new, il_inside inside, void *host);

#endif
