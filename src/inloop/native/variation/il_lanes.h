/* Derivatives along IL_DIRECTIONS directions in parallel, in generated code.

   The vector extensions of gcc and clang; a plain number times a vector acts on all its lanes. */
#ifndef IL_LANES_H
#define IL_LANES_H

#ifndef IL_DIRECTIONS
#define IL_DIRECTIONS 8
#endif

typedef double il_lane __attribute__((vector_size(sizeof(double) * IL_DIRECTIONS)));

/* without vector extensions fail instead of silently using scalars */
typedef char il_lanes_are_vectors[sizeof(il_lane) == sizeof(double) * IL_DIRECTIONS ? 1 : -1];

/* one number for all directions */
#define IL_ALL_LANES(x) ((x) - (il_lane){0})

#endif
