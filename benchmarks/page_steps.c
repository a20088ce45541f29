/* Steps the piano natively as a page does: ROUNDS times one second at a pressed key. Prints the
   microseconds per record of each round; the records of the first one go to a file. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "il_plant.h"

const il_plant *piano_plant(void);

enum { RECORDS = 5000, SUBSTEPS = 2 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

int main(int count, char **words)
{
    const il_plant *plant = piano_plant();
    if (count != 4) {
        return 2;
    }
    const size_t size = (il_instance_size(plant, IL_IMPLICIT) + 63) / 64 * 64;
    void *memory = aligned_alloc(64, size);
    double *values = calloc((size_t)plant->output_count, sizeof *values);
    FILE *file = fopen(words[1], "wb");
    for (int round = 0; round < atoi(words[3]); round++) {
        il_instance *instance = il_initialize(memory, plant, IL_IMPLICIT, 1e-4);
        for (int64_t k = 0; k < plant->input_count; k++) {
            if (strcmp(plant->inputs[k].name, "finger") == 0) {
                il_set_input(instance, k, atof(words[2]));
            }
        }
        const double begin = now();
        for (int k = 0; k < RECORDS; k++) {
            for (int s = 0; s < SUBSTEPS; s++) {
                if (il_advance(instance) != IL_OK) {
                    return 1;
                }
            }
            (void)il_outputs(instance, values);
            if (round == 0) {
                fwrite(values, sizeof *values, (size_t)plant->output_count, file);
            }
        }
        if (round > 0) { /* the first one writes */
            printf("%.6f\n", (now() - begin) / RECORDS);
        }
    }
    fclose(file);
    return 0;
}
