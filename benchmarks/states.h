/* Reads the states written by peers/states.py: random inputs and reference results.
 *
 * File: three int64 (count, nq, nv), then these arrays of doubles, one row per state:
 *   q[nq]  qd[nv]  qdd[nv]  tau[nv]          inputs
 *   tau_ref[nv]                              inverse dynamics of (q, qd, qdd)
 *   qdd_ref[nv]                              direct dynamics of (q, qd, tau)
 *   mass_ref[nv * nv]                        full symmetric mass matrix at q
 */
#ifndef INLOOP_STATES_H
#define INLOOP_STATES_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  int count, nq, nv;
  double *q, *qd, *qdd, *tau, *tau_ref, *qdd_ref, *mass_ref;
} states;

static inline void states_fail(const char * path)
{
  fprintf(stderr, "%s: not a complete states file; write it again with peers/build.py\n", path);
  exit(1);
}

static inline double * states_array(FILE * file, const char * path, int rows, int columns)
{
  const size_t length = (size_t)rows * (size_t)columns;
  /* a multiple of 64 bytes and aligned: no contestant pays for a split cache line */
  double * array = (double *)aligned_alloc(64, (length * sizeof(double) / 64 + 1) * 64);
  if (!array || fread(array, sizeof(double), length, file) != length) states_fail(path);
  return array;
}

static inline states read_states(const char * path)
{
  int64_t head[3];
  states s;
  FILE * file = fopen(path, "rb");
  if (!file || fread(head, sizeof head[0], 3, file) != 3) states_fail(path);
  s.count = (int)head[0], s.nq = (int)head[1], s.nv = (int)head[2];
  s.q = states_array(file, path, s.count, s.nq);
  s.qd = states_array(file, path, s.count, s.nv);
  s.qdd = states_array(file, path, s.count, s.nv);
  s.tau = states_array(file, path, s.count, s.nv);
  s.tau_ref = states_array(file, path, s.count, s.nv);
  s.qdd_ref = states_array(file, path, s.count, s.nv);
  s.mass_ref = states_array(file, path, s.count, s.nv * s.nv);
  fclose(file);
  return s;
}

/* max |x - ref| / max |ref| */
static inline double relative_error(const double * x, const double * ref, int n)
{
  double worst = 0, scale = 1e-300;
  for (int k = 0; k < n; k++) {
    const double gap = fabs(x[k] - ref[k]);
    worst = gap > worst || isnan(gap) ? gap : worst;
    scale = fmax(scale, fabs(ref[k]));
  }
  return worst / scale;
}

static inline void print_error(double error)
{
  printf("{\"kind\": \"error\", \"value\": %.3e}\n", isnan(error) ? 1e300 : error);
}

#endif
