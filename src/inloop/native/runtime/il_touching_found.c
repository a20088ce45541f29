/* Touches that are found, from event to event: which is which, and how far shapes may move in a step.
 *
 * Shapes are looked at along steps that may not count, ahead of them and beside. What a touch is
 * follows each time from where the last step that counts has ended, and so do its tangents: nothing
 * depends on what was tried meanwhile. A step is so short that no touch can be taken for another
 * one, and that no shape gets through another unseen; see il_touching.h.
 */
#include "il_touching.h"

#include <math.h>
#include <string.h>

#include "il_vector3.h"

/* how far shapes may move in a step, in parts of how far they see */
static const double stride = 0.5;

/* what steps may leave of gaps that are closed, in characteristic lengths */
static const double loose = 1e-7;

int64_t il_touching_found_size(const il_contact_table *table)
{
    const int64_t numbers = (int64_t)(sizeof(il_touch_memory) / sizeof(double));
    return table->meeting_count > 0 ? table->count * numbers : 0;
}

void il_touching_recall(const il_touching *touching)
{
    const il_contact_table *table = &touching->table;
    const size_t size = (size_t)il_touching_found_size(table) * sizeof(double);

    if (size > 0) {
        memcpy(touching->p.memory, touching->anchor, size);
    }
}

/* Two numbers along tangents that have turned. */
static void turn(const double turned[2], double *pair)
{
    const double first = pair[0];
    pair[0] = turned[0] * first - turned[1] * pair[1];
    pair[1] = turned[1] * first + turned[0] * pair[1];
}

/* What is known by tangents of a contact, in other ones. */
static void turn_contact(il_touching *touching, int64_t i, const double turned[2])
{
    double *const rows[] = {touching->force, touching->found, touching->u, touching->p.given};
    il_disc discs[IL_DISCS];

    il_touching_discs(touching, i, discs);
    for (int j = 0; j < IL_DISCS; j++) {
        for (size_t k = 0; discs[j].size == 2 && k < sizeof rows / sizeof rows[0]; k++) {
            turn(turned, rows[k] + discs[j].row);
        }
        if (discs[j].size == 2) {
            turn(turned, touching->direction + 2 * (IL_DISCS * i + j));
        }
    }
}

void il_touching_anchor(il_touching *touching)
{
    const il_contact_table *table = &touching->table;

    for (int64_t k = 0; k < table->meeting_count; k++) {
        const il_meeting *meeting = table->meetings + k;
        for (int64_t i = meeting->first; i < meeting->first + meeting->count; i++) {
            il_touch_memory *memory = touching->p.memory + i, *anchor = touching->anchor + i;
            *anchor = *memory;
            anchor->looked = 0;
            if (!memory->present) {
                memset(anchor->told, 0, sizeof anchor->told);
                anchor->seed = 0;
                continue;
            }
            const int64_t seed = memory->seed;
            double turned[2];
            il_meeting_hold(anchor, turned);
            if (seed && seed != anchor->seed) {
                turn_contact(touching, i, turned);
            }
        }
    }
}

/* Radius of a ball about a shape, at least. */
static double ball(const il_shape *shape)
{
    return shape->radius + shape->half + shape->tube;
}

/* How far shapes are apart at least, as they lie at a pose; of ground that is not known. */
static double apart(const il_meeting *meeting, const double *pose)
{
    const il_shape *a = &meeting->a, *b = &meeting->b;
    double outside[3];

    switch (a->kind) {
    case IL_GROUND:
        return 0.0;
    case IL_PLANE:
        return il_dot3(a->axis, pose) - ball(b);
    case IL_BOX:
        for (int k = 0; k < 3; k++) {
            outside[k] = fmax(0.0, fabs(pose[k]) - a->edges[k]);
        }
        return sqrt(il_dot3(outside, outside)) - ball(b);
    default:
        return sqrt(il_dot3(pose, pose)) - ball(a) - ball(b);
    }
}

/* How far shapes see each other: up to the margin, or until they may meet; and where they have but one
   touch, which is there, it cannot be taken for another one. */
static double sight(const il_meeting *meeting, const il_touch_memory *anchor)
{
    const int alone = meeting->count == 1 && anchor->present;
    return fmax(alone ? ball(&meeting->b) : meeting->margin, apart(meeting, anchor->pose));
}

double il_touching_stride(const il_touching *touching)
{
    const il_contact_table *table = &touching->table;
    double most = 0.0;

    for (int64_t k = 0; k < table->meeting_count; k++) {
        const il_meeting *meeting = table->meetings + k;
        const il_touch_memory *anchor = touching->anchor + meeting->first;
        const double *from = anchor->pose;
        const double *to = touching->p.memory[meeting->first].pose;
        double way[3], turns = 0.0;
        il_sub3(to, from, way);
        for (int j = 3; j < IL_POSE_SIZE; j++) {
            turns += (to[j] - from[j]) * (to[j] - from[j]);
        }
        const double moved = sqrt(il_dot3(way, way)) + ball(&meeting->b) * sqrt(turns);
        most = fmax(most, moved / (stride * sight(meeting, anchor)));
    }
    return most;
}

int il_touching_holds(const il_touching *touching)
{
    const il_contact_table *table = &touching->table;

    for (int64_t k = 0; k < table->meeting_count; k++) {
        const il_meeting *meeting = table->meetings + k;
        for (int64_t i = meeting->first; i < meeting->first + meeting->count; i++) {
            const double moved = fabs(touching->p.gap[i] - touching->gap_begun[i]);
            const int there = touching->p.gap[i] < INFINITY;
            if (touching->modes[i] != IL_OPEN_CONTACT && there && moved > loose * touching->size) {
                return 0;
            }
        }
    }
    return 1;
}
