/* Many rows of states in one array, for functions that take a count of rows (batch.py). */
#ifndef INLOOP_ROWS_H
#define INLOOP_ROWS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* `count` rows of doubles, aligned, all zero */
static inline double * new_rows(long count, long width)
{
  const size_t bytes = ((size_t)(count * width) * sizeof(double) / 64 + 1) * 64;
  double * array = (double *)aligned_alloc(64, bytes);
  if (!array) exit(1);
  memset(array, 0, bytes);
  return array;
}

/* `count` rows that repeat the `given` ones */
static inline double * repeated_rows(const double * rows, long given, long count, long width)
{
  double * array = new_rows(count, width);
  for (long k = 0; k < count; k++)
    memcpy(array + k * width, rows + (k % given) * width, (size_t)width * sizeof(double));
  return array;
}

#endif
