/* The controllers of the robot in C: the same laws, motion and settings as in Python.
 *
 *     robot_controller pd|computed_torque NAME [SETTINGS]
 *
 * NAME is that of the running plant, SETTINGS a file of lines such as "kp 225" or
 * "goal.joint_2 0.7" that may change while it runs. Build it with the generated inverse dynamics:
 *
 *     inloop derive puma560 --functions inverse_dynamics --out .
 *     cc -O2 -I "$(inloop --include)" robot_controller.c puma560_*.c -lm -o robot_controller
 */
#include <inloop.h>

#include <math.h>

#include "puma560.h"

enum { JOINTS = 6 };

static const double TOUR[2][JOINTS] = {
    {0.0, 0.7854, -3.1416, 0.0, 0.7854, 0.0},
    {0.8, 1.3, -1.9, 0.5, 0.3, -0.9},
};
/* effective inertia of each joint in the pose q_n [kg m^2] */
static const double INERTIAS[JOINTS] = {3.66, 4.41, 0.94, 0.19, 0.17, 0.19};
static const int64_t LOOK_EVERY = 100000000; /* [ns] */

struct settings {
    double kp, kd;         /* [1/s^2], [1/s] per inertia */
    double duration, hold; /* of a move and of the rest after it [s] */
    double goal[JOINTS];
    int has_goal[JOINTS];
    const char *path;
    int64_t next, seen, size;
};

struct motion {
    double from[JOINTS], to[JOINTS], begin, span;
};

static int set(struct settings *s, const char *name, double value)
{
    char word[32];
    for (int k = 0; k < JOINTS; k++) {
        snprintf(word, sizeof word, "goal.joint_%d", k + 1);
        if (strcmp(name, word) == 0) {
            s->goal[k] = value;
            s->has_goal[k] = 1;
            return 1;
        }
    }
    double *place = strcmp(name, "kp") == 0         ? &s->kp
                    : strcmp(name, "kd") == 0       ? &s->kd
                    : strcmp(name, "duration") == 0 ? &s->duration
                    : strcmp(name, "hold") == 0     ? &s->hold
                                                    : NULL;
    if (place == NULL || value < 0.0) {
        return 0;
    }
    *place = value;
    return 1;
}

/* Read the file if it has changed. */
static void look(struct settings *s, int64_t now)
{
    struct stat facts;
    char line[256], name[64];
    double value;

    if (s->path == NULL || now < s->next) {
        return;
    }
    s->next = now + LOOK_EVERY;
    if (stat(s->path, &facts) != 0) {
        return;
    }
    const int64_t seen = (int64_t)facts.st_mtim.tv_sec * 1000000000 + facts.st_mtim.tv_nsec;
    if (seen == s->seen && facts.st_size == s->size) {
        return;
    }
    s->seen = seen;
    s->size = facts.st_size;
    FILE *file = fopen(s->path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "#\n")] = 0;
        if (line[strspn(line, " \t\r")] == 0) {
            continue;
        }
        if (sscanf(line, "%63s %lf", name, &value) != 2 || !inloop_finite(&value, 1) ||
            !set(s, name, value)) {
            fprintf(stderr, "no setting: %s\n", line);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}

static void place(const struct motion *m, double t, double *q, double *qd, double *qdd)
{
    double u = (t - m->begin) / m->span;
    u = u < 0.0 ? 0.0 : u > 1.0 ? 1.0 : u;
    const double s = u * u * u * (10.0 + u * (-15.0 + 6.0 * u));
    const double sd = 30.0 * u * u * (1.0 - u) * (1.0 - u) / m->span;
    const double sdd = 60.0 * u * (1.0 - u) * (1.0 - 2.0 * u) / (m->span * m->span);
    for (int k = 0; k < JOINTS; k++) {
        const double way = m->to[k] - m->from[k];
        q[k] = m->from[k] + s * way;
        qd[k] = sd * way;
        qdd[k] = sdd * way;
    }
}

static void follow(struct motion *m, const struct settings *s, double t, double *q, double *qd,
                   double *qdd)
{
    const double cycle = fmax(s->duration + s->hold, 1e-3);
    int pose = ((int)floor(t / cycle) + 1) % 2, changed = 0;
    double goal[JOINTS];

    for (int k = 0; k < JOINTS; k++) {
        pose = s->has_goal[k] ? 0 : pose;
    }
    for (int k = 0; k < JOINTS; k++) {
        goal[k] = s->has_goal[k] ? s->goal[k] : TOUR[pose][k];
        changed |= goal[k] != m->to[k];
    }
    if (changed) {
        place(m, t, q, qd, qdd);
        memcpy(m->from, q, sizeof m->from);
        memcpy(m->to, goal, sizeof goal);
        m->begin = t;
        m->span = fmax(s->duration, 1e-3);
    }
    place(m, t, q, qd, qdd);
}

static void control(int computed, const double *pre, const struct settings *s, const double *q,
                    const double *qd, const double wanted[3][JOINTS], double *tau)
{
    const double rest[JOINTS] = {0.0};
    double pull[JOINTS];

    for (int k = 0; k < JOINTS; k++) {
        pull[k] = s->kp * (wanted[0][k] - q[k]) + s->kd * (wanted[1][k] - qd[k]);
    }
    if (computed) {
        for (int k = 0; k < JOINTS; k++) {
            pull[k] += wanted[2][k];
        }
        puma560_inverse_dynamics(pre, q, qd, pull, tau);
        return;
    }
    puma560_inverse_dynamics(pre, q, rest, rest, tau);
    for (int k = 0; k < JOINTS; k++) {
        tau[k] += INERTIAS[k] * pull[k];
    }
}

int main(int count, char **words)
{
    const double parameters[PUMA560_PAR_SIZE] = {9.81, 0.0}; /* gravity, payload */
    double pre[PUMA560_PRE_SIZE], wanted[3][JOINTS];
    struct settings settings = {.kp = 225.0, .kd = 30.0, .duration = 2.0, .hold = 1.0};
    struct motion motion = {.span = 1.0};
    inloop_mailbox box;

    if (count < 3) {
        fprintf(stderr, "robot_controller pd|computed_torque NAME [SETTINGS]\n");
        return 2;
    }
    settings.path = count > 3 ? words[3] : NULL;
    int error = INLOOP_NO_SEGMENT;
    for (int tries = 0; tries < 1000 && error == INLOOP_NO_SEGMENT; tries++) {
        error = inloop_attach(&box, words[2]);
        usleep(error == INLOOP_NO_SEGMENT ? 10000 : 0);
    }
    if (error != INLOOP_OK) {
        fprintf(stderr, "%s: %s\n", words[2], inloop_message(error));
        return 1;
    }
    double *outputs = calloc((size_t)inloop_count(&box, INLOOP_OUTPUTS), sizeof *outputs);
    double *inputs = calloc((size_t)inloop_count(&box, INLOOP_INPUTS), sizeof *inputs);
    const int64_t q = inloop_index(&box, "q", "joint_1"), qd = inloop_index(&box, "qd", "joint_1");
    const int64_t tau = inloop_index(&box, "input", "joint_1.tau");
    if (q < 0 || qd < 0 || tau < 0 || inloop_wait(&box, 5.0, NULL, outputs) != INLOOP_OK) {
        fprintf(stderr, "%s is no robot\n", words[2]);
        return 1;
    }
    puma560_prepare(parameters, pre);
    memcpy(motion.from, outputs + q, sizeof motion.from);
    memcpy(motion.to, outputs + q, sizeof motion.to);
    do {
        look(&settings, inloop_time(&box));
        follow(&motion, &settings, outputs[0], wanted[0], wanted[1], wanted[2]);
        control(strcmp(words[1], "computed_torque") == 0, pre, &settings, outputs + q, outputs + qd,
                (const double(*)[JOINTS])wanted, inputs + tau);
        error = inloop_write(&box, inputs);
        if (error == INLOOP_OK) {
            error = inloop_wait(&box, 1.0, NULL, outputs);
        }
    } while (error == INLOOP_OK || error == INLOOP_NOTHING);
    inloop_detach(&box);
    free(outputs);
    free(inputs);
    return error == INLOOP_GONE ? 0 : 1;
}
