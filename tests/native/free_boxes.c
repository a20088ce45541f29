/* Boxes that are free to move in space, as a pile of the runtime without generated code.
 *
 * Each has a place p, axes R and a velocity (v, w) in axes of the world; its inertia is the same about
 * all axes, so that its mass matrix is constant and nothing but gravity and contacts acts.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "il_contacts.h"
#include "il_pile_parts.h"

enum { FREEDOM = 6, POSE = 12 };

/* What all boxes have, and where they are. */
typedef struct scene {
    int64_t count;         /* of boxes */
    int64_t slots;
    double h, g;           /* step [s], gravity [m/s^2] */
    double mu, e, soft;    /* of contacts; soft: [m/N] */
    double patience;
    const double *sides;   /* of each box, halves [m] */
    const double *corners; /* of each, 8 [m] */
    const double *masses;  /* mass [kg] and moment of inertia [kg m^2] of each */
    double *poses;         /* p, R of each, row-major */
    double *v;             /* v, w of each */
    double *states;        /* of the pile */
} scene;

static double *write(double *to, const double *from, int64_t count)
{
    memcpy(to, from, (size_t)count * sizeof *to);
    return to + count;
}

/* For il_contact_table.rows: x holds the poses half-way. */
static int tell_rows(void *context, double t, const double *x, double *found)
{
    const scene *s = context;
    const double numbers[IL_PILE_NUMBERS] = {s->mu, s->e, s->soft, 0.0, 0.0};
    const double ground[POSE] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};

    (void)t;
    found = write(write(found, numbers, IL_PILE_NUMBERS), ground, POSE);
    for (int64_t k = 0; k < s->count; k++) {
        found = write(found, x + POSE * k, POSE);
        for (int i = 0; i < FREEDOM * FREEDOM; i++) {
            *found++ = i % (FREEDOM + 1) == 0 ? 1.0 : 0.0;
        }
    }
    for (int64_t k = 0; k < s->count; k++) {
        for (int i = 0; i < FREEDOM * FREEDOM; i++) {
            const double own = s->masses[2 * k + (i >= FREEDOM * FREEDOM / 2)];
            *found++ = i % (FREEDOM + 1) == 0 ? own : 0.0;
        }
    }
    return IL_OK;
}

/* Move a pose by a way and a turn. */
static void move(const double *from, const double *way, double *to)
{
    const double *w = way + 3, angle = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    const double a = angle > 0.0 ? sin(angle) / angle : 1.0;
    const double b = angle > 0.0 ? (1.0 - cos(angle)) / (angle * angle) : 0.5;
    const double X[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
    double turn[9], R[9];

    for (int i = 0; i < 9; i++) {
        const int row = i / 3, column = i % 3;
        double square = 0.0;
        for (int k = 0; k < 3; k++) {
            square += X[3 * row + k] * X[3 * k + column];
        }
        turn[i] = (row == column ? 1.0 : 0.0) + a * X[i] + b * square;
    }
    for (int i = 0; i < 9; i++) {
        R[i] = 0.0;
        for (int k = 0; k < 3; k++) {
            R[i] += turn[3 * (i / 3) + k] * from[3 + 3 * k + i % 3];
        }
    }
    for (int k = 0; k < 3; k++) {
        to[k] = from[k] + way[k];
    }
    memcpy(to + 3, R, sizeof R);
}

/* The pile of a scene: the ground, then the boxes. */
static il_pile pile_of(const scene *s, il_shape *shapes, int64_t *numbers)
{
    int64_t *trees = numbers, *first = trees + s->count + 1, *velocities = first + s->count + 1;

    for (int64_t k = 0; k <= s->count; k++) {
        shapes[k] = (il_shape){.kind = k > 0 ? IL_BOX : IL_PLANE, .axis = {0.0, 0.0, 1.0}};
        if (k > 0) {
            memcpy(shapes[k].edges, s->sides + 3 * (k - 1), sizeof shapes[k].edges);
            shapes[k].corners = s->corners + 24 * (k - 1);
            shapes[k].corner_count = 8;
        }
        trees[k] = k - 1;
        first[k] = FREEDOM * k;
    }
    for (int64_t k = 0; k < FREEDOM * s->count; k++) {
        velocities[k] = k;
    }
    return (il_pile){.shapes = shapes, .trees = trees, .member_count = s->count + 1,
                     .first = first, .velocities = velocities, .tree_count = s->count,
                     .margin = 0.01, .slots = s->slots, .place = 2 * FREEDOM * s->count};
}

/* A step from x = (0, v, states) and poses; middle: memory for poses half-way. */
static int step(const scene *s, const il_contacts *contacts, double *middle, double *x, double *x_new)
{
    const int64_t n = FREEDOM * s->count;
    double way[FREEDOM];

    for (int64_t k = 0; k < s->count; k++) {
        for (int i = 0; i < FREEDOM; i++) {
            const double pull = i == 2 ? -s->h * s->g : 0.0;
            x[n + FREEDOM * k + i] = s->v[FREEDOM * k + i];
            x_new[FREEDOM * k + i] = 0.0;
            x_new[n + FREEDOM * k + i] = s->v[FREEDOM * k + i] + pull;
            way[i] = 0.5 * s->h * (s->v[FREEDOM * k + i] + (i == 2 ? 0.5 * pull : 0.0));
        }
        move(s->poses + POSE * k, way, middle + POSE * k);
    }
    const il_strike strike = {.context = (void *)s, .h = s->h, .whole = s->h, .x_middle = middle,
                              .x_end = middle, .x = x, .n = n};
    const int status = il_contacts_strike(contacts, &strike, x_new);
    il_contacts_tell(contacts, s->h, x_new);
    for (int64_t k = 0; k < s->count; k++) {
        for (int i = 0; i < FREEDOM; i++) {
            double *v = s->v + FREEDOM * k + i;
            const double after = x_new[n + FREEDOM * k + i];
            way[i] = 0.5 * s->h * (*v + after) + x_new[FREEDOM * k + i];
            *v = after;
        }
        move(s->poses + POSE * k, way, s->poses + POSE * k);
    }
    memcpy(x + 2 * n, x_new + 2 * n, (size_t)(IL_PILE_HEAD + IL_PILE_SLOT * s->slots) * sizeof *x);
    return status;
}

IL_EXPORT int run_boxes(const scene *s, int64_t steps, double *residuals);

/* Some steps; residual of each. The states of the pile go on where they ended. */
int run_boxes(const scene *s, int64_t steps, double *residuals)
{
    const int64_t n = FREEDOM * s->count, states = IL_PILE_HEAD + IL_PILE_SLOT * s->slots;
    il_shape *shapes = calloc((size_t)s->count + 1, sizeof *shapes);
    int64_t *numbers = calloc((size_t)(2 * s->count + 2 + n), sizeof *numbers);
    double *x = calloc((size_t)(4 * n + 2 * states + POSE * s->count), sizeof *x);
    const il_pile pile = pile_of(s, shapes, numbers);
    const il_contact_table table = {.rows = tell_rows, .near = 1e-9, .pile = &pile, .states = states};
    double *work = calloc((size_t)il_contacts_work(&table, n), sizeof *work);
    int64_t *chosen = calloc((size_t)il_contacts_integers(&table), sizeof *chosen), inexact = 0;
    const il_contacts contacts = {.table = &table, .work = work, .chosen = chosen,
                                  .inexact = &inexact, .patience = &s->patience};
    int status = IL_OK;

    memcpy(x + 2 * n, s->states, (size_t)states * sizeof *x);
    for (int64_t k = 0; k < steps && status == IL_OK; k++) {
        double *x_new = x + 2 * n + states;
        status = step(s, &contacts, x_new + 2 * n + states, x, x_new);
        residuals[k] = x[2 * n];
    }
    memcpy(s->states, x + 2 * n, (size_t)states * sizeof *x);
    free(shapes);
    free(numbers);
    free(x);
    free(work);
    free(chosen);
    return status;
}
