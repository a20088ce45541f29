/* Timing shared by every contestant, C and C++ alike, so that figures can be compared.
 *
 *   MEASURE(kind, states, i, code)   time `code`, which may use the state index i, and print
 *                                    one line of JSON: nanoseconds per call, best/median/p99
 *
 * kind "hot":    each sample is the mean over one pass through all states
 *      "sleep":  each sample is one call after 1 ms of sleep, as in a 1 kHz loop
 *      "swept":  each sample is one call after 32 MiB were walked through (caches cold)
 */
#ifndef INLOOP_TIMING_H
#define INLOOP_TIMING_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef HOT_SECONDS
#define HOT_SECONDS 0.1
#endif

enum { WARM_PASSES = 3, MIN_BLOCKS = 20, MAX_SAMPLES = 20000, SLEEP_CALLS = 200, SWEPT_CALLS = 60 };
enum { SWEEP_BYTES = 32 << 20, CACHE_LINE = 64, SLEEP_NS = 1000000 };

static inline double now_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int compare_doubles(const void * a, const void * b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static inline void report(const char * kind, double * samples, int count)
{
  qsort(samples, (size_t)count, sizeof(double), compare_doubles);
  printf("{\"kind\": \"%s\", \"best\": %.2f, \"median\": %.2f, \"p99\": %.2f, \"samples\": %d}\n",
         kind, samples[0], samples[count / 2], samples[(int)(0.99 * count)], count);
  fflush(stdout);
}

static inline void sweep_caches(void)
{
  static volatile char * memory;
  if (!memory) memory = (volatile char *)calloc(SWEEP_BYTES, 1);
  for (long k = 0; k < SWEEP_BYTES; k += CACHE_LINE) memory[k]++;
}

static inline void disturb(int swept)
{
  const struct timespec pause = {0, SLEEP_NS};
  if (swept) sweep_caches();
  else nanosleep(&pause, NULL);
}

#define PASS(states, i, code) for (int i = 0; i < (states); i++) { code; }

#define MEASURE_HOT(samples, count, states, i, code)                                            \
  do {                                                                                          \
    for (int w_ = 0; w_ < WARM_PASSES; w_++) PASS(states, i, code)                              \
    const double start_ = now_ns();                                                             \
    double before_ = start_;                                                                    \
    while (count < MIN_BLOCKS                                                                   \
           || (count < MAX_SAMPLES && before_ - start_ < 1e9 * HOT_SECONDS)) {                  \
      before_ = now_ns();                                                                       \
      PASS(states, i, code)                                                                     \
      samples[count++] = (now_ns() - before_) / (states);                                       \
    }                                                                                           \
  } while (0)

#define MEASURE_COLD(samples, count, states, i, code, swept)                                    \
  do {                                                                                          \
    const int calls_ = (swept) ? SWEPT_CALLS : SLEEP_CALLS;                                     \
    for (; count < calls_; count++) {                                                           \
      const int i = count % (states);                                                           \
      disturb(swept);                                                                           \
      const double before_ = now_ns();                                                          \
      { code; }                                                                                 \
      samples[count] = now_ns() - before_;                                                      \
    }                                                                                           \
  } while (0)

#define MEASURE(kind, states, i, code)                                                          \
  do {                                                                                          \
    static double samples_[MAX_SAMPLES];                                                        \
    int count_ = 0;                                                                             \
    if (!strcmp(kind, "hot")) MEASURE_HOT(samples_, count_, states, i, code);                   \
    else MEASURE_COLD(samples_, count_, states, i, code, !strcmp(kind, "swept"));               \
    report(kind, samples_, count_);                                                             \
  } while (0)

#endif
