/* A controller that knows nothing but the mailbox: damps all joints, measures round trips.
 *
 *     controller NAME STEPS GAIN
 *
 * Prints the number of answers, then the last coordinates.
 */
#include <inloop.h>

int main(int count, char **words)
{
    inloop_mailbox box;
    inloop_record record;
    if (count != 4) {
        return 2;
    }
    const int error = inloop_attach(&box, words[1]);
    if (error != INLOOP_OK) {
        fprintf(stderr, "%s\n", inloop_message(error));
        return 1;
    }
    const long steps = atol(words[2]);
    const double gain = atof(words[3]);
    double *outputs = calloc((size_t)inloop_count(&box, INLOOP_OUTPUTS), sizeof *outputs);
    double *inputs = calloc((size_t)inloop_count(&box, INLOOP_INPUTS), sizeof *inputs);
    const int64_t qd_shoulder = inloop_index(&box, "qd", "shoulder");
    const int64_t qd_elbow = inloop_index(&box, "qd", "elbow");
    const int64_t tau_shoulder = inloop_index(&box, "input", "shoulder.tau");
    const int64_t tau_elbow = inloop_index(&box, "input", "elbow.tau");
    if (qd_shoulder < 0 || qd_elbow < 0 || tau_shoulder < 0 || tau_elbow < 0) {
        return 3;
    }
    long answers = 0;
    while (answers < steps && inloop_wait(&box, 5.0, &record, outputs) == INLOOP_OK) {
        inputs[tau_shoulder] = -gain * outputs[qd_shoulder];
        inputs[tau_elbow] = -gain * outputs[qd_elbow];
        if (inloop_write(&box, inputs) != INLOOP_OK) {
            return 4;
        }
        answers++;
    }
    if (inloop_wait(&box, 5.0, &record, outputs) != INLOOP_OK) {
        return 5;
    }
    printf("%ld %.17g %.17g\n", answers, outputs[1], outputs[2]);
    inloop_detach(&box);
    free(outputs);
    free(inputs);
    return 0;
}
