/* A run with adaptive steps; see il_run.h. */
#include "il_sampling.h"

#include <float.h>
#include <math.h>

#include "il_control.h"

static const double LEAST_ERROR = 1e-4; /* smaller errors do not affect the next step */
static const double CAREFUL = 1e-6;     /* fraction of the run for an uninformed first step */
static const double RETREAT = 0.25;     /* factor of h after a step that failed */
static const double CAUTION = 0.25;     /* factor of h after an event: the next mode is unknown */

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Lower limit of h: the clock must advance. */
static double smallest_step(const il_run *run)
{
    const double rounding = 10.0 * DBL_EPSILON * fabs(run->machine->t);
    return larger(run->h_min, larger(rounding, 1e-30 * (run->t_end - run->t0)));
}

static double norm(const il_run *run, const double *v, const double *y)
{
    const il_machine *machine = run->machine;
    const double *rtol = run->rtol + machine->mode * machine->largest;
    return il_error_norm(machine->stepper.size, v, machine->x, y, rtol, machine->stepper.atol);
}

/* Norm of the second derivative by an Euler step of length h0; -1 if it cannot be computed. */
static double curvature(il_run *run, double h0)
{
    il_stepper *stepper = &run->machine->stepper;
    const double *x = run->machine->x;
    double *xd = stepper->slope_new;

    il_move_by(stepper->size, stepper->x_new, x, h0, stepper->slope);
    if (il_evaluate(stepper, run->machine->t + h0, stepper->x_new, xd) != IL_OK) {
        return -1.0;
    }
    il_move_by(stepper->size, xd, xd, -1.0, stepper->slope);
    const double found = norm(run, xd, x) / h0;
    return il_all_finite(&found, 1) ? found : -1.0;
}

/* Hairer, Norsett & Wanner I, II.4: from the norms of x, its first and second derivative; here with
   time relative to the run, so that no unit of time is special. */
static double guess_step(il_run *run)
{
    const il_stepper *stepper = &run->machine->stepper;
    const double *x = run->machine->x;
    const double longest = smaller(run->h_max, run->t_end - run->machine->t);
    const double d0 = norm(run, x, x);
    const double d1 = norm(run, stepper->slope, x);
    const double T = run->t_end - run->t0;
    const int unknown = d0 < 1e-5 || d1 * T < 1e-5;
    const double h0 = smaller(unknown ? CAREFUL * T : 0.01 * d0 / d1, longest);
    const double d2 = curvature(run, h0);
    if (d2 < 0.0) {
        return h0 * RETREAT;
    }
    const double d = larger(d1 * T, d2 * T * T);
    const double h1 = d <= 1e-15 ? larger(CAREFUL * T, h0 * 1e-3)
                                 : T * pow(0.01 / d, 1.0 / stepper->method->error_power);
    return smaller(smaller(100.0 * h0, h1), longest);
}

static int choose_first_step(il_run *run)
{
    il_stepper *stepper = &run->machine->stepper;
    const il_span span = {run->machine->t, 0.0, run->machine->t, run->machine->x};

    il_put_aside(stepper);
    const int status = il_first_slope(stepper, &span);
    if (status == IL_OK && il_all_finite(stepper->slope, stepper->size)) {
        run->h = guess_step(run);
    } else if (status == IL_OK) {
        stepper->slope_known = 0;
    }
    il_take_back(stepper);
    if (status != IL_OK) {
        return status;
    }
    return run->h > 0.0 ? IL_OK : IL_DIVERGED;
}

/* The step to try: h, or the remaining time if that is about as long. */
static il_span span_of(const il_run *run, double h)
{
    const il_machine *machine = run->machine;
    const double rest = run->t_end - machine->t;
    if (rest <= 1.01 * h) {
        return (il_span){machine->t, rest, run->t_end, machine->x};
    }
    return (il_span){machine->t, h, machine->t + h, machine->x};
}

/* The error of a step relative to the tolerance, and its first event; a status if it is bad. */
static int judge(il_run *run, il_leg *leg, double *error)
{
    il_stepper *stepper = &run->machine->stepper;
    int status = il_try(stepper, &leg->span);
    if (status != IL_OK) {
        return status;
    }
    *error = norm(run, stepper->error, stepper->x_new);
    if (!il_all_finite(error, 1)) {
        return IL_DIVERGED;
    }
    return *error <= 1.0 ? il_find_event(run->machine, leg) : IL_OK;
}

/* Length of the next step. */
static void choose_next_step(il_run *run, const il_leg *leg, double error, int again)
{
    const double before = run->error_before > 0.0 ? run->error_before : LEAST_ERROR;
    const double h = leg->span.h;

    run->error_before = larger(error, LEAST_ERROR);
    if (leg->transition >= 0) {
        run->h = CAUTION * h;
        return;
    }
    const int power = run->machine->stepper.method->error_power;
    const double proposed = il_step_after_success(h, error, before, power);
    /* no growth after a rejection; a step cut short by the end says nothing about the next */
    const double wanted = again ? smaller(proposed, h) : proposed;
    run->h = leg->span.t_new == run->t_end && !again ? larger(wanted, run->h) : wanted;
}

static int finish(il_run *run, il_leg *leg, double error, int again)
{
    il_machine *machine = run->machine;
    const int64_t samples = run->samples;
    const int64_t next_sample = run->next_sample;

    int status = il_sample_inside(run, leg);
    if (status == IL_OK) {
        status = il_take_leg(machine, leg);
    }
    if (status != IL_OK) {
        run->samples = samples;
        run->next_sample = next_sample;
        return status;
    }
    il_finish_step(run);
    choose_next_step(run, leg, error, again);
    run->fraction = (machine->t - run->t0) / (run->t_end - run->t0);
    return IL_OK;
}

static int can_be_shorter(int status)
{
    return status == IL_DIVERGED || status == IL_LOOP_OPEN || status == IL_INDICATOR_LOST ||
           status == IL_OUT_OF_BOUNDS;
}

/* One successful step, after any number of rejected ones. */
static int try_until_good(il_run *run)
{
    il_stepper *stepper = &run->machine->stepper;
    int trouble = IL_STEP_TOO_SMALL;
    int again = 0;
    double h = smaller(run->h, run->h_max);

    for (; h >= smallest_step(run); again = 1) {
        double error = 0.0;
        il_leg leg;
        leg.span = span_of(run, h);
        if (again) {
            il_take_back(stepper);
        }
        const int status = judge(run, &leg, &error);
        if (status == IL_OK && error <= 1.0) {
            return finish(run, &leg, error, again);
        }
        run->rejected++;
        if (status == IL_OK) {
            h = il_step_after_failure(leg.span.h, error, stepper->method->error_power);
            trouble = IL_STEP_TOO_SMALL;
        } else if (can_be_shorter(status)) {
            h = leg.span.h * RETREAT;
            trouble = status;
        } else {
            return status;
        }
    }
    return trouble;
}

static int one_step(il_run *run)
{
    il_machine *machine = run->machine;

    if (machine->t >= run->window_end) {
        machine->events_in_step = 0;
    }
    const int64_t events = machine->events_in_step;
    il_open(machine);
    const int status = il_close(machine, try_until_good(run));
    /* a window begins with its first event */
    if (events == 0 && machine->events_in_step > 0) {
        run->window_end = machine->t + run->window;
    }
    return status;
}

static int is_sensible(const il_run *run)
{
    const il_machine *machine = run->machine;
    return machine->stepper.method->error_power > 0 && run->rtol != NULL &&
           machine->atol != NULL && run->h >= 0.0 && run->h_min >= 0.0 && run->h_max > 0.0 &&
           run->sample_step >= 0.0 && machine->t >= run->t0 && run->t_end >= machine->t &&
           run->window >= 0.0 && il_all_finite(&run->t_end, 1);
}

int il_run_adaptive(il_run *run)
{
    int status = il_begin(run);
    if (run->samples == 0) {
        return status;
    }
    if (!is_sensible(run)) {
        return il_end(run, IL_BAD_ARGUMENT);
    }
    const il_machine *machine = run->machine;
    if (status == IL_OK && run->h == 0.0 && machine->t < run->t_end) {
        status = choose_first_step(run);
    }
    while (status == IL_OK && machine->t < run->t_end) {
        status = il_may_go_on(run);
        if (status == IL_OK && run->steps_done + run->rejected >= run->max_steps) {
            status = IL_TOO_MANY_STEPS;
        }
        if (status == IL_OK) {
            status = one_step(run);
        }
    }
    return il_end(run, status);
}
