/* A small island as one dense problem of il_contact_solver.h; see il_pile_solver.h. */
#include <string.h>

#include "il_contact_solver.h"
#include "il_pile_solver.h"

enum { ROWS = IL_PILE_ROWS * IL_DENSE_MOST, SWEEPS = 40, NEWTONS = 20 };

int64_t il_island_dense_work(void)
{
    return ROWS * ROWS + 3 * ROWS + IL_DENSE_MOST + il_contact_work_size(IL_DENSE_MOST, ROWS);
}

/* What impulses of contact j change at contact i: three rows of W. */
static void couple(const il_pile_contact *i, const il_pile_contact *j, int64_t stride, double *W)
{
    for (int k = 0; k < IL_PILE_ROWS; k++) {
        memset(W + k * stride, 0, IL_PILE_ROWS * sizeof *W);
    }
    for (int a = 0; a < 2; a++) {
        for (int b = 0; b < 2; b++) {
            if (i->tree[a] < 0 || i->tree[a] != j->tree[b]) {
                continue;
            }
            for (int k = 0; k < IL_PILE_ROWS; k++) {
                for (int l = 0; l < IL_PILE_ROWS; l++) {
                    for (int m = 0; m < IL_TREE_MOST; m++) {
                        W[k * stride + l] += i->H[a][m][k] * j->Y[b][l][m];
                    }
                }
            }
        }
    }
}

/* Velocity of a contact without impulses of any. */
static void find_free(const il_island *island, const il_pile_contact *contact, double *q)
{
    memcpy(q, contact->c, IL_PILE_ROWS * sizeof *q);
    for (int side = 0; side < 2; side++) {
        const double *v = island->free + contact->tree[side] * IL_TREE_MOST;
        for (int j = 0; contact->tree[side] >= 0 && j < IL_TREE_MOST; j++) {
            for (int k = 0; k < IL_PILE_ROWS; k++) {
                q[k] += contact->H[side][j][k] * v[j];
            }
        }
    }
}

int64_t il_island_dense(const il_island *island, double tolerance, double speed, double *work)
{
    const int64_t count = island->count, rows = IL_PILE_ROWS * count;
    int64_t first[IL_DENSE_MOST + 1];
    double *W = work, *q = W + ROWS * ROWS, *R = q + ROWS, *r = R + ROWS, *mu = r + ROWS;
    const il_contact_problem problem = {first, mu, W, R, q, count, rows, NULL};
    const il_contact_effort effort = {tolerance / speed, SWEEPS, NEWTONS, speed};
    il_contact_report report;

    first[count] = rows;
    for (int64_t i = 0; i < count; i++) {
        const il_pile_contact *contact = island->contacts + island->members[i];
        first[i] = IL_PILE_ROWS * i;
        mu[i] = contact->mu;
        find_free(island, contact, q + first[i]);
        for (int k = 0; k < IL_PILE_ROWS; k++) {
            R[first[i] + k] = contact->soft;
            r[first[i] + k] = contact->r[k];
        }
        for (int64_t j = 0; j < count; j++) {
            couple(contact, island->contacts + island->members[j], rows,
                   W + first[i] * rows + IL_PILE_ROWS * j);
        }
    }
    (void)il_contact_solve(&problem, &effort, r, mu + IL_DENSE_MOST, &report);
    for (int64_t i = 0; i < count; i++) {
        il_pile_contact *contact = island->contacts + island->members[i];
        memcpy(contact->r, r + first[i], IL_PILE_ROWS * sizeof *r);
    }
    return report.newtons;
}
