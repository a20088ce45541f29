/* What the measuring program needs of a board, or of its emulator. */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

void board_write(const char *text);
void board_exit(int status);

/* Instructions so far, up to a constant; 0 always where the emulator is asked instead. */
uint32_t board_instructions(void);

/* Fill the free part of the stack with a pattern; how many bytes of it were used since. */
void board_paint_stack(void);
uint32_t board_painted_over(void);

#endif
