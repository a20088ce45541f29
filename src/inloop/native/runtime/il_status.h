/* Result of a step or a run. The numbers are part of the ABI: append, never renumber. */
#ifndef IL_STATUS_H
#define IL_STATUS_H

enum il_status {
    IL_OK = 0,
    IL_OVERRUN = 1,        /* the step took longer than its period */
    IL_DIVERGED = 2,       /* a state is not finite */
    IL_LOOP_OPEN = 3,      /* a kinematic loop could not be closed */
    IL_INPUT_STALE = 4,    /* an input is older than allowed */
    IL_STOPPED = 5,        /* stopped from outside */
    IL_BAD_ARGUMENT = 6,   /* a size or pointer is invalid */
    IL_STEP_TOO_SMALL = 7, /* the tolerance requires a step below the minimum */
    IL_TOO_MANY_STEPS = 8, /* the maximum number of steps has been reached */
    IL_SAMPLES_FULL = 9,   /* no room for another sample or event: empty the rows and continue */
    IL_CHATTERING = 10,    /* transitions follow each other endlessly, and nothing settles them */
    IL_INDICATOR_LOST = 11, /* an indicator is not finite */
    IL_OUT_OF_BOUNDS = 12, /* a state is finite but implausible: see il_bounds */
    IL_CONTROLLER_FAILED = 13, /* the plant's controller returns no finite values */
    IL_CONTACT_INEXACT = 14, /* contact impulses were not found to tolerance */
    IL_CONTACT_JAMMED = 15 /* sliding contacts admit no finite forces */
};

#endif
