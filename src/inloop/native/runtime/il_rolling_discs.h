/* Discs of a contact that resists rolling (il_rolling.h). Not for users. */
#ifndef IL_ROLLING_DISCS_H
#define IL_ROLLING_DISCS_H

#include "il_rolling.h"

/* Rows whose impulses the normal impulse bounds: |r_j| <= limit r_n. */
typedef struct il_disc {
    int64_t row, size; /* of the problem; 0 to 2 of them */
    double limit;
} il_disc;

/* Tangents, rolling and drilling of contact i. */
void il_discs_of(const il_contact_parts *parts, int64_t i, il_disc *discs);

/* The length of what r has in the rows of a disc. */
double il_disc_length(const il_disc *disc, const double *r);

#endif
