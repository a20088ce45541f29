/* Times one generated C function under the macros of timing.h.
 *
 *   cc -O3 -march=native -I benchmarks -DCALLS='"calls.h"' benchmarks/native_main.c function.c -lm
 *   ./a.out STATES KIND...          (states: states.h, kinds: timing.h)
 *
 * One binary per function. The file named by CALLS says how to call it; it may use
 *   S          the states (see states.h)         i          index of the state
 *   Q(i) QD(i) QDD(i) TAU(i)  TAU_REF(i) QDD_REF(i) MASS_REF(i)    rows of the arrays
 * and defines
 *   SETUP()    once before everything: allocate, run PREFIX_prepare
 *   CALL(i)    one evaluation of state i
 *   ERROR(i)   optional: relative error of the last result for state i, checked before timing
 * Example, for `void arm_inverse_dynamics(const double *pre, q, qd, qdd, double *tau)`:
 *
 *   void arm_prepare(const double * par, double * pre);
 *   void arm_inverse_dynamics(const double *, const double *, const double *, const double *, double *);
 *   static const double par[] = {9.81, ...};
 *   static double pre[123], tau[7];
 *   #define SETUP() arm_prepare(par, pre)
 *   #define CALL(i) arm_inverse_dynamics(pre, Q(i), QD(i), QDD(i), tau)
 *   #define ERROR(i) relative_error(tau, TAU_REF(i), S.nv)
 */
#define _POSIX_C_SOURCE 200809L
#include "states.h"
#include "timing.h"

static states S;

#define ROW(array, i, width) (S.array + (long)(i) * (width))
#define Q(i) ROW(q, i, S.nq)
#define QD(i) ROW(qd, i, S.nv)
#define QDD(i) ROW(qdd, i, S.nv)
#define TAU(i) ROW(tau, i, S.nv)
#define TAU_REF(i) ROW(tau_ref, i, S.nv)
#define QDD_REF(i) ROW(qdd_ref, i, S.nv)
#define MASS_REF(i) ROW(mass_ref, i, S.nv * S.nv)

#include CALLS

static void check_results(void)
{
#ifdef ERROR
  double worst = 0;
  for (int i = 0; i < S.count; i++) {
    CALL(i);
    const double error = ERROR(i);
    worst = error > worst || isnan(error) ? error : worst;
  }
  print_error(worst);
#endif
}

int main(int argc, char ** argv)
{
  if (argc < 3) {
    fprintf(stderr, "usage: %s STATES KIND...   (hot, sleep, swept)\n", argv[0]);
    return 2;
  }
  S = read_states(argv[1]);
  SETUP();
  check_results();
  for (int k = 2; k < argc; k++) MEASURE(argv[k], S.count, i, CALL(i));
  return 0;
}
