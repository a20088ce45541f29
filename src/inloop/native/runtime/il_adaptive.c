/* A run whose steps keep the error below a tolerance; see il_run.h. */
#include "il_sampling.h"

#include <float.h>
#include <math.h>

#include "il_control.h"

static const double LEAST_ERROR = 1e-4; /* a smaller one does not count for the next step */
static const double RETREAT = 0.25;     /* factor of h after a step that could not be computed */

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* What h may not fall below: the clock must move on. */
static double smallest_step(const il_run *run)
{
    const double rounding = 10.0 * DBL_EPSILON * fabs(run->t);
    return larger(run->h_min, larger(rounding, 1e-30 * (run->t_end - run->t0)));
}

static double norm(const il_run *run, const double *v, const double *y)
{
    return il_error_norm(il_state_size(&run->system), v, run->x, y, run->rtol, run->atol);
}

/* Second derivative by an Euler step of length h0, as a norm; -1 if it cannot be found. */
static double curvature(const il_run *run, il_stepper *stepper, double h0)
{
    double *xd = stepper->slope_new;

    il_advance(stepper->size, stepper->x_new, run->x, h0, stepper->slope);
    if (il_evaluate(stepper, run->t + h0, stepper->x_new, xd) != IL_OK) {
        return -1.0;
    }
    il_advance(stepper->size, xd, xd, -1.0, stepper->slope);
    const double found = norm(run, xd, run->x) / h0;
    return il_all_finite(&found, 1) ? found : -1.0;
}

/* Hairer, Norsett & Wanner I, II.4: from the sizes of x, its first and second derivative. */
static double guess_step(const il_run *run, il_stepper *stepper)
{
    const double longest = smaller(run->h_max, run->t_end - run->t);
    const double d0 = norm(run, run->x, run->x);
    const double d1 = norm(run, stepper->slope, run->x);
    const double h0 = smaller(d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1, longest);
    const double d2 = curvature(run, stepper, h0);
    if (d2 < 0.0) {
        return h0 * RETREAT;
    }
    const double d = larger(d1, d2);
    const double h1 = d <= 1e-15 ? larger(1e-6, h0 * 1e-3)
                                 : pow(0.01 / d, 1.0 / stepper->method->error_power);
    return smaller(smaller(100.0 * h0, h1), longest);
}

static int choose_first_step(il_run *run, il_stepper *stepper)
{
    const il_span span = {run->t, 0.0, run->t, run->x};

    il_save(stepper);
    const int status = il_first_slope(stepper, &span);
    if (status == IL_OK && il_all_finite(stepper->slope, stepper->size)) {
        run->h = guess_step(run, stepper);
    } else if (status == IL_OK) {
        stepper->slope_known = 0;
    }
    il_restore(stepper);
    if (status != IL_OK) {
        return status;
    }
    return run->h > 0.0 ? IL_OK : IL_DIVERGED;
}

/* The step to try: h, or what is left until the end if that is about as long. */
static il_span span_of(const il_run *run, double h)
{
    const double rest = run->t_end - run->t;
    if (rest <= 1.01 * h) {
        return (il_span){run->t, rest, run->t_end, run->x};
    }
    return (il_span){run->t, h, run->t + h, run->x};
}

/* The error of a step as a part of what is allowed; a status if there is none. */
static int judge(il_run *run, il_stepper *stepper, const il_span *span, double *error)
{
    const int status = il_try(stepper, span);
    if (status != IL_OK) {
        return status;
    }
    *error = norm(run, stepper->error, stepper->x_new);
    return il_all_finite(error, 1) ? IL_OK : IL_DIVERGED;
}

static int finish(il_run *run, il_stepper *stepper, const il_span *span, double error, int again)
{
    const double before = run->error_before > 0.0 ? run->error_before : LEAST_ERROR;
    const int power = stepper->method->error_power;

    const int status = il_sample_inside(run, stepper, span);
    if (status != IL_OK) {
        il_restore(stepper);
        return status;
    }
    il_finish_step(run, stepper, span);
    const double proposed = il_step_after_success(span->h, error, before, power);
    /* no growth right after a rejection; a step cut short by the end says nothing about the next */
    const double wanted = again ? smaller(proposed, span->h) : proposed;
    run->h = span->t_new == run->t_end && !again ? larger(wanted, run->h) : wanted;
    run->error_before = larger(error, LEAST_ERROR);
    run->fraction = (run->t - run->t0) / (run->t_end - run->t0);
    return IL_OK;
}

/* One good step, after as many rejected ones as it takes. */
static int one_step(il_run *run, il_stepper *stepper)
{
    int trouble = IL_STEP_TOO_SMALL;
    int again = 0;
    double h = smaller(run->h, run->h_max);

    il_save(stepper);
    for (; h >= smallest_step(run); again = 1) {
        double error = 0.0;
        const il_span span = span_of(run, h);
        const int status = judge(run, stepper, &span, &error);
        if (status == IL_OK && error <= 1.0) {
            return finish(run, stepper, &span, error, again);
        }
        run->rejected++;
        il_restore(stepper);
        if (status == IL_OK) {
            h = il_step_after_failure(span.h, error, stepper->method->error_power);
            trouble = IL_STEP_TOO_SMALL;
        } else if (status == IL_DIVERGED || status == IL_LOOP_OPEN) {
            h = span.h * RETREAT;
            trouble = status;
        } else {
            return status;
        }
    }
    return trouble;
}

static int is_sensible(const il_run *run, const il_stepper *stepper)
{
    return stepper->method->error_power > 0 && run->rtol != NULL && run->atol != NULL &&
           run->h >= 0.0 && run->h_min >= 0.0 && run->h_max > 0.0 && run->sample_step >= 0.0 &&
           run->t >= run->t0 && run->t_end >= run->t && il_all_finite(&run->t_end, 1);
}

int il_run_adaptive(il_run *run)
{
    il_stepper stepper;

    int status = il_begin(run, &stepper);
    if (status != IL_OK) {
        return status;
    }
    if (!is_sensible(run, &stepper)) {
        return il_end(run, &stepper, IL_BAD_ARGUMENT);
    }
    stepper.atol = run->atol;
    if (run->h == 0.0 && run->t < run->t_end) {
        status = choose_first_step(run, &stepper);
    }
    while (status == IL_OK && run->t < run->t_end) {
        status = il_may_go_on(run);
        if (status == IL_OK && run->steps_done + run->rejected >= run->max_steps) {
            status = IL_TOO_MANY_STEPS;
        }
        if (status == IL_OK) {
            status = one_step(run, &stepper);
        }
    }
    return il_end(run, &stepper, status);
}
