/* Shapes that meet while a plant runs: their touches become contacts of its il_contact_table.
 *
 * A meeting has a fixed number of contacts, most of them open at a time. A touch that was there in the
 * step before keeps its contact, with the forces from which the solver starts: one of the same feature,
 * with about the same normal, that has not moved farther than the margin. What such a contact is comes
 * with its forces in the states, so that snapshots and replays hold it:
 *
 *   forces by row [N], residual, hit, margin less gap [m], point x y z [m], normal x y z, feature; 0 of
 *   contacts without a touch
 */
#ifndef IL_MEETING_H
#define IL_MEETING_H

#include "il_collision.h"

enum il_meeting_sizes {
    IL_POSE_SIZE = 12,         /* p and R of a pose */
    IL_TWIST_ROWS = 6,         /* rows of velocity and angular velocity */
    IL_LENGTHS = 2,            /* of rolling and drilling resistance */
    IL_MEETING_STATES = 8      /* of a contact, behind its residual and whether it was hit */
};

typedef struct il_meeting {
    il_shape a, b;
    double margin;  /* larger gaps are not looked at [m] */
    int64_t first;  /* number of its first contact */
    int64_t count;  /* of its contacts */
    int64_t rows;   /* of each: 1 without friction, else 3, and */
    int64_t rolling, spinning; /* among them, at the end: 2 that resist rolling, 1 drilling; else 0 */
} il_meeting;

/* How the frames of a meeting lie and move. */
typedef struct il_meeting_motion {
    const double *pose;  /* p_AB, R_AB row-major */
    const double *twist; /* velocity of the origin of B in A, angular velocity: by coordinate */
    int64_t n;           /* coordinates */
    const double *drift; /* what drives and moving constraints add to the twist */
    const double *lengths; /* of rolling and drilling resistance [m], if there are such rows */
} il_meeting_motion;

/* What is told of a meeting with n coordinates: pose, twist, drift, and lengths if it has any. */
int64_t il_meeting_numbers(const il_meeting *meeting, int64_t n);
il_meeting_motion il_meeting_told(const double *told, int64_t n);

/* The touch of a contact through a step, in which shapes are looked at several times. */
typedef struct il_touch_memory {
    double told[IL_MEETING_STATES]; /* where it was last, as in the states */
    int64_t present;                /* not 0: it was there when the shapes were last looked at */
    int64_t looked;                 /* of the first contact of a meeting: not 0, they were, */
    double pose[IL_POSE_SIZE];      /* and how they lay then; */
    double drift[2][IL_TWIST_ROWS]; /* what drives do to them as the step begins, as it ends */
    int64_t seed;                   /* 1 or 2: tangents are from axis x or y; 0: the normal says */
} il_touch_memory;

/* What is known of the contacts of a meeting. */
typedef struct il_meeting_contacts {
    double *gap;             /* of each; infinite where nothing touches */
    double *H;               /* rows of relative velocities */
    il_touch_memory *memory; /* of each */
} il_meeting_contacts;

/* What the contacts were at the end of the last step; `places`: where their states begin in x. */
void il_meeting_remember(const il_meeting *meeting, const double *x, const int64_t *places,
                         il_touch_memory *memory);

/* The same, and those with a touch are there. */
void il_meeting_recall(const il_meeting *meeting, const double *x, const int64_t *places,
                       il_touch_memory *memory);

/* The other way round, at the end of a step. */
void il_meeting_tell(const il_meeting *meeting, const il_touch_memory *memory,
                     const int64_t *places, double *x);

/* Let the tangents of a touch be from one axis until this is called again, whatever its normal does,
   and return the cosine and sine of the angle by which they have turned about it. */
void il_meeting_hold(il_touch_memory *memory, double turned[2]);

/* Find the touches: gaps and rows. If the shapes lie as when they were last looked at, gaps and rows
   are those that were written then. */
void il_meet(const il_meeting *meeting, const il_meeting_motion *motion,
             const il_meeting_contacts *contacts);

/* Rows of the touches that are there, where they were last found; 0 of other contacts. */
void il_meeting_rows(const il_meeting *meeting, const il_meeting_motion *motion,
                     const il_touch_memory *memory, double *H);

/* What `drift`, a part of the twist, adds to the relative velocities of touches as they were last found:
   `w` gets a number for each row. */
void il_meeting_drift(const il_meeting *meeting, const il_meeting_motion *motion,
                      const double *drift, const il_touch_memory *memory, double *w);

#endif
