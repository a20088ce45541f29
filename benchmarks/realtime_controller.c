/* A controller that damps every joint: realtime_controller NAME GAIN, until the plant ends. */
#include <inloop.h>

int main(int count, char **words)
{
    inloop_mailbox box;
    if (count != 3 || inloop_attach(&box, words[1]) != INLOOP_OK) {
        return 1;
    }
    const double gain = atof(words[2]);
    const uint32_t n = box.layout.coordinates;
    double *outputs = calloc((size_t)inloop_count(&box, INLOOP_OUTPUTS), sizeof *outputs);
    double *inputs = calloc((size_t)inloop_count(&box, INLOOP_INPUTS), sizeof *inputs);
    for (;;) {
        const int error = inloop_wait(&box, 1.0, NULL, outputs);
        if (error == INLOOP_GONE) {
            break;
        }
        for (uint32_t k = 0; error == INLOOP_OK && k < n; k++) {
            /* t, q, qd; efforts are the first inputs */
            inputs[k] = -gain * outputs[1 + n + k];
        }
        if (error == INLOOP_OK && inloop_write(&box, inputs) != INLOOP_OK) {
            return 2;
        }
    }
    inloop_detach(&box);
    return 0;
}
