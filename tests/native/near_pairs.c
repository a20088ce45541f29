/* Pairs of boxes that may touch, as a pile finds them (il_pile_near.c). */
#include "il_pile_parts.h"

IL_EXPORT int64_t near_pairs(int64_t count, const double *bounds, const int64_t *endless,
                             void *memory, int64_t *pairs);

/* Bytes of memory that `near_pairs` needs. */
IL_EXPORT int64_t near_memory(int64_t count)
{
    const size_t each = sizeof(il_pile_member) + sizeof(il_shape) + sizeof(int64_t);
    return (int64_t)((size_t)count * each) + 8 * il_pile_near_integers(count);
}

/* bounds: low and high corner of each member; endless: not 0, it is a plane. Returns how many. */
int64_t near_pairs(int64_t count, const double *bounds, const int64_t *endless, void *memory,
                   int64_t *pairs)
{
    il_pile_member *members = memory;
    il_shape *shapes = (il_shape *)(members + count);
    int64_t *trees = (int64_t *)(shapes + count), found = 0;
    const il_pile pile = {.shapes = shapes, .trees = trees, .member_count = count};
    const il_pile_parts parts = {.members = members, .near = trees + count};

    for (int64_t i = 0; i < count; i++) {
        trees[i] = endless[i] ? -1 : i;
        shapes[i] = (il_shape){.kind = endless[i] ? IL_PLANE : IL_BOX};
        members[i] = (il_pile_member){0};
        for (int k = 0; k < 3; k++) {
            members[i].low[k] = bounds[6 * i + k];
            members[i].high[k] = bounds[6 * i + 3 + k];
        }
    }
    il_pile_sort(&pile, &parts);
    for (int64_t i = 0; i < count; i++) {
        const int64_t *near, near_count = il_pile_near(&pile, &parts, i, &near);
        for (int64_t k = 0; k < near_count; k++, found++) {
            pairs[2 * found] = i;
            pairs[2 * found + 1] = near[k];
        }
    }
    return found;
}
