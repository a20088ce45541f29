/* A loop that runs while its segment is overwritten with random bytes: loop_fuzz COUNT SEED.
 *
 * Built with the address sanitizer together with all of the runtime. Every array has exactly the
 * length that the loop was told. Ends with 0 if the state stayed finite and the loop could be ended.
 */
#include "il_loop.h"

enum { N = 2, X = 2 * N, INPUTS = 3, PARAMETERS = 2, OUTPUTS = 1 + 2 * N + INPUTS + X };

typedef struct oscillators {
    double effort[INPUTS];
    double prepared[PARAMETERS];
} oscillators;

static int rates(void *context, double t, const double *x, double *xd)
{
    const oscillators *o = context;
    (void)t;
    for (int k = 0; k < N; k++) {
        xd[k] = x[N + k];
        xd[N + k] = -o->prepared[k] * x[k] - x[N + k] + o->effort[k];
    }
    return IL_OK;
}

static void prepare(const double *parameters, double *prepared)
{
    for (int k = 0; k < PARAMETERS; k++) {
        prepared[k] = parameters[k] * parameters[k];
    }
}

static uint64_t state;

static uint64_t any(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static uint64_t padded(uint64_t size)
{
    return (size + 63) / 64 * 64;
}

static unsigned char *make_segment(uint64_t *size)
{
    static const char text[] = "model\tfuzz\t\t0\t0\t0\n";
    const uint32_t values[INLOOP_RINGS] = {OUTPUTS, INPUTS, PARAMETERS, 2 + X};
    inloop_header h;
    memset(&h, 0, sizeof h);
    h.magic = INLOOP_MAGIC;
    h.version = INLOOP_VERSION;
    h.header_size = sizeof h;
    h.creator = inloop_self(0);
    h.period = 1e-3;
    h.coordinates = N;
    h.inputs = INPUTS;
    h.parameters = PARAMETERS;
    h.stepper_states = X;
    uint64_t end = padded(sizeof h);
    for (int ring = 0; ring < INLOOP_RINGS; ring++) {
        h.rings[ring] = (inloop_place){end, 4, values[ring]};
        end += sizeof(inloop_ring) + 4 * inloop_stride(&h.rings[ring]);
    }
    h.statistics_offset = end;
    h.text_offset = padded(end + sizeof(inloop_statistics));
    h.text_size = sizeof text;
    h.size = padded(h.text_offset + sizeof text);
    h.layout_hash = inloop_layout_hash(&h, text);
    unsigned char *base = aligned_alloc(64, h.size);
    memset(base, 0, h.size);
    memcpy(base, &h, sizeof h);
    memcpy(base + h.text_offset, text, sizeof text);
    *size = h.size;
    return base;
}

/* A record that looks right, with numbers that are not. */
static void write_nonsense(const inloop_mailbox *box, int ring)
{
    double values[2 + X];
    inloop_record about;
    memset(&about, 0, sizeof about);
    for (int k = 0; k < 2 + X; k++) {
        const uint64_t bits = any();
        /* also infinities, huge and tiny numbers, and small ones that are taken */
        switch (any() % 4) {
        case 0:
            memcpy(&values[k], &bits, sizeof bits);
            break;
        case 1:
            values[k] = 1e308 * 10.0;
            break;
        default:
            values[k] = (double)(any() % 2000) * 0.001 - 1.0;
        }
    }
    about.answers = any();
    /* anything but the order to end */
    about.status = any() % 3 ? (int64_t)(any() % 12) : (int64_t)any();
    about.status += about.status == INLOOP_STOP;
    inloop_publish(box, ring, &about, values);
}

int main(int count, char **words)
{
    if (count != 3) {
        return 2;
    }
    const long rounds = atol(words[1]);
    state = strtoull(words[2], NULL, 10) * UINT64_C(0x9e3779b97f4a7c15) | 1;

    uint64_t size;
    unsigned char *base = make_segment(&size);
    oscillators *o = calloc(1, sizeof *o);
    double *x = calloc(X, sizeof *x), *x_start = calloc(X, sizeof *x);
    double *parameters = calloc(PARAMETERS, sizeof *x), *zeros = calloc(INPUTS, sizeof *x);
    double least[PARAMETERS] = {0.0, 0.0}, most[PARAMETERS] = {9.0, 9.0};
    const double *sources[2 * N];
    il_target targets[INPUTS];
    double told[2];
    il_prepare prepares[1] = {{prepare, o->prepared}};
    il_loop *loop = calloc(1, sizeof *loop);
    x_start[0] = x_start[1] = 0.5;
    for (int k = 0; k < 2 * N; k++) {
        sources[k] = &x[k];
    }
    for (int k = 0; k < INPUTS; k++) {
        targets[k] = (il_target){k, &o->effort[k]};
    }
    const il_system system = {.rates = rates, .context = o, .n = N};
    il_mode modes[1] = {{.system = system}};
    il_aspect aspects[1] = {{.system = system, .sources = sources}};
    il_machine_sizes sizes;
    if (il_machine_measure(modes, 1, IL_RK4, &sizes) != IL_OK) {
        return 6;
    }
    il_machine machine = {.modes = modes, .mode_count = 1, .method = IL_RK4, .most_events = 16};
    machine.work = calloc((size_t)sizes.work, sizeof *x);
    machine.integers = calloc((size_t)sizes.integers, sizeof *machine.integers);
    machine.x = x;
    loop->machine = &machine;
    loop->modes = modes;
    loop->aspects = aspects;
    loop->aspect_count = 1;
    loop->start = x_start;
    loop->told = told;
    loop->h = 1e-3;
    loop->substeps = 2;
    loop->targets = targets;
    loop->target_count = INPUTS;
    loop->prepares = prepares;
    loop->prepare_count = 1;
    loop->parameters = parameters;
    loop->least = least;
    loop->most = most;
    loop->inputs_start = loop->inputs_safe = zeros;
    loop->period = 1e5;
    loop->speed = 1.0;
    loop->extrapolate = 1;
    loop->stale_after = 1000000;
    loop->policy[IL_INPUT_STALE] = loop->policy[IL_DIVERGED] = IL_SAFE;
    loop->most_backlog = 10;
    loop->privileges.core = -1;
    if (inloop_attach_memory(&loop->box, base, size, 0) != INLOOP_OK) {
        return 3;
    }
    loop->scratch = calloc((size_t)il_loop_scratch(loop), sizeof *x);
    const inloop_mailbox box = loop->box;
    /* a third of the rounds each: clock, free, lock-step */
    for (int mode = IL_CLOCK; mode <= IL_LOCK_STEP; mode++) {
        loop->mode = mode;
        loop->stop = 0;
        loop->paused = 0;
        if (il_loop_start(loop) != IL_OK) {
            return 4;
        }
        for (long k = 0; k < rounds / 3; k++) {
            const uint64_t at = any() % (size - 512), length = any() % 512;
            for (uint64_t i = at; i < at + length && any() % 2; i++) {
                base[i] = (unsigned char)any();
            }
            for (int ring = 0; ring < INLOOP_RINGS; ring++) {
                if (any() % 4 == 0) {
                    inloop_ring_of(&box, ring)->head = any() % 2 ? any() : any() % 16;
                }
                if (ring != INLOOP_OUTPUTS) {
                    write_nonsense(&box, ring);
                }
            }
        }
        il_loop_stop(loop);
        il_loop_join(loop);
        for (int k = 0; k < X; k++) {
            if (!inloop_finite(&x[k], 1)) {
                return 5;
            }
        }
    }
    printf("%ld rounds, %lld steps\n", rounds, (long long)loop->steps_done);
    free(loop->scratch);
    free(machine.work);
    free(machine.integers);
    free(loop);
    free(zeros);
    free(parameters);
    free(x_start);
    free(x);
    free(o);
    free(base);
    return 0;
}
