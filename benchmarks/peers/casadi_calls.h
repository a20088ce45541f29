/* How native_main.c calls a function that CasADi generated.
 *
 * FUNCTION is its name; INPUT its third argument (QDD or TAU); RESULT_REF the rows of the reference, one of
 * TAU_REF, QDD_REF, or MASS_REF (CasADi then gives the upper triangle, in compressed columns). */
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

typedef long long casadi_int;
int FUNCTION(const double ** arg, double ** res, casadi_int * iw, double * w, int mem);
int JOIN(FUNCTION, _work)(casadi_int * arg, casadi_int * res, casadi_int * iw, casadi_int * w);
const casadi_int * JOIN(FUNCTION, _sparsity_out)(casadi_int i);

static const double * arg[8];
static double * res[8];
static casadi_int * iw;
static double * w;

static void setup(void)
{
  casadi_int n_arg, n_res, n_iw, n_w;
  JOIN(FUNCTION, _work)(&n_arg, &n_res, &n_iw, &n_w);
  if (n_arg > 8 || n_res > 8) abort();
  iw = (casadi_int *)calloc((size_t)n_iw + 1, sizeof *iw);
  w = (double *)calloc((size_t)n_w + 1, sizeof *w);
  res[0] = (double *)calloc((size_t)(S.nv * S.nv) + 1, sizeof **res);
}

static inline void call(int i)
{
  arg[0] = Q(i), arg[1] = QD(i), arg[2] = INPUT(i);
  FUNCTION(arg, res, iw, w, 0);
}

/* rows, columns, then either 1 (dense) or the starts of the columns and the row of each entry */
static double sparse_error(const double * x, const double * ref)
{
  const casadi_int * pattern = JOIN(FUNCTION, _sparsity_out)(0);
  const casadi_int rows = pattern[0], columns = pattern[1];
  if (pattern[2] == 1) return relative_error(x, ref, (int)(rows * columns));
  const casadi_int * start = pattern + 2, * row = start + columns + 1;
  double * expected = (double *)calloc((size_t)start[columns], sizeof *expected);
  for (casadi_int j = 0; j < columns; j++)
    for (casadi_int k = start[j]; k < start[j + 1]; k++) expected[k] = ref[j * rows + row[k]];
  const double error = relative_error(x, expected, (int)start[columns]);
  free(expected);
  return error;
}

#define SETUP() setup()
#define CALL(i) call(i)
#define ERROR(i) sparse_error(res[0], RESULT_REF(i))
