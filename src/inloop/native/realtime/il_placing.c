/* Move a joint to a position while the plant is paused.
 *
 * In a tree nothing else moves. With loops an independent joint moves alone, and dependent ones
 * follow; for a dependent joint the independent coordinates take the shortest path, in units, that
 * moves it. The path is divided so that no pivot changes its sign, which would change the assembly
 * mode of the loops. If the loops cannot follow, nothing changes.
 */
#include "il_loop.h"

#include <math.h>

#define LONGEST_PART 0.1           /* in units: radians, or parts of the characteristic length */
#define LEAST_PART 1e-6
#define THERE 1e-12                /* remaining distance, in units */
#define DEAD 1e-6                  /* smaller motion, in units per unit: a dead point */
#define SINGULAR 1e3               /* of a reciprocal pivot: too close to a singular position */
enum { MOST_PARTS = 4000 };

/* A path to a requested position. */
typedef struct il_placing {
    il_part *part;
    double t;
    int64_t joint;                 /* index in the mode */
    double *q, *qd, *z;            /* current closed position */
    double *trial, *gain, *still;  /* the next position, motion of the joint, zero velocities */
    int64_t open;                  /* index of the row that stays open, or is closest to that */
} il_placing;

static int64_t room_of(const il_mode_row *row)
{
    return 2 * il_positions(row) + 3 * row->n + row->states;
}

int64_t il_placing_room(const il_instance *instance)
{
    int64_t most = 0;
    for (int64_t k = 0; k < instance->plant->mode_count; k++) {
        const int64_t room = room_of(&instance->plant->modes[k]);
        most = room > most ? room : most;
    }
    return most;
}

/* Index in the mode of a joint that may be placed; -1: it is driven, a ball joint, or not in the
   mode. */
static int64_t find_joint(const il_part *part, int64_t coordinate)
{
    const il_mode_row *row = part->row;
    const il_choice *choice = il_in_use(part)->choice;
    const il_place place = row->output_places[coordinate];
    if (place.kind != IL_OF_Q || place.index >= row->n) {
        return -1;
    }
    for (int64_t k = 0; k < choice->driven_count; k++) {
        if (choice->driven[k] == place.index) {
            return -1;
        }
    }
    for (int64_t k = 0; k < row->attitudes; k++) {
        if (place.index >= row->turned[k] && place.index < row->turned[k] + 3) {
            return -1;
        }
    }
    return place.index;
}

/* Close the loops at a position with estimates of the dependent coordinates. */
static int close_at(il_placing *way, const double *q, const double *qd)
{
    double *x = way->part->instance->machine.x;
    il_put(way->part, way->t, q, qd, way->z, x);
    return il_look_at(way->part, way->t, x);
}

/* Motion of the joint with each independent coordinate, in units; 0 at a dead point. */
static double find_gains(il_placing *way)
{
    il_part *part = way->part;
    const il_choice *choice = il_in_use(part)->choice;
    const double *units = part->row->units;
    double sum = 0.0;
    for (int64_t k = 0; k < choice->independent_count; k++) {
        way->gain[k] = choice->independent[k] == way->joint;
        sum += way->gain[k];
    }
    if (sum > 0.0) {
        return sum;
    }
    /* velocities are affine: subtract those with all independent ones at rest */
    const double rest = close_at(way, way->q, way->still) == IL_OK ? part->qd[way->joint] : NAN;
    for (int64_t k = 0; k < choice->independent_count; k++) {
        const int64_t j = choice->independent[k];
        way->still[j] = units[j];
        const int status = close_at(way, way->q, way->still);
        way->still[j] = 0.0;
        way->gain[k] = status == IL_OK ? (part->qd[way->joint] - rest) / units[way->joint] : NAN;
        sum += way->gain[k] * way->gain[k];
    }
    return sum > DEAD * DEAD ? sum : 0.0;
}

/* Distance from a singular position at the last closed one: the largest reciprocal pivot, in units
   of its row and coordinate, infinite if the choice in use is singular. */
static double find_nearness(il_placing *way, double *pivots)
{
    il_part *part = way->part;
    const il_mode_row *row = part->row;
    const il_choice *choice = il_in_use(part)->choice;
    double worst = 0.0;
    (void)il_find_pivots(part, way->t, pivots);
    for (int64_t k = 0; k < choice->dependent_count; k++) {
        const double size = row->row_sizes ? row->row_sizes[choice->rows[k]] : 1.0;
        const double near = fabs(pivots[k]) * size / row->units[choice->dependent[k]];
        if (!(near <= worst)) {
            worst = near;
            way->open = choice->rows[k];
        }
    }
    return worst;
}

/* One part of the path [units]; 0 if the loops do not follow. At a singular position branches meet:
   none is chosen by chance. */
static int go(il_placing *way, double length, double gains)
{
    il_part *part = way->part;
    const il_choice *choice = il_in_use(part)->choice;
    const double *units = part->row->units;
    double *const pivots = part->pivots, *const before = pivots + part->row->rows;
    const double wanted = way->q[way->joint] + length * units[way->joint];

    il_copy(way->trial, way->q, il_positions(part->row));
    for (int64_t k = 0; k < choice->independent_count; k++) {
        const int64_t j = choice->independent[k];
        way->trial[j] += way->gain[k] / gains * length * units[j];
    }
    if (close_at(way, way->q, way->still) != IL_OK) {
        return 0;
    }
    const double near = find_nearness(way, before);
    if (close_at(way, way->trial, way->still) != IL_OK) {
        way->open = choice->rows[il_in_use(part)->look.bad_row];
        return 0;
    }
    if (!(fabs(part->q[way->joint] - wanted) <= 0.5 * fabs(length) * units[way->joint]) ||
        !(find_nearness(way, pivots) <= fmax(SINGULAR, near)) ||
        !il_same_side(before, pivots, choice->dependent_count)) {
        return 0;
    }
    il_copy(way->q, part->q, il_positions(part->row));
    return 1;
}

/* IL_OK, or IL_LOOP_OPEN. */
static int lead(il_placing *way, double target)
{
    il_part *part = way->part;
    const double unit = part->row->units[way->joint];
    double part_length = LONGEST_PART;
    for (int64_t k = 0; k < MOST_PARTS; k++) {
        const double left = (target - way->q[way->joint]) / unit;
        if (fabs(left) <= THERE) {
            return close_at(way, way->q, way->qd);
        }
        const double gains = find_gains(way);
        const double length = copysign(fmin(fabs(left), part_length), left);
        if (!(gains > 0.0) || part_length < LEAST_PART) {
            return IL_LOOP_OPEN;
        }
        if (go(way, length, gains)) {
            part_length = fmin(2.0 * part_length, LONGEST_PART);
            if (il_choose_better(part, way->t)) {
                il_pack(part, part->instance->machine.x);
            }
        } else {
            part_length = 0.5 * fabs(length);
        }
    }
    return IL_LOOP_OPEN;
}

/* Reason of a failure: the row that stays open, by the output of its multiplier. */
static uint64_t blame(const il_loop *loop, const il_part *part, int64_t row)
{
    for (int64_t k = 0; k < loop->instance->plant->output_count; k++) {
        const il_place place = part->row->output_places[k];
        if (place.kind == IL_OF_LAM && place.index == row) {
            return INLOOP_OPEN_ROW + 1 + (uint64_t)k;
        }
    }
    return INLOOP_NO_WAY;
}

static il_placing make_way(il_loop *loop, il_part *part, int64_t joint)
{
    const il_mode_row *row = part->row;
    il_placing way = {.part = part, .t = il_simulated(loop), .joint = joint, .open = -1};
    way.q = loop->placing;
    way.trial = way.q + il_positions(row);
    way.qd = way.trial + il_positions(row);
    way.gain = way.qd + row->n;
    way.still = way.gain + row->n;
    way.z = way.still + row->n;
    il_copy(way.q, part->q, il_positions(row));
    il_copy(way.z, part->z, row->states);
    return way;
}

/* Velocities at the new position: zero, or the current ones. Drives keep theirs in either case. */
static void choose_velocities(il_placing *way, int keep)
{
    const il_part *part = way->part;
    const il_choice *choice = il_in_use(part)->choice;
    for (int64_t k = 0; k < part->row->n; k++) {
        way->qd[k] = keep ? part->qd[k] : 0.0;
        way->still[k] = 0.0;
    }
    for (int64_t k = 0; k < choice->driven_count; k++) {
        way->qd[choice->driven[k]] = way->still[choice->driven[k]] = part->qd[choice->driven[k]];
    }
}

uint64_t il_place_joint(il_loop *loop, const double *values)
{
    il_instance *instance = loop->instance;
    il_part *part = il_present(instance);
    const double coordinate = values[0], target = values[1];

    if (!loop->paused || loop->steps_left > 0) {
        return INLOOP_MUST_STAND;
    }
    if (!(coordinate >= 0.0 && coordinate < (double)loop->box.layout.coordinates)) {
        return INLOOP_NOT_FREE;
    }
    const int64_t joint = find_joint(part, (int64_t)coordinate);
    if (joint < 0) {
        return INLOOP_NOT_FREE;
    }
    il_apply_inputs(loop, il_simulated(loop));
    if (il_look_at(part, il_simulated(loop), instance->machine.x) != IL_OK) {
        return INLOOP_NO_WAY;
    }
    il_placing way = make_way(loop, part, joint);
    choose_velocities(&way, values[2] != 0.0);
    if (il_in_use(part)->choice->expand == NULL) {
        way.q[joint] = target;
        (void)close_at(&way, way.q, way.qd);
    } else if (lead(&way, target) != IL_OK) {
        (void)il_restore(instance, loop->good);
        return blame(loop, part, way.open);
    } else {
        il_pack(part, instance->machine.x);
    }
    /* events are re-armed */
    instance->machine.entered = 0;
    (void)il_machine_init(&instance->machine);
    for (int64_t k = 0; k < loop->touch_count; k++) {
        loop->touches[k] = (il_touch){.gap = loop->touches[k].gap};
    }
    return INLOOP_PLACED;
}
