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

/* Contacts with their rows, which moments of the contact before extend; returns how many there are. */
static int64_t number_rows(const il_island *island, int64_t *first, int64_t *turning, double *mu)
{
    int64_t contacts = 0;

    for (int64_t i = 0; i < island->count; i++) {
        const il_pile_contact *contact = island->contacts + island->members[i];
        if (contact->turns) {
            turning[2 * contacts - 2] = 2;
            turning[2 * contacts - 1] = 1;
            continue;
        }
        first[contacts] = IL_PILE_ROWS * i;
        mu[contacts] = contact->mu;
        turning[2 * contacts] = turning[2 * contacts + 1] = 0;
        contacts++;
    }
    first[contacts] = IL_PILE_ROWS * island->count;
    return contacts;
}

int64_t il_island_dense(const il_island *island, double tolerance, double speed, double *work)
{
    const int64_t rows = IL_PILE_ROWS * island->count;
    int64_t first[IL_DENSE_MOST + 1], turning[2 * IL_DENSE_MOST];
    double *W = work, *q = W + ROWS * ROWS, *R = q + ROWS, *r = R + ROWS, *mu = r + ROWS;
    const int64_t count = number_rows(island, first, turning, mu);
    const il_contact_problem problem = {first, mu, W,    R,
                                        q,     count, rows, count < island->count ? turning : NULL};
    const il_contact_effort effort = {tolerance / speed, SWEEPS, NEWTONS, speed};
    il_contact_report report;

    for (int64_t i = 0; i < island->count; i++) {
        const il_pile_contact *contact = island->contacts + island->members[i];
        const int64_t row = IL_PILE_ROWS * i;
        find_free(island, contact, q + row);
        for (int k = 0; k < IL_PILE_ROWS; k++) {
            R[row + k] = contact->soft;
            r[row + k] = contact->r[k];
        }
        for (int64_t j = 0; j < island->count; j++) {
            couple(contact, island->contacts + island->members[j], rows,
                   W + row * rows + IL_PILE_ROWS * j);
        }
    }
    (void)il_contact_solve(&problem, &effort, r, mu + IL_DENSE_MOST, &report);
    for (int64_t i = 0; i < island->count; i++) {
        il_pile_contact *contact = island->contacts + island->members[i];
        memcpy(contact->r, r + IL_PILE_ROWS * i, IL_PILE_ROWS * sizeof *r);
    }
    return report.newtons;
}
