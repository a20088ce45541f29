/* Linear systems with I / g - J; see il_shifted.h.

   The rows of q are known: u_q = g (r_q + u_qd). This leaves n + m rows. */
#include "il_shifted.h"

#include "il_linear.h"

int il_shifted_factor(const il_stepper *stepper, double g, const double *J, double *W)
{
    const int64_t n = stepper->system.n;
    const int64_t rows = stepper->size - n;

    for (int64_t i = 0; i < rows; i++) {
        const double *J_row = J + (n + i) * stepper->size;
        double *W_row = W + i * rows;
        for (int64_t j = 0; j < rows; j++) {
            W_row[j] = -J_row[n + j];
        }
        il_move_by(n, W_row, W_row, -g, J_row);
        W_row[i] += 1.0 / g;
    }
    return il_lu_factor(rows, W, stepper->pivots) == 0 ? IL_OK : IL_DIVERGED;
}

void il_shifted_solve(const il_stepper *stepper, double g, const double *J, const double *W,
                      double *u)
{
    const int64_t n = stepper->system.n;
    const int64_t rows = stepper->size - n;

    for (int64_t i = 0; i < rows; i++) {
        const double *J_row = J + (n + i) * stepper->size;
        double sum = 0.0;
        for (int64_t j = 0; j < n; j++) {
            sum += J_row[j] * u[j];
        }
        u[n + i] += g * sum;
    }
    il_lu_solve(rows, W, stepper->pivots, u + n);
    for (int64_t i = 0; i < n; i++) {
        u[i] = g * (u[i] + u[n + i]);
    }
}
