/* Touches as contacts; see il_meeting.h. */
#include "il_meeting.h"

#include <string.h>

#include "il_vector3.h"

/* normals of one contact in two steps are closer than this cosine */
static const double alike = 0.9;

/* a normal with less than this along x has a tangent from that axis */
static const double steep = 0.7;

/* states of a contact behind its residual and whether it was hit */
enum { NEARNESS, POINT, NORMAL = POINT + 3, FEATURE = NORMAL + 3 };

int64_t il_meeting_numbers(const il_meeting *meeting, int64_t n)
{
    const int64_t lengths = meeting->rolling + meeting->spinning > 0 ? IL_LENGTHS : 0;
    return IL_POSE_SIZE + IL_TWIST_ROWS * (n + 1) + lengths;
}

il_meeting_motion il_meeting_told(const double *told, int64_t n)
{
    const double *drift = told + IL_POSE_SIZE + IL_TWIST_ROWS * n;
    return (il_meeting_motion){told, told + IL_POSE_SIZE, n, drift, drift + IL_TWIST_ROWS};
}

/* Those with the least gaps first. */
static void sort(il_spots *spots)
{
    for (int64_t k = 1; k < spots->count; k++) {
        const il_spot moved = spots->list[k];
        int64_t at = k;
        for (; at > 0 && spots->list[at - 1].gap > moved.gap; at--) {
            spots->list[at] = spots->list[at - 1];
        }
        spots->list[at] = moved;
    }
}

void il_meeting_remember(const il_meeting *meeting, const double *x, const int64_t *places,
                         il_touch_memory *memory)
{
    for (int64_t k = 0; k < meeting->count; k++) {
        const double *states = x + places[k] + meeting->rows + 2;
        memcpy(memory[k].told, states, sizeof memory[k].told);
        memory[k].present = memory[k].looked = memory[k].seed = 0;
    }
}

void il_meeting_recall(const il_meeting *meeting, const double *x, const int64_t *places,
                       il_touch_memory *memory)
{
    il_meeting_remember(meeting, x, places, memory);
    for (int64_t k = 0; k < meeting->count; k++) {
        memory[k].present = memory[k].told[FEATURE] > 0.0;
    }
}

void il_meeting_tell(const il_meeting *meeting, const il_touch_memory *memory,
                     const int64_t *places, double *x)
{
    for (int64_t k = 0; k < meeting->count; k++) {
        double *states = x + places[k] + meeting->rows + 2;
        memcpy(states, memory[k].told, sizeof memory[k].told);
        if (!memory[k].present) {
            memset(states, 0, sizeof memory[k].told);
        }
    }
}

/* The contact that was this touch before; -1: none. */
static int64_t same_as(const il_meeting *meeting, const il_touch_memory *memory,
                       const il_spot *spot, const int *taken)
{
    double nearest = meeting->margin * meeting->margin;
    int64_t found = -1;

    for (int64_t k = 0; k < meeting->count; k++) {
        const double *was = memory[k].told;
        double moved[3];
        if (taken[k] || (int64_t)was[FEATURE] != spot->feature ||
            il_dot3(was + NORMAL, spot->normal) < alike) {
            continue;
        }
        il_sub3(spot->point, was + POINT, moved);
        const double square = il_dot3(moved, moved);
        if (square < nearest) {
            nearest = square;
            found = k;
        }
    }
    return found;
}

/* A contact for a new touch: one that was nothing in this step, or else one that is no more. */
static int64_t free_slot(const il_meeting *meeting, const il_touch_memory *memory, const int *taken)
{
    int64_t found = -1;

    for (int64_t k = 0; k < meeting->count; k++) {
        if (!taken[k] && (found < 0 || memory[found].told[FEATURE] > 0.0)) {
            found = memory[k].told[FEATURE] > 0.0 && found >= 0 ? found : k;
        }
    }
    return found;
}

/* Which contact each touch becomes; there are as many contacts as touches at least. */
static void assign(const il_meeting *meeting, const il_touch_memory *memory, const il_spots *spots,
                   int64_t *slots)
{
    int taken[IL_SPOTS_MOST] = {0};

    for (int64_t k = 0; k < spots->count; k++) {
        slots[k] = same_as(meeting, memory, spots->list + k, taken);
        if (slots[k] >= 0) {
            taken[slots[k]] = 1;
        }
    }
    for (int64_t k = 0; k < spots->count; k++) {
        if (slots[k] < 0) {
            slots[k] = free_slot(meeting, memory, taken);
            taken[slots[k]] = 1;
        }
    }
}

/* One row: the velocity of B at the point along a direction, against A. */
static void write_row(const il_meeting_motion *motion, const double *arm, const double *direction,
                      double *row)
{
    const int64_t n = motion->n;
    const double *twist = motion->twist;
    double moment[3];

    il_cross3(arm, direction, moment);
    for (int64_t j = 0; j < n; j++) {
        row[j] = direction[0] * twist[j] + direction[1] * twist[n + j] +
                 direction[2] * twist[2 * n + j] + moment[0] * twist[3 * n + j] +
                 moment[1] * twist[4 * n + j] + moment[2] * twist[5 * n + j];
    }
}

/* The axis that tangents are from, beginning with 1. */
static int64_t seed_of(const double *n)
{
    return fabs(n[0]) < steep ? 1 : 2;
}

/* Normal and tangents of a touch. */
static void write_axes(const il_touch_memory *memory, double axes[3][3])
{
    const double *n = memory->told + NORMAL;
    double *const tangent = axes[1];

    memcpy(axes[0], n, sizeof axes[0]);
    memset(tangent, 0, sizeof axes[1]);
    tangent[(memory->seed ? memory->seed : seed_of(n)) - 1] = 1.0;
    il_along3(tangent, -il_dot3(tangent, n), n, tangent);
    il_unit3(tangent);
    il_cross3(tangent, n, axes[2]);
}

/* One row: the angular velocity about an axis, times a length. */
static void write_turn(const il_meeting_motion *motion, const double *axis, double length,
                       double *row)
{
    const int64_t n = motion->n;
    const double *turn = motion->twist + 3 * n;

    for (int64_t j = 0; j < n; j++) {
        row[j] = length * (axis[0] * turn[j] + axis[1] * turn[n + j] + axis[2] * turn[2 * n + j]);
    }
}

/* Rows of normal and tangents of a contact. */
static int64_t cone_rows(const il_meeting *meeting)
{
    return meeting->rows - meeting->rolling - meeting->spinning;
}

/* The axis of a row of rolling, then of drilling: a tangent, or the normal. */
static int64_t turning_axis(const il_meeting *meeting, int64_t turning)
{
    return turning < meeting->rolling ? 1 + turning : 0;
}

/* Rows of a contact where its touch was told to be. */
static void write_rows(const il_meeting *meeting, const il_meeting_motion *motion,
                       const il_touch_memory *memory, double *H)
{
    const int64_t cone = cone_rows(meeting);
    double arm[3], axes[3][3];

    il_sub3(memory->told + POINT, motion->pose, arm);
    write_axes(memory, axes);
    for (int64_t k = 0; k < cone; k++) {
        write_row(motion, arm, axes[k], H + k * motion->n);
    }
    for (int64_t k = cone; k < meeting->rows; k++) {
        const int64_t axis = turning_axis(meeting, k - cone);
        write_turn(motion, axes[axis], motion->lengths[axis == 0], H + k * motion->n);
    }
}

/* Gap, rows and states of a contact. */
static void write_contact(const il_meeting *meeting, const il_meeting_motion *motion,
                          const il_meeting_contacts *contacts, const il_spot *spot, int64_t slot)
{
    il_touch_memory *memory = contacts->memory + slot;
    double *states = memory->told;

    contacts->gap[slot] = spot->gap;
    states[NEARNESS] = meeting->margin - spot->gap;
    memcpy(states + POINT, spot->point, sizeof spot->point);
    memcpy(states + NORMAL, spot->normal, sizeof spot->normal);
    states[FEATURE] = (double)spot->feature;
    write_rows(meeting, motion, memory, contacts->H + slot * meeting->rows * motion->n);
}

void il_meeting_rows(const il_meeting *meeting, const il_meeting_motion *motion,
                     const il_touch_memory *memory, double *H)
{
    for (int64_t k = 0; k < meeting->count; k++, H += meeting->rows * motion->n) {
        if (memory[k].present) {
            write_rows(meeting, motion, memory + k, H);
        } else {
            memset(H, 0, (size_t)(meeting->rows * motion->n) * sizeof *H);
        }
    }
}

void il_meeting_hold(il_touch_memory *memory, double turned[2])
{
    double before[3][3], after[3][3];

    write_axes(memory, before);
    memory->seed = seed_of(memory->told + NORMAL);
    write_axes(memory, after);
    turned[0] = il_dot3(before[1], after[1]);
    turned[1] = il_dot3(before[1], after[2]);
}

void il_meeting_drift(const il_meeting *meeting, const il_meeting_motion *motion,
                      const double *drift, const il_touch_memory *memory, double *w)
{
    const int64_t cone = cone_rows(meeting);

    for (int64_t k = 0; k < meeting->count; k++) {
        double axes[3][3], arm[3], moment[3];
        il_sub3(memory[k].told + POINT, motion->pose, arm);
        write_axes(memory + k, axes);
        for (int64_t row = 0; row < cone; row++, w++) {
            il_cross3(arm, axes[row], moment);
            *w = memory[k].present ? il_dot3(axes[row], drift) + il_dot3(moment, drift + 3) : 0.0;
        }
        for (int64_t row = cone; row < meeting->rows; row++, w++) {
            const int64_t axis = turning_axis(meeting, row - cone);
            const double turn = motion->lengths[axis == 0] * il_dot3(axes[axis], drift + 3);
            *w = memory[k].present ? turn : 0.0;
        }
    }
}

void il_meet(const il_meeting *meeting, const il_meeting_motion *motion,
             const il_meeting_contacts *contacts)
{
    il_spots spots;
    il_pose pose;
    int64_t slots[IL_SPOTS_MOST];
    il_touch_memory *memory = contacts->memory;

    if (memory->looked && memcmp(memory->pose, motion->pose, sizeof memory->pose) == 0) {
        return;
    }
    memory->looked = 1;
    memcpy(memory->pose, motion->pose, sizeof memory->pose);
    memcpy(pose.p, motion->pose, sizeof pose.p);
    memcpy(pose.R, motion->pose + 3, sizeof pose.R);
    il_collide(&meeting->a, &meeting->b, &pose, meeting->margin, &spots);
    sort(&spots);
    spots.count = spots.count < meeting->count ? spots.count : meeting->count;
    assign(meeting, memory, &spots, slots);
    for (int64_t k = 0; k < meeting->count; k++) {
        memory[k].present = 0;
    }
    for (int64_t k = 0; k < spots.count; k++) {
        write_contact(meeting, motion, contacts, spots.list + k, slots[k]);
        memory[slots[k]].present = 1;
    }
    for (int64_t k = 0; k < meeting->count; k++) {
        if (!memory[k].present) {
            contacts->gap[k] = INFINITY;
            memset(contacts->H + k * meeting->rows * motion->n, 0,
                   (size_t)(meeting->rows * motion->n) * sizeof *contacts->H);
        }
    }
}
