/* Prints the core's clock and arithmetic as one line of JSON.
 *
 * The clock comes from a chain of dependent 64-bit multiplications, 3 cycles each on every x86-64 core since
 * 2008 and on most Arm cores (additions will not do: recent Intel cores fold them away at renaming).
 * The dependent fused multiply-adds beside it should then take 4 cycles: a check on the first figure.
 * Compile with -O3, so that the independent lanes are unrolled into registers. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdint.h>

#include "timing.h"

enum { REPEATS = 200, STEPS = 20000, UNROLL = 8, LANES = 10, MULTIPLY_CYCLES = 3 };

/* keeps the compiler from seeing through the chain */
#define OPAQUE_INTEGER(x) __asm__ volatile("" : "+r"(x))
#if defined(__x86_64__)
#define OPAQUE_DOUBLE(x) __asm__ volatile("" : "+x"(x))
#else
#define OPAQUE_DOUBLE(x) __asm__ volatile("" : "+w"(x))
#endif

static double multiply_chain(void)
{
  uint64_t x = 3;
  const uint64_t y = x + (uint64_t)(now_ns() < 0);
  for (int k = 0; k < STEPS; k++)
    for (int u = 0; u < UNROLL; u++) { x *= y; OPAQUE_INTEGER(x); }
  return (double)STEPS * UNROLL;
}

static double fma_chain(void)
{
  double x = 1, y = 0.999999;
  OPAQUE_DOUBLE(y);
  for (int k = 0; k < STEPS; k++)
    for (int u = 0; u < UNROLL; u++) { x = fma(x, y, y); OPAQUE_DOUBLE(x); }
  return (double)STEPS * UNROLL;
}

static double fma_lanes(void)
{
  double x[LANES] = {0}, y = 0.999999;
  OPAQUE_DOUBLE(y);
  for (int k = 0; k < STEPS; k++)
    for (int lane = 0; lane < LANES; lane++) { x[lane] = fma(x[lane], y, y); OPAQUE_DOUBLE(x[lane]); }
  return (double)STEPS * LANES;
}

static double read_clock(void)
{
  for (int k = 0; k < STEPS; k++) now_ns();
  return STEPS;
}

/* fastest nanoseconds per operation */
static double best_of(double (*operations)(void))
{
  double best = 1e9;
  for (int k = 0; k < REPEATS; k++) {
    const double before = now_ns(), count = operations(), each = (now_ns() - before) / count;
    best = each < best ? each : best;
  }
  return best;
}

int main(void)
{
  const double cycle = best_of(multiply_chain) / MULTIPLY_CYCLES;
  printf("{\"ghz\": %.3f, \"fma_latency_cycles\": %.2f, \"fma_per_cycle\": %.2f, \"timer_ns\": %.1f}\n",
         1 / cycle, best_of(fma_chain) / cycle, cycle / best_of(fma_lanes), best_of(read_clock));
  return 0;
}
