/* A loop that runs while its segment is overwritten with random bytes: loop_fuzz COUNT SEED.
 *
 * Built with the address sanitizer together with all of the runtime. Every array has exactly the
 * length that the loop was told. Ends with 0 if the state stayed finite and the loop could be ended.
 * The attack on the free loop goes on until it has made some steps and taken a hand, however busy
 * the machine is.
 */
#include "il_loop.h"

enum { LEAST_STEPS = 100 };

/* a snapshot holds the state behind four other numbers */
enum { N = 2, X = 4 + 2 * N + 2, INPUTS = 3, PARAMETERS = 2, OUTPUTS = 1 + 2 * N + INPUTS + X };

static int rates(void *context, double t, const double *x, double *xd)
{
    const il_context *c = context;
    (void)t;
    for (int k = 0; k < N; k++) {
        xd[k] = x[N + k];
        xd[N + k] = -c->pre[k] * x[k] - x[N + k] + c->tau[k] + c->u[0];
    }
    return IL_OK;
}

static void prepare(const double *parameters, double *prepared)
{
    for (int k = 0; k < PARAMETERS; k++) {
        prepared[k] = parameters[k] * parameters[k];
    }
}

/* two oscillators */
static const int64_t both[N] = {0, 1};
static const il_choice choice = {
    .independent = both, .independent_count = N, .prepare = {prepare, PARAMETERS}, .rates = rates};
static const il_place input_places[INPUTS] = {{IL_OF_TAU, 0}, {IL_OF_TAU, 1}, {IL_OF_U, 0}};
static const il_place output_places[2 * N] = {
    {IL_OF_Q, 0}, {IL_OF_Q, 1}, {IL_OF_QD, 0}, {IL_OF_QD, 1}};
static const double at[N] = {0.5, 0.5}, rest[N] = {0.0, 0.0}, units[N] = {1.0, 1.0};
static const double most[2 * N] = {1e300, 1e300, 1e300, 1e300};
static const il_mode_row mode_row = {
    .name = "fuzz", .n = N, .inputs = 1, .choices = &choice, .choice_count = 1,
    .input_places = input_places, .output_places = output_places, .q = at, .qd = rest, .z = rest,
    .most = most, .units = units};
static const il_quantity parameters[PARAMETERS] = {
    {"a", "", 1.0, 0.0, 9.0}, {"b", "", 1.0, 0.0, 9.0}};
static const il_quantity inputs[INPUTS] = {
    {"x", "", 0.0, -1e9, 1e9}, {"y", "", 0.0, -1e9, 1e9}, {"z", "", 0.0, -1e9, 1e9}};
static const il_quantity outputs[2 * N] = {
    {"x.q", "", 0.0, 0.0, 0.0}, {"y.q", "", 0.0, 0.0, 0.0},
    {"x.qd", "", 0.0, 0.0, 0.0}, {"y.qd", "", 0.0, 0.0, 0.0}};

/* a controller of the plant itself, which counts its samples and damps y */
static int damp(const double *gains, double t, const double *y, double *states, double *values)
{
    (void)t;
    states[0] += 1.0;
    values[0] = -gains[0] * y[0];
    return 0;
}

static const int64_t reads[] = {3}, leads[] = {1};
static const il_controller controller = {
    "damp", 1e-3, damp, {prepare, PARAMETERS}, reads, leads, rest, 1, 1, 1};
static const il_plant plant = {"fuzz", 0, parameters, inputs, outputs, PARAMETERS, INPUTS, 2 * N,
                               &mode_row, 1, &controller, NULL};

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
    const uint32_t values[INLOOP_RINGS] = {
        OUTPUTS, INPUTS, PARAMETERS, 1 + X, INLOOP_GRIPS * sizeof(inloop_grip) / 8,
        INLOOP_GRIPS * sizeof(inloop_pull) / 8};
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
    double values[INLOOP_GRIPS * sizeof(inloop_pull) / 8 + 1 + X];
    inloop_record about;
    memset(&about, 0, sizeof about);
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
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

/* Hands that can be taken, soft and harder than any step can follow. */
static void write_grips(const inloop_mailbox *box)
{
    inloop_grip grips[INLOOP_GRIPS];
    double values[INLOOP_GRIPS * sizeof *grips / sizeof(double)];
    inloop_record about;
    memset(&about, 0, sizeof about);
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
        values[k] = (double)(any() % 1000) * (any() % 8 ? 1e-2 : 1e300);
    }
    memcpy(grips, values, sizeof grips);
    for (int k = 0; k < INLOOP_GRIPS; k++) {
        grips[k].body = (double)(any() % (N + 1));
    }
    memcpy(values, grips, sizeof grips);
    inloop_publish(box, INLOOP_HAND, &about, values);
}

/* Hands that find every body at the origin, turned by its joint about z. */
static il_hand *make_hand(const il_instance *instance)
{
    static double registers[N + PARAMETERS + 2];
    static int32_t results[IL_OF_BODY * N];
    static int64_t parents[N], bodies[N];
    static il_tape tape = {.registers = registers, .results = results};
    static il_reach reach = {.tape = &tape, .parents = parents, .bodies = bodies};
    static il_hand hand = {.reaches = &reach, .body_count = N, .length = 1.0, .mass = 1.0};
    const int32_t zero = N + PARAMETERS, one = zero + 1;
    registers[one] = 1.0;
    for (int32_t k = 0; k < IL_OF_BODY * N; k++) {
        const int32_t at = k % IL_OF_BODY;
        results[k] = at == 3 || at == 7 || at == 11 || at == 14 || at == 15 ? one : zero;
    }
    for (int64_t k = 0; k < N; k++) {
        parents[k] = k - 1;
        bodies[k] = k;
    }
    tape.input_count = zero;
    tape.result_count = IL_OF_BODY * N;
    hand.scratch = calloc((size_t)il_hand_scratch(&hand, instance), sizeof(double));
    return &hand;
}

static int has_worked(const il_loop *loop)
{
    return __atomic_load_n(&loop->steps_done, __ATOMIC_RELAXED) > LEAST_STEPS &&
           __atomic_load_n(&loop->hand_sequence, __ATOMIC_RELAXED) > 0;
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
    double *zeros = calloc(INPUTS, sizeof *zeros), *start = calloc(X, sizeof *start);
    void *memory = aligned_alloc(IL_ALIGNMENT, il_instance_size(&plant, IL_RK4));
    il_loop *loop = calloc(1, sizeof *loop);
    loop->instance = il_initialize(memory, &plant, IL_RK4, 1e-3);
    if (loop->instance == NULL || il_snapshot_size(loop->instance) != X) {
        return 6;
    }
    il_take_snapshot(loop->instance, start);
    loop->start = start;
    loop->substeps = 2;
    loop->hand = make_hand(loop->instance);
    loop->inputs_start = loop->inputs_safe = zeros;
    loop->period = 1e5;
    loop->speed = 1.0;
    loop->extrapolate = 1;
    loop->stale_after = 1000000;
    loop->policy[IL_INPUT_STALE] = loop->policy[IL_DIVERGED] = IL_SAFE;
    loop->most_backlog = 10;
    loop->warm = 20000;
    loop->privileges.core = -1;
    if (inloop_attach_memory(&loop->box, base, size, 0) != INLOOP_OK) {
        return 3;
    }
    loop->scratch = calloc((size_t)il_loop_scratch(loop), sizeof *zeros);
    const inloop_mailbox box = loop->box;
    int pulled = 0;
    /* a third of the rounds each: clock, free, lock-step */
    for (int mode = IL_CLOCK; mode <= IL_LOCK_STEP; mode++) {
        loop->mode = mode;
        loop->stop = 0;
        loop->paused = 0;
        if (il_loop_start(loop) != IL_OK) {
            return 4;
        }
        for (long k = 0; k < rounds / 3 || (mode == IL_FREE && !has_worked(loop)); k++) {
            const uint64_t at = any() % (size - 512), length = any() % 512;
            for (uint64_t i = at; i < at + length && any() % 2; i++) {
                base[i] = (unsigned char)any();
            }
            for (int ring = 0; ring < INLOOP_RINGS; ring++) {
                if (any() % 4 == 0) {
                    inloop_ring_of(&box, ring)->head = any() % 2 ? any() : any() % 16;
                }
                if (ring == INLOOP_HAND && any() % 2) {
                    write_grips(&box);
                } else if (ring != INLOOP_OUTPUTS && ring != INLOOP_PULLS) {
                    write_nonsense(&box, ring);
                }
            }
        }
        il_loop_stop(loop);
        il_loop_join(loop);
        if (!inloop_finite(loop->instance->machine.x, 2 * N)) {
            return 5;
        }
        pulled += loop->hand_sequence > 0;
    }
    if (pulled == 0) {
        return 7; /* no hand was ever taken */
    }
    printf("%ld rounds, %lld steps\n", rounds, (long long)loop->steps_done);
    free(loop->hand->scratch);
    free(loop->scratch);
    free(memory);
    free(loop);
    free(zeros);
    free(start);
    free(base);
    return 0;
}
