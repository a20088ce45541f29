/* Many runs, one after the other; see il_many.h. */
#include "il_many.h"

#include <math.h>
#include <string.h>

#include "il_instance.h"

#define NEAR 1e-6 /* part of the spacing: times that differ by less are the same sample */
#define IL_WINDOW 1e-4 /* of a run: most_events counts within it */
enum { ROWS_BEHIND = 3 }; /* of samples: the first and the last state of a piece, one to spare */

/* One run. */
typedef struct il_job {
    const il_many *many;
    il_worker *worker;
    il_run run;
    double *q, *qd;      /* samples of this run */
    int64_t one_by_one;  /* modes may change their layout between samples */
    int64_t failed_after; /* steps: where the loops opened last; -1: nowhere */
    int64_t stepped_over; /* and whether it was stepped over there */
    double answered;      /* time of the last answer of the controller [s]; -1: none yet */
} il_job;

static int is_fixed(const il_many *many)
{
    return many->step > 0.0;
}

/* ---- start ---- */

static const double *row_of(const double *first, int64_t stride, int64_t run)
{
    return first ? first + run * stride : NULL;
}

static int begin_run(const il_many *many, il_worker *worker, int64_t run)
{
    const il_start *first = &many->first;
    const il_start_strides *by = &many->strides;
    const il_start wanted = {
        .parameters = row_of(first->parameters, by->parameters, run),
        .inputs = row_of(first->inputs, by->inputs, run),
        .q = row_of(first->q, by->q, run),
        .qd = row_of(first->qd, by->qd, run),
        .z = row_of(first->z, by->z, run),
    };
    return il_begin_from(worker->instance, many->mode, many->kind, &many->known, &wanted,
                         worker->scratch);
}

/* Tolerances of all modes, with the independent coordinates in use. */
static void set_tolerances(const il_many *many, il_worker *worker)
{
    il_machine *machine = &worker->instance->machine;
    if (is_fixed(many)) {
        return;
    }
    for (int64_t m = 0; m < machine->mode_count; m++) {
        const int64_t choice = worker->instance->parts[m].choice;
        memcpy(worker->atol + m * machine->largest,
               many->atol + (m * many->most_choices + choice) * machine->largest,
               (size_t)machine->largest * sizeof *worker->atol);
    }
    machine->atol = worker->atol;
}

/* A piece ends where the controller of the plant answers next. */
static void end_with_sample(il_job *job)
{
    const il_instance *instance = job->worker->instance;
    const double period = instance->plant->controller->period;
    const double t = (floor(instance->machine.t / period + NEAR) + 1.0) * period;
    il_run *run = &job->run;
    if (is_fixed(job->many)) {
        const int64_t every = instance->controlled.per_sample;
        const int64_t next = (run->step / every + 1) * every;
        run->last_step = run->last_step < next ? run->last_step : next;
    } else {
        run->t_end = run->t_end < t * (1.0 - 1e-12) ? run->t_end : t;
    }
}

/* Let the controller of the plant answer if a sample is due where the run is now. */
static int sample_controller(il_job *job)
{
    il_instance *instance = job->worker->instance;
    if (instance->plant->controller == NULL) {
        return IL_OK;
    }
    const double samples = instance->machine.t / instance->plant->controller->period;
    const int due = is_fixed(job->many)
                        ? job->run.step % instance->controlled.per_sample == 0
                        : fabs(samples - floor(samples + 0.5)) <= NEAR;
    /* a piece that is tried again begins with the answer that is there */
    if (!due || job->answered == instance->machine.t) {
        return IL_OK;
    }
    job->answered = instance->machine.t;
    job->run.slope_known = 0;
    return il_sample_now(instance);
}

/* Where the next piece ends: with the run, at the next sample, or after some steps. */
static void set_end(il_job *job, int64_t most_steps)
{
    const il_many *many = job->many;
    il_run *run = &job->run;
    run->last_step = many->steps;
    run->t_end = many->t_end;
    if (job->one_by_one) {
        const double next = floor(run->machine->t / many->spacing + NEAR) + 1.0;
        run->last_step = (run->step / many->stride + 1) * many->stride;
        run->t_end = next * many->spacing;
    }
    if (most_steps > 0 && run->last_step > run->step + most_steps) {
        run->last_step = run->step + most_steps;
    }
    if (most_steps > 0 && run->t_end > run->machine->t + many->spacing) {
        run->t_end = run->machine->t + many->spacing;
    }
    if (job->worker->instance->plant->controller) {
        end_with_sample(job);
    }
    run->last_step = run->last_step < many->steps ? run->last_step : many->steps;
    run->t_end = run->t_end < many->t_end * (1.0 - 1e-12) ? run->t_end : many->t_end;
}

static il_job make_job(const il_many *many, il_worker *worker, int64_t number)
{
    il_machine *machine = &worker->instance->machine;
    const double moment = is_fixed(many) ? many->step : many->spacing;
    worker->instance->renews = 0;
    machine->most_events = many->most_events;
    machine->settle_time = IL_SETTLED * moment;
    machine->time_tolerance = IL_SAME_TIME * moment;
    il_job job = {
        .many = many,
        .worker = worker,
        .q = many->q + number * many->samples * many->positions,
        .qd = many->qd + number * many->samples * many->coordinates,
        .one_by_one = machine->mode_count > 1 || machine->transitions > 0,
        .failed_after = -1,
        .answered = -1.0,
        .run = {
            .machine = machine,
            .rtol = many->rtol,
            .h = many->step,
            .h_max = many->longest,
            .max_steps = many->max_steps,
            .window = IL_WINDOW * many->t_end,
            .stride = is_fixed(many) ? many->stride : 1,
            .sample_step = is_fixed(many) ? 0.0 : many->spacing,
            .capacity = many->samples + ROWS_BEHIND,
            .t_samples = worker->t_samples,
            .x_samples = worker->x_samples,
            .mode_samples = worker->mode_samples,
            .stop = many->stop,
            .slope = worker->slope,
        },
    };
    return job;
}

/* ---- samples ---- */

/* Number of the sample at a time; -1: none is wanted there. */
static int64_t sample_at(const il_many *many, double t)
{
    const double nearest = floor(t / many->spacing + 0.5);
    if (t >= many->t_end * (1.0 - 1e-12)) {
        return many->samples - 1;
    }
    return fabs(t - nearest * many->spacing) <= NEAR * many->spacing ? (int64_t)nearest : -1;
}

static double coordinate(const il_part *part, il_place place)
{
    switch (place.kind) {
    case IL_OF_Q: return part->q[place.index];
    case IL_OF_QD: return part->qd[place.index];
    default: return (double)NAN;
    }
}

/* q, then qd are the first outputs of every plant. */
static int keep_row(il_job *job, double t, int64_t mode, const double *x)
{
    const il_many *many = job->many;
    const int64_t n = many->coordinates, sample = sample_at(many, t);
    il_part *part = &job->worker->instance->parts[mode];
    if (sample < 0) {
        return IL_OK;
    }
    if (il_look_at(part, t, x) != IL_OK) {
        return IL_LOOP_OPEN;
    }
    const il_place *places = part->row->output_places;
    double *q = job->q + sample * many->positions, *qd = job->qd + sample * n;
    for (int64_t k = 0; k < n; k++) {
        q[k] = coordinate(part, places[k]);
        qd[k] = coordinate(part, places[n + k]);
    }
    for (int64_t k = n; k < many->positions; k++) {
        q[k] = coordinate(part, places[many->turning + k - n]);
    }
    return IL_OK;
}

static int keep_rows(il_job *job)
{
    const il_run *run = &job->run;
    const int64_t largest = run->machine->largest;
    int status = IL_OK;
    for (int64_t k = job->one_by_one ? run->samples - 1 : 0;
         k < run->samples && k >= 0 && status == IL_OK; k++) {
        status = keep_row(job, run->t_samples[k], run->mode_samples[k],
                          run->x_samples + k * largest);
    }
    return status;
}

/* ---- a run in pieces ---- */

/* With better independent coordinates and pivots watched from here on; where that has led no further,
   over a singular position, with coordinates chosen anew where events lead to. */
static int other_way(il_job *job)
{
    il_instance *instance = job->worker->instance;
    il_part *part = il_present(instance);
    const double t = instance->machine.t;
    const int again = job->failed_after == job->run.steps_done;
    if (again && job->stepped_over) {
        return IL_LOOP_OPEN;
    }
    if (il_look_at(part, t, instance->machine.x) != IL_OK) {
        return IL_LOOP_OPEN;
    }
    job->run.slope_known = 0;
    job->failed_after = job->run.steps_done;
    job->stepped_over = instance->renews = again;
    if (again) {
        il_step_over(part);
    } else if (!il_choose_better(part, t)) {
        il_set_guard(part, t, part->q);
    }
    il_pack(part, instance->machine.x);
    set_tolerances(job->many, job->worker);
    set_end(job, job->stepped_over ? IL_STEPS_UNGUARDED : 0);
    return IL_OK;
}

static int is_over(const il_job *job)
{
    return is_fixed(job->many) ? job->run.step >= job->many->steps
                               : job->run.machine->t >= job->many->t_end;
}

/* Watch the pivots again once a singular position is behind. */
static int guard_again(il_job *job)
{
    il_part *part = il_present(job->worker->instance);
    const il_machine *machine = &job->worker->instance->machine;
    if (part->unguarded > 0) {
        if (il_look_at(part, machine->t, machine->x) != IL_OK) {
            return IL_LOOP_OPEN;
        }
        il_set_guard(part, machine->t, part->q);
        job->stepped_over = 0;
    }
    if (job->worker->instance->renews) {
        job->worker->instance->renews = 0;
        set_tolerances(job->many, job->worker);
    }
    set_end(job, 0);
    return IL_OK;
}

static int go(il_job *job)
{
    il_run *run = &job->run;
    int status = IL_OK;
    if (job->worker->instance->plant->controller && is_fixed(job->many) &&
        job->worker->instance->controlled.per_sample == 0) {
        return IL_BAD_ARGUMENT;
    }
    set_end(job, 0);
    while (status == IL_OK) {
        status = sample_controller(job);
        if (status != IL_OK) {
            return status;
        }
        status = is_fixed(job->many) ? il_run_fixed(run) : il_run_adaptive(run);
        const int kept = keep_rows(job);
        if (kept != IL_OK) {
            return kept;
        }
        if (status == IL_OK && is_over(job)) {
            return IL_OK;
        }
        if (status == IL_OK) {
            status = guard_again(job);
        } else if (status == IL_LOOP_OPEN) {
            status = other_way(job);
        }
    }
    return status;
}

/* What a failure was about: the output that left its bounds, or the row that opened. */
static int64_t blame(const il_instance *instance, int status)
{
    double t;
    if (status == IL_OUT_OF_BOUNDS) {
        return il_output_beyond(instance);
    }
    return status == IL_LOOP_OPEN ? il_blame_of(instance, instance->machine.mode, IL_BAD_ROW, &t)
                                  : -1;
}

static void one_run(const il_many *many, il_worker *worker, int64_t number)
{
    int status = begin_run(many, worker, number);
    many->reached[number] = (double)NAN;
    if (status == IL_OK) {
        il_job job = make_job(many, worker, number);
        set_tolerances(many, worker);
        status = keep_row(&job, 0.0, many->mode, job.run.machine->x);
        status = status == IL_OK ? go(&job) : status;
        many->reached[number] = worker->instance->machine.t;
        worker->steps += job.run.steps_done;
    }
    many->beyond[number] = blame(worker->instance, status);
    many->status[number] = status;
}

int64_t il_run_many(const il_many *many, il_worker *worker, int64_t begin, int64_t end)
{
    int64_t run = begin;
    for (; run < end && !(many->stop && *many->stop); run++) {
        one_run(many, worker, run);
        worker->runs++;
    }
    return run;
}
