/* Derivatives along IL_DIRECTIONS directions side by side, in generated code.

   The vector extensions of gcc and clang; a plain number times a vector acts on all its lanes. */
#ifndef IL_LANES_H
#define IL_LANES_H

#ifndef IL_DIRECTIONS
#define IL_DIRECTIONS 8
#endif

typedef double il_lane __attribute__((vector_size(sizeof(double) * IL_DIRECTIONS)));

/* a compiler without vectors must not take them for single numbers in silence */
typedef char il_lanes_are_vectors[sizeof(il_lane) == sizeof(double) * IL_DIRECTIONS ? 1 : -1];

/* one number for all directions */
#define IL_ALL_LANES(x) ((x) - (il_lane){0})

#endif
