/* Shapes that meet while a plant runs: their touches become contacts of its il_contact_table.
 *
 * A meeting has a fixed number of contacts, most of them open at a time. A touch that was there in the
 * step before keeps its contact, with the forces from which the solver starts: one of the same feature,
 * with about the same normal, that has not moved farther than the margin. What such a contact is comes
 * with its forces in the states, so that snapshots and replays hold it:
 *
 *   forces by row [N], residual, margin less gap [m], point x y z [m], normal x y z, feature; 0 of
 *   contacts without a touch
 */
#ifndef IL_MEETING_H
#define IL_MEETING_H

#include "il_collision.h"

enum il_meeting_sizes {
    IL_POSE_SIZE = 12,         /* p and R of a pose */
    IL_TWIST_ROWS = 6,         /* rows of velocity and angular velocity */
    IL_MEETING_STATES = 8      /* of a contact, behind its residual */
};

typedef struct il_meeting {
    il_shape a, b;
    double margin;  /* larger gaps are not looked at [m] */
    int64_t first;  /* number of its first contact */
    int64_t count;  /* of its contacts */
    int64_t rows;   /* of each: 1 without friction, else 3 */
} il_meeting;

/* How the frames of a meeting lie and move. */
typedef struct il_meeting_motion {
    const double *pose;  /* p_AB, R_AB row-major */
    const double *twist; /* velocity of the origin of B in A, angular velocity: by coordinate */
    int64_t n;           /* coordinates */
} il_meeting_motion;

/* What is known of the contacts of a meeting. */
typedef struct il_meeting_contacts {
    double *gap;           /* of each */
    double *H;             /* rows of relative velocities */
    double *x;             /* states of the plant, */
    const int64_t *places; /* and where those of each contact begin */
} il_meeting_contacts;

/* Find the touches: gaps and rows, and their part of the states; the forces of contacts that were not
   there before become 0. */
void il_meet(const il_meeting *meeting, const il_meeting_motion *motion,
             const il_meeting_contacts *contacts);

#endif
