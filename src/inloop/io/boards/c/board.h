/* Functions of a board or its emulator for the measuring program. */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

void board_write(const char *text);
void board_exit(int status);

/* Instructions so far, up to a constant; always 0 if the emulator counts them itself. */
uint32_t board_instructions(void);

/* Fill the free part of the stack with a pattern; returns the bytes of it used since then. */
void board_paint_stack(void);
uint32_t board_painted_over(void);

#endif
