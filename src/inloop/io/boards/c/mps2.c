/* Startup code of the Cortex-M of MPS2 boards emulated by qemu, and semihosting. */
#include <stddef.h>
#include <stdint.h>

#include "board.h"

extern uint32_t data_begin[], data_end[], data_loaded[], bss_begin[], bss_end[], stack_low[], stack_top[];
int main(void);

enum { WRITE0 = 0x04, EXIT = 0x20, APPLICATION_EXIT = 0x20026 };

static intptr_t semihosting(intptr_t what, const void *with)
{
    register intptr_t r0 __asm__("r0") = what;
    register const void *r1 __asm__("r1") = with;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

void board_write(const char *text)
{
    semihosting(WRITE0, text);
}

void board_exit(int status)
{
    const uintptr_t block[2] = {APPLICATION_EXIT, (uintptr_t)status};
    semihosting(EXIT, block);
    for (;;) {
    }
}

/* Timer 0 counts down at 25 MHz of virtual time. With -icount shift=10 an instruction takes 1024 ns,
   which are 25.6 counts: enough to count single instructions. */
#define TIMER_CONTROL (*(volatile uint32_t *)0x40000000u)
#define TIMER_VALUE (*(volatile uint32_t *)0x40000004u)
#define TIMER_RELOAD (*(volatile uint32_t *)0x40000008u)

uint32_t board_instructions(void)
{
    return (uint32_t)((uint64_t)(0xffffffffu - TIMER_VALUE) * 10u / 256u);
}

enum { PATTERN = 0x5a5aa5a5, OWN_FRAME = 64 /* bytes, of board_paint_stack */ };

__attribute__((noinline)) void board_paint_stack(void)
{
    volatile uint32_t here;
    const uintptr_t end = (uintptr_t)&here - OWN_FRAME;
    for (volatile uint32_t *word = stack_low; (uintptr_t)word < end; word++) {
        *word = PATTERN;
    }
}

__attribute__((noinline)) uint32_t board_painted_over(void)
{
    volatile uint32_t here;
    volatile uint32_t *word = stack_low;
    while (word < &here && *word == PATTERN) {
        word++;
    }
    return (uint32_t)((uintptr_t)&here - (uintptr_t)word);
}

__attribute__((noreturn)) void reset(void)
{
    /* full access to the floating-point unit */
    *(volatile uint32_t *)0xe000ed88u |= 0xfu << 20;
    __asm__ volatile("dsb; isb");
    for (size_t k = 0; &data_begin[k] < data_end; k++) data_begin[k] = data_loaded[k];
    for (uint32_t *word = bss_begin; word < bss_end; word++) *word = 0;
    TIMER_VALUE = TIMER_RELOAD = 0xffffffffu;
    TIMER_CONTROL = 1u;
    board_exit(main());
    for (;;) {
    }
}

static void fault(void)
{
    board_write("fault\n");
    board_exit(99);
}

void SysTick_Handler(void) __attribute__((weak));
void SysTick_Handler(void)
{
}

__attribute__((used, section(".vectors"))) static void (*const vectors[16])(void) = {
    (void (*)(void))stack_top, reset, fault, fault, fault, fault, fault, NULL, NULL, NULL, NULL,
    fault, fault, NULL, fault, SysTick_Handler,
};
