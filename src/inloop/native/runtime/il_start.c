/* Start of a run whose loops have to be closed first; see il_start.h.
 *
 * Newton's method finds the nearest closed position, which is the right one only nearby. Distant
 * positions are reached in parts, each so short that no pivot changes its sign, which would change
 * the assembly mode of the loops.
 */
#include "il_start.h"

#include <math.h>
#include <string.h>

#define LEAST_PART (1.0 / 4096.0) /* of the path */
#define CLOSE 1e-6 /* difference between two positions that should be equal, in units */

/* A path from a known start to the requested one. */
typedef struct il_way {
    il_instance *instance;
    il_part *part;
    const il_start *known, *wanted;
    double *parameters, *inputs, *q, *qd, *z; /* on the path */
    double *found;                            /* closed q at the end of the last part */
    double *before, *pivots;                  /* reciprocal pivots there, and at a trial */
} il_way;

int64_t il_start_room(const il_instance *instance, int64_t mode)
{
    const il_mode_row *row = instance->parts[mode].row;
    return instance->plant->parameter_count + instance->plant->input_count +
           2 * il_positions(row) + row->n + row->states + 2 * row->rows;
}

static il_way make_way(il_instance *instance, int64_t mode, double *scratch)
{
    il_part *part = &instance->parts[mode];
    il_way way = {.instance = instance, .part = part, .parameters = scratch};
    way.inputs = way.parameters + instance->plant->parameter_count;
    way.q = way.inputs + instance->plant->input_count;
    way.qd = way.q + il_positions(part->row);
    way.z = way.qd + part->row->n;
    way.found = way.z + part->row->states;
    way.before = way.found + il_positions(part->row);
    way.pivots = way.before + part->row->rows;
    return way;
}

/* known + s (wanted - known); exact at both ends */
static void blend(const double *known, const double *wanted, double s, int64_t count, double *to)
{
    for (int64_t k = 0; k < count; k++) {
        const double whole = wanted ? wanted[k] : known[k];
        to[k] = s == 1.0 ? whole : known[k] + s * (whole - known[k]);
    }
}

static void set_quantities(il_way *way, double s)
{
    const il_plant *plant = way->instance->plant;
    if (way->wanted->parameters) {
        blend(way->known->parameters, way->wanted->parameters, s, plant->parameter_count,
              way->parameters);
        il_begin_with(way->instance, way->parameters);
    }
    if (way->wanted->inputs) {
        blend(way->known->inputs, way->wanted->inputs, s, plant->input_count, way->inputs);
        il_set_inputs(way->instance, way->inputs);
    }
}

/* An attitude that the loops constrain continues from the last closed position. */
static void follow_attitude(const il_way *way, int64_t coordinate)
{
    const il_mode_row *row = way->part->row;
    for (int64_t k = 0; k < row->attitudes; k++) {
        const int64_t at = row->n + IL_QUATERNION * k;
        if (coordinate >= row->turned[k] && coordinate < row->turned[k] + 3) {
            il_copy(way->q + at, way->found + at, IL_QUATERNION);
        }
    }
}

/* Close the loops at a point of the path, starting from the last closed position. */
static int close_at(il_way *way, double s, double *pivots)
{
    il_part *part = way->part;
    const il_mode_row *row = part->row;
    const il_choice *choice = il_in_use(part)->choice;
    double *x = way->instance->machine.x;
    set_quantities(way, s);
    blend(way->known->q, way->wanted->q, s, il_positions(row), way->q);
    blend(way->known->qd, way->wanted->qd, s, row->n, way->qd);
    blend(way->known->z, way->wanted->z, s, row->states, way->z);
    for (int64_t k = 0; k < choice->dependent_count; k++) {
        way->q[choice->dependent[k]] = way->found[choice->dependent[k]];
        follow_attitude(way, choice->dependent[k]);
    }
    il_put(part, 0.0, way->q, way->qd, way->z, x);
    if (il_look_at(part, 0.0, x) != IL_OK) {
        return IL_LOOP_OPEN;
    }
    (void)il_find_pivots(part, 0.0, pivots);
    return IL_OK;
}

static int lead(il_way *way)
{
    il_part *part = way->part;
    const int64_t count = il_in_use(part)->choice->dependent_count;
    const size_t bytes = (size_t)il_positions(part->row) * sizeof *way->found;
    memcpy(way->found, way->known->q, bytes);
    int status = close_at(way, 0.0, way->before);
    double done = 0.0, next = 1.0;
    while (status == IL_OK && done < 1.0) {
        const double s = done + next < 1.0 ? done + next : 1.0;
        if (close_at(way, s, way->pivots) == IL_OK &&
            il_same_side(way->before, way->pivots, count)) {
            memcpy(way->found, part->q, bytes);
            memcpy(way->before, way->pivots, (size_t)count * sizeof *way->before);
            done = s;
            next *= 2.0;
        } else {
            next *= 0.5;
            status = next < LEAST_PART ? IL_LOOP_OPEN : IL_OK;
        }
    }
    /* once more from there: to rounding */
    return status == IL_OK ? close_at(way, 1.0, way->pivots) : status;
}

/* Everything was given: it may only be off by rounding. */
static int close_nearby(il_way *way, int64_t kind)
{
    const il_part *part = way->part;
    memcpy(way->found, way->wanted->q, (size_t)il_positions(part->row) * sizeof *way->found);
    int status = close_at(way, 1.0, way->pivots);
    for (int64_t k = 0; status == IL_OK && k < part->row->n; k++) {
        const double unit = CLOSE * part->row->units[k];
        int close = fabs(part->q[k] - way->wanted->q[k]) <= unit;
        if (kind == IL_START_WHOLE) {
            close = close && fabs(part->qd[k] - way->wanted->qd[k]) <=
                                 unit + CLOSE * fabs(way->wanted->qd[k]);
        }
        status = close ? IL_OK : IL_LOOP_OPEN;
    }
    return status;
}

int il_begin_from(il_instance *instance, int64_t mode, int64_t kind, const il_start *known,
                  const il_start *wanted, double *scratch)
{
    il_way way = make_way(instance, mode, scratch);
    const il_mode_row *row = way.part->row;
    way.known = known;
    way.wanted = wanted;
    if (wanted->parameters && !il_within_bounds(instance->plant, wanted->parameters)) {
        return IL_OUT_OF_BOUNDS;
    }
    if (kind == IL_START_CLOSED) {
        set_quantities(&way, 1.0);
        blend(known->q, wanted->q, 1.0, il_positions(row), way.q);
        blend(known->qd, wanted->qd, 1.0, row->n, way.qd);
        blend(known->z, wanted->z, 1.0, row->states, way.z);
        return il_restart(instance, mode, way.q, way.qd, way.z);
    }
    il_select(instance, mode, 0);
    const int status = kind == IL_START_LED ? lead(&way) : close_nearby(&way, kind);
    if (status != IL_OK) {
        return status;
    }
    memcpy(way.q, way.part->q, (size_t)il_positions(row) * sizeof *way.q);
    memcpy(way.qd, way.part->qd, (size_t)row->n * sizeof *way.qd);
    return il_restart(instance, mode, way.q, way.qd, way.z);
}
