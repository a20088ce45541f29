/* Arena allocator in caller-provided memory; without a base it only measures. */
#ifndef IL_ARENA_H
#define IL_ARENA_H

#include <stddef.h>
#include <stdint.h>

typedef struct il_arena {
    unsigned char *base; /* NULL: only measure */
    size_t used;
} il_arena;

/* A block aligned and padded to a multiple of a number of bytes; NULL while measuring. */
static inline void *il_take(il_arena *from, int64_t count, size_t size, size_t alignment)
{
    const size_t begin = (from->used + alignment - 1) / alignment * alignment;
    const size_t bytes = (size_t)(count > 0 ? count : 1) * size;
    from->used = begin + (bytes + alignment - 1) / alignment * alignment;
    return from->base ? from->base + begin : NULL;
}

#endif
