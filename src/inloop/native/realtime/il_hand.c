/* Effect of pulls on bodies in one step; see il_hand.h. */
#include "il_hand.h"

#include "il_linear.h"

#include <math.h>

enum { MOST = 3 * INLOOP_GRIPS }; /* components of force */

/* Offsets in the numbers of a body. */
enum { POSITION = 0, ROTATION = 3, TURNING = 12, MOVING = 15 };

/* ---- grips ---- */

int il_hand_take(il_hand *hand, const double *grips)
{
    inloop_grip fresh[INLOOP_GRIPS];
    int64_t held = 0;
    if (!inloop_finite(grips, INLOOP_GRIPS * sizeof *fresh / sizeof *grips)) {
        return 0;
    }
    memcpy(fresh, grips, sizeof fresh);
    for (int k = 0; k < INLOOP_GRIPS; k++) {
        const double body = fresh[k].body;
        const int good = body >= 0.0 && body <= (double)hand->body_count && body == floor(body) &&
                         fresh[k].stiffness >= 0.0 && fresh[k].damping >= 0.0;
        if (!good) {
            return 0;
        }
        held += body > 0.0;
    }
    for (int k = 0; k < INLOOP_GRIPS; k++) {
        hand->pulls[k] = (inloop_pull){.grip = fresh[k]};
    }
    hand->held = held;
    return 1;
}

void il_hand_refuse(il_hand *hand)
{
    for (int k = 0; k < INLOOP_GRIPS; k++) {
        inloop_pull *const pull = &hand->pulls[k];
        memset(pull->force, 0, sizeof pull->force);
        pull->limited = pull->grip.body > 0.0 ? INLOOP_REFUSED : INLOOP_AS_ASKED;
    }
}

void il_hand_let_go(il_hand *hand, il_instance *instance)
{
    il_hand_take_back(hand, instance);
    memset(hand->pulls, 0, sizeof hand->pulls);
    hand->held = 0;
}

/* ---- small vectors ---- */

static void add_cross(const double *a, const double *b, double *out)
{
    out[0] += a[1] * b[2] - a[2] * b[1];
    out[1] += a[2] * b[0] - a[0] * b[2];
    out[2] += a[0] * b[1] - a[1] * b[0];
}

/* ---- points of the grips ---- */

/* Memory of one step, from the scratch of the hand. */
typedef struct scene {
    il_instance *instance;
    const il_reach *reach;
    int64_t mode, n;
    double t;
    double *q, *qd, *qdd, *qdd_free, *lam, *effort, *rates, *inputs, *bodies, *before, *pulled;
    double *J;               /* rows of n: the components of all points */
    inloop_pull *at[INLOOP_GRIPS]; /* grips on bodies of this mode */
    int count;               /* number of them */
    double p[MOST], v[MOST]; /* of the points, at the middle of the step, in world axes */
    double a[MOST];          /* J qdd without pulls */
    double W[MOST][MOST];    /* compliance: accelerations per unit force */
} scene;

static int64_t largest(const il_instance *instance, int64_t *positions, int64_t *state)
{
    int64_t n = 0;
    *positions = *state = 0;
    for (int64_t m = 0; m < instance->plant->mode_count; m++) {
        const il_mode_row *row = &instance->plant->modes[m];
        const int64_t size = il_length_of_x(row);
        n = row->n > n ? row->n : n;
        *positions = il_positions(row) > *positions ? il_positions(row) : *positions;
        *state = size > *state ? size : *state;
    }
    return n;
}

int64_t il_hand_scratch(const il_hand *hand, const il_instance *instance)
{
    int64_t positions, state;
    const int64_t n = largest(instance, &positions, &state);
    (void)hand;
    return 2 * positions + 8 * n + 2 * state + instance->plant->parameter_count +
           IL_OF_BODY * n + MOST * n;
}

static scene set_up(il_hand *hand, il_instance *instance)
{
    int64_t positions, state;
    const int64_t n = largest(instance, &positions, &state);
    scene s = {.instance = instance, .mode = il_mode_of(instance), .t = il_time(instance)};
    double *next = hand->scratch;
    s.reach = &hand->reaches[s.mode];
    s.n = instance->plant->modes[s.mode].n;
    s.q = next;
    s.qd = next += positions;
    s.qdd = next += n;
    s.qdd_free = next += n;
    s.lam = next += n;
    s.effort = next += state; /* as many rows in use as dependent coordinates */
    s.before = next += n;
    s.pulled = next += n;
    s.rates = next += n;
    s.inputs = next += state;
    s.bodies = next += positions + n + instance->plant->parameter_count;
    s.J = next + IL_OF_BODY * n;
    for (int k = 0; k < INLOOP_GRIPS; k++) {
        inloop_pull *const pull = &hand->pulls[k];
        memset(pull->force, 0, sizeof pull->force);
        pull->mass = pull->limited = 0.0;
        if (pull->grip.body > 0.0 && s.reach->bodies[(int64_t)pull->grip.body - 1] >= 0) {
            s.at[s.count++] = pull;
        }
    }
    return s;
}

/* q, qd and the accelerations with the current efforts; 0 if the loops cannot be closed. */
static int find_motion(scene *s, double *qdd)
{
    int64_t size;
    const double *x = il_array_of(s->instance, s->mode, IL_STATE, &size);
    if (il_expand_rows(s->instance, s->mode, 1, &s->t, x, s->q, s->qd, qdd, s->lam, s->effort) != 1) {
        return 0;
    }
    if (il_in_use(&s->instance->parts[s->mode])->choice->expand == NULL) {
        /* a tree */
        if (il_rates_of(s->instance, s->mode, 1, s->t, x, s->rates) != IL_OK) {
            return 0;
        }
        il_copy(qdd, s->rates + s->n, s->n);
    }
    return il_all_finite(qdd, s->n);
}

/* Numbers of all bodies at the middle of a step h. */
static void place_bodies(scene *s, double h)
{
    const il_mode_row *row = &s->instance->plant->modes[s->mode];
    double *const q = s->inputs;
    il_copy(q, s->q, il_positions(row));
    for (int64_t k = 0; k < s->n; k++) {
        s->pulled[k] = 0.5 * h * s->qd[k];
        q[k] += s->pulled[k];
    }
    il_attitude_turn(row->attitudes, row->turned, s->pulled, q + s->n);
    il_copy(q + il_positions(row), s->instance->parameters, s->instance->plant->parameter_count);
    il_tape_rows(s->reach->tape, 1, s->inputs, s->bodies);
}

/* Position, Jacobian, velocity and free acceleration of the point of a grip. */
static void find_point(scene *s, int k)
{
    const inloop_grip *grip = &s->at[k]->grip;
    const int64_t body = s->reach->bodies[(int64_t)grip->body - 1];
    const double *of = s->bodies + IL_OF_BODY * body;
    double *const p = s->p + 3 * k, *const v = s->v + 3 * k, *const a = s->a + 3 * k;
    for (int i = 0; i < 3; i++) {
        p[i] = of[POSITION + i];
        for (int j = 0; j < 3; j++) {
            p[i] += of[ROTATION + 3 * i + j] * grip->point[j];
        }
        v[i] = a[i] = 0.0;
        memset(s->J + (3 * k + i) * s->n, 0, (size_t)s->n * sizeof *s->J);
    }
    /* contribution of each joint between the body and the ground */
    for (int64_t j = body; j >= 0; j = s->reach->parents[j]) {
        const double *joint = s->bodies + IL_OF_BODY * j;
        double moving[3] = {joint[MOVING], joint[MOVING + 1], joint[MOVING + 2]};
        add_cross(joint + TURNING, p, moving);
        for (int i = 0; i < 3; i++) {
            s->J[(3 * k + i) * s->n + j] = moving[i];
            v[i] += moving[i] * s->qd[j];
            a[i] += moving[i] * s->qdd_free[j];
        }
    }
}

/* W, column by column: accelerations are linear in the efforts. */
static int find_yield(scene *s, double unit)
{
    int64_t count;
    double *const tau = il_array_of(s->instance, s->mode, IL_TAU, &count);
    const int size = 3 * s->count;
    int good = 1;
    il_copy(s->before, tau, s->n);
    for (int c = 0; good && c < size; c++) {
        for (int64_t j = 0; j < s->n; j++) {
            tau[j] = s->before[j] + unit * s->J[c * s->n + j];
        }
        good = find_motion(s, s->qdd);
        for (int r = 0; r < size; r++) {
            double sum = 0.0;
            for (int64_t j = 0; j < s->n; j++) {
                sum += s->J[r * s->n + j] * (s->qdd[j] - s->qdd_free[j]);
            }
            s->W[r][c] = sum / unit;
        }
    }
    il_copy(tau, s->before, s->n);
    return good;
}

/* ---- the forces ---- */

/* Mass for the limits: that of the point, but at most that of the mechanism. */
static double reliable(const inloop_pull *pull, double mass)
{
    return pull->mass > 0.0 && pull->mass < mass ? pull->mass : mass;
}

/* Forces of all grips at the middle of the step h, concatenated in F. */
static void find_forces(scene *s, double h, double mass, double *F)
{
    const int size = 3 * s->count;
    double A[MOST * MOST];
    int64_t pivots[MOST];
    for (int k = 0; k < s->count; k++) {
        inloop_pull *const pull = s->at[k];
        const double w = s->W[3 * k][3 * k] + s->W[3 * k + 1][3 * k + 1] + s->W[3 * k + 2][3 * k + 2];
        pull->mass = w > 0.0 ? 1.0 / w : 0.0;
        const double stiffest = IL_STIFFEST * reliable(pull, mass) / (h * h);
        const double thickest = IL_THICKEST * reliable(pull, mass) / h;
        const double stiffness = fmin(pull->grip.stiffness, stiffest);
        const double damping = fmin(pull->grip.damping, thickest);
        if (stiffness < pull->grip.stiffness || damping < pull->grip.damping) {
            pull->limited = INLOOP_SOFTER;
        }
        const double per_acceleration = 0.25 * stiffness * h * h + 0.5 * damping * h;
        for (int i = 0; i < 3; i++) {
            const int r = 3 * k + i;
            F[r] = stiffness * (pull->grip.target[i] - s->p[r]) - damping * s->v[r] -
                   per_acceleration * s->a[r] + pull->grip.force[i];
            for (int c = 0; c < size; c++) {
                A[r * size + c] = (r == c) + per_acceleration * s->W[r][c];
            }
        }
    }
    if (il_lu_factor(size, A, pivots) == 0) {
        il_lu_solve(size, A, pivots, F);
    } else {
        memset(F, 0, (size_t)size * sizeof *F);
    }
}

/* Fraction of a force that may act: it must not throw its point far in one step, nor make it faster
   than steps can resolve. */
static double part_of(const il_hand *hand, const inloop_pull *pull, const double *F,
                      const double *v, double h)
{
    const double force = sqrt(F[0] * F[0] + F[1] * F[1] + F[2] * F[2]);
    const double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    const double most = IL_FARTHEST_THROW * hand->length * reliable(pull, hand->mass) / (h * h);
    double part = force > most ? most / force : 1.0;
    if (F[0] * v[0] + F[1] * v[1] + F[2] * v[2] > 0.0) {
        /* all of it up to half of the maximum speed, then decreasing */
        part *= fmin(1.0, fmax(0.0, 2.0 - 2.0 * speed * h / (IL_FASTEST_PULL * hand->length)));
    }
    return part;
}

static void limit(const il_hand *hand, scene *s, double h, double *F)
{
    for (int k = 0; k < s->count; k++) {
        inloop_pull *const pull = s->at[k];
        double *const f = F + 3 * k;
        if (!il_all_finite(f, 3)) {
            f[0] = f[1] = f[2] = 0.0;
            pull->limited = INLOOP_WEAKER;
        }
        const double part = part_of(hand, pull, f, s->v + 3 * k, h);
        if (part < 1.0) {
            for (int i = 0; i < 3; i++) {
                f[i] *= part;
            }
            pull->limited = INLOOP_WEAKER;
        }
        memcpy(pull->force, f, sizeof pull->force);
    }
}

/* Set the efforts of all joints, also in modes that events of the step lead to. */
static void add_efforts(il_hand *hand, scene *s, const double *F)
{
    for (int64_t j = 0; j < s->n; j++) {
        s->pulled[j] = 0.0;
        for (int r = 0; r < 3 * s->count; r++) {
            s->pulled[j] += s->J[r * s->n + j] * F[r];
        }
    }
    for (int64_t m = 0; m < s->instance->plant->mode_count; m++) {
        int64_t count;
        double *const tau = il_array_of(s->instance, m, IL_TAU, &count);
        for (int64_t b = 0; b < hand->body_count; b++) {
            const int64_t here = s->reach->bodies[b], there = hand->reaches[m].bodies[b];
            if (here >= 0 && there >= 0) {
                tau[there] += s->pulled[here];
            }
        }
    }
}

/* Add the pulls of the next step to the joint efforts. */
static void add_pulls(il_hand *hand, il_instance *instance)
{
    scene s = set_up(hand, instance);
    const double h = instance->step;
    double F[MOST];
    if (s.count == 0 || !find_motion(&s, s.qdd_free)) {
        return;
    }
    place_bodies(&s, h);
    for (int k = 0; k < s.count; k++) {
        find_point(&s, k);
    }
    if (!find_yield(&s, hand->mass)) {
        return;
    }
    find_forces(&s, h, hand->mass, F);
    limit(hand, &s, h, F);
    add_efforts(hand, &s, F);
    hand->applied = 1;
}

void il_hand_take_back(il_hand *hand, il_instance *instance)
{
    if (!hand->applied) {
        return;
    }
    hand->applied = 0;
    for (int64_t m = 0; m < instance->plant->mode_count; m++) {
        int64_t count;
        double *const tau = il_array_of(instance, m, IL_TAU, &count);
        const il_place *places = instance->plant->modes[m].input_places;
        /* efforts that are inputs of the model are not reset otherwise */
        memset(tau, 0, (size_t)count * sizeof *tau);
        for (int64_t k = 0; k < instance->plant->input_count; k++) {
            if (places[k].kind == IL_OF_TAU) {
                tau[places[k].index] = instance->inputs[k];
            }
        }
    }
}

int il_hand_advance(il_hand *hand, il_instance *instance)
{
    const il_controlled *by = &instance->controlled;
    const int controlled =
        instance->plant->controller != NULL && !by->let_go && by->per_sample > 0;
    int status = IL_OK;
    if (controlled && instance->count % by->per_sample == 0) {
        status = il_sample_now(instance);
    }
    if (status != IL_OK) {
        return status;
    }
    add_pulls(hand, instance);
    /* it has been sampled, and must not be again: its efforts include the pulls */
    if (controlled) {
        il_let_go(instance, 1);
    }
    status = il_advance(instance);
    if (controlled) {
        il_let_go(instance, 0);
    }
    return status;
}
