/* Appended to il_loop.c: periods of the loop one by one, each with its own time.
 *
 * count rows of `inputs` are written to the mailbox, each before the period that uses it, as a
 * controller would; then the thread sleeps for `sleep` nanoseconds, if that is not 0.
 * each: shortest time of each period so far [ns], kept if it is shorter already.
 * Returns how many periods failed; x is where the state ends.
 */
IL_EXPORT int64_t bench_periods(il_loop *loop, int64_t count, const double *inputs, int64_t sleep,
                                double *each);

int64_t bench_periods(il_loop *loop, int64_t count, const double *inputs, int64_t sleep,
                      double *each)
{
    const inloop_record about = {0};
    const struct timespec pause = {0, sleep};
    int64_t failed = 0;

    cut_scratch(loop);
    loop->clock = &il_system_clock;
    il_take_parameters(loop);
    il_start_state(loop);
    il_publish_outputs(loop, INLOOP_SET);
    for (int64_t k = 0; k < count; k++) {
        inloop_publish(&loop->box, INLOOP_INPUTS, &about, inputs + k * loop->box.layout.inputs);
        if (sleep > 0) {
            nanosleep(&pause, NULL);
        }
        const int64_t begin = inloop_now();
        il_take_parameters(loop);
        il_take_snapshot(loop->instance, loop->good);
        loop->taken = begin;
        il_take_inputs(loop);
        il_one_period(loop, 0);
        const double time = (double)(inloop_now() - begin);
        each[k] = time < each[k] ? time : each[k];
        failed += loop->status != IL_OK;
    }
    return failed;
}

/* The same times of a computation that never changes: `length` dependent multiplications. */
IL_EXPORT double bench_constant(int64_t count, int64_t length, int64_t sleep, double *each);

double bench_constant(int64_t count, int64_t length, int64_t sleep, double *each)
{
    const struct timespec pause = {0, sleep};
    volatile double product = 1.0; /* so that it stays between the two times */

    for (int64_t k = 0; k < count; k++) {
        if (sleep > 0) {
            nanosleep(&pause, NULL);
        }
        const int64_t begin = inloop_now();
        for (int64_t j = 0; j < length; j++) {
            product = product * 0.999999999 + 1e-9;
        }
        const double time = (double)(inloop_now() - begin);
        each[k] = time < each[k] ? time : each[k];
    }
    return product;
}
