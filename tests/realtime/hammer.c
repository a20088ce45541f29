/* Threads that write and read one ring as fast as they can, and a million damaged segments.
 *
 *     hammer torn SECONDS       prints records read, and mixed ones, which must be 0
 *     hammer fuzz COUNT SEED    attaches to COUNT damaged segments; ends with 0 if nothing crashed
 */
#include "inloop.h"

#include <pthread.h>

enum { COORDINATES = 20, VALUES = 1 + 2 * COORDINATES };

static uint64_t padded(uint64_t size)
{
    return (size + 63) / 64 * 64;
}

/* A segment in ordinary memory. */
static unsigned char *make_segment(uint32_t slots, uint64_t *size)
{
    static const char text[] = "model\thammer\t\t0\t0\t0\nq\tfirst\trad\t-inf\tinf\t0.0\n";
    inloop_header h;
    memset(&h, 0, sizeof h);
    h.magic = INLOOP_MAGIC;
    h.version = INLOOP_VERSION;
    h.header_size = sizeof h;
    h.creator = inloop_self(0);
    h.period = 1e-3;
    h.coordinates = COORDINATES;
    h.inputs = 3;
    h.parameters = 2;
    uint64_t end = padded(sizeof h);
    const uint32_t values[INLOOP_RINGS] = {
        VALUES + 3, 3, 2, 1, INLOOP_GRIPS * sizeof(inloop_grip) / 8, INLOOP_GRIPS * sizeof(inloop_pull) / 8};
    for (int ring = 0; ring < INLOOP_RINGS; ring++) {
        h.rings[ring] = (inloop_place){end, slots, values[ring]};
        end += sizeof(inloop_ring) + slots * inloop_stride(&h.rings[ring]);
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

/* ---- torn reads ---- */

static unsigned char *shared;
static uint64_t shared_size, mixed, complete;
static volatile int stop;

static void *write_all(void *unused)
{
    inloop_mailbox box;
    inloop_record about;
    double values[VALUES + 3];
    (void)unused;
    memset(&about, 0, sizeof about);
    if (inloop_attach_memory(&box, shared, shared_size, 1) != INLOOP_OK) {
        return NULL;
    }
    for (int64_t k = 1; !stop; k++) {
        for (int i = 0; i < VALUES + 3; i++) {
            values[i] = (double)k;
        }
        about.step = about.status = about.flags = k;
        inloop_publish(&box, INLOOP_OUTPUTS, &about, values);
    }
    return NULL;
}

static void *read_all(void *unused)
{
    inloop_mailbox box;
    inloop_record record;
    double values[VALUES + 3];
    (void)unused;
    if (inloop_attach_memory(&box, shared, shared_size, 2) != INLOOP_OK) {
        return NULL;
    }
    for (uint64_t k = 0; !stop; k++) {
        const int error = k % 2 ? inloop_read(&box, &record, values)
                                : inloop_next(&box, &record, values);
        if (error != INLOOP_OK) {
            continue;
        }
        int good = record.step == (int64_t)record.sequence && record.flags == record.step;
        for (int i = 0; i < VALUES + 3; i++) {
            good &= values[i] == (double)record.sequence;
        }
        __atomic_fetch_add(good ? &complete : &mixed, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static int torn(double seconds)
{
    pthread_t threads[3];
    const struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    shared = make_segment(4, &shared_size);
    pthread_create(&threads[0], NULL, write_all, NULL);
    pthread_create(&threads[1], NULL, read_all, NULL);
    pthread_create(&threads[2], NULL, read_all, NULL);
    nanosleep(&time, NULL);
    stop = 1;
    for (int k = 0; k < 3; k++) {
        pthread_join(threads[k], NULL);
    }
    printf("%llu complete, %llu mixed\n", (unsigned long long)complete, (unsigned long long)mixed);
    free(shared);
    return mixed != 0;
}

/* ---- damaged segments ---- */

static uint64_t state;

/* xorshift64 */
static uint64_t any(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

/* Numbers that are near a limit more often than others. */
static uint64_t nasty(void)
{
    static const uint64_t limits[] = {0, 1, 2, 4, 63, 64, 1u << 31, UINT32_MAX, UINT64_MAX, 1u << 20};
    const uint64_t limit = limits[any() % (sizeof limits / sizeof *limits)];
    return any() % 3 ? limit + any() % 5 - 2 : any();
}

static void damage(unsigned char *base, uint64_t size)
{
    /* the header and the starts of the rings are hit more often than the rest */
    for (uint64_t k = any() % 12 + 1; k > 0; k--) {
        const uint64_t reach = any() % 4 == 0 ? size : sizeof(inloop_header);
        const uint64_t width = any() % 2 ? 4 : 8;
        const uint64_t at = any() % (reach / width) * width;
        const uint64_t value = nasty();
        memcpy(base + at, &value, width);
    }
}

/* All that a reader and a writer do, on whatever is there. */
static int use(unsigned char *base, uint64_t size)
{
    inloop_mailbox box;
    inloop_record record;
    const int error = inloop_attach_memory(&box, base, size, 3);
    if (error != INLOOP_OK) {
        return 0;
    }
    const int64_t outputs = inloop_count(&box, INLOOP_OUTPUTS);
    const int64_t inputs = inloop_count(&box, INLOOP_INPUTS);
    const int64_t parameters = inloop_count(&box, INLOOP_PARAMETERS);
    const int64_t commands = inloop_count(&box, INLOOP_COMMANDS);
    /* exactly as long as promised: one number more would be seen */
    double *values = malloc((size_t)(outputs + 1) * 8), *words = calloc((size_t)inputs + 1, 8);
    double *more = calloc((size_t)(parameters + commands + 1), 8);
    for (int k = 0; k < 3; k++) {
        (void)inloop_read(&box, &record, values);
        (void)inloop_next(&box, &record, values);
        inloop_ring_of(&box, INLOOP_INPUTS)->owner = 0;
        inloop_ring_of(&box, INLOOP_PARAMETERS)->owner = 0;
        inloop_ring_of(&box, INLOOP_COMMANDS)->owner = 0;
        (void)inloop_write(&box, words);
        (void)inloop_write_parameters(&box, more);
        (void)inloop_send(&box, INLOOP_PAUSE, more, NULL);
        (void)inloop_index(&box, "q", "first");
        (void)inloop_index(&box, "input", "first");
        /* damage behind the check at attach */
        damage(base + sizeof(inloop_header), size - sizeof(inloop_header));
        inloop_ring_of(&box, INLOOP_OUTPUTS)->head = nasty();
        inloop_ring_of(&box, INLOOP_INPUTS)->head = nasty();
    }
    free(values);
    free(words);
    free(more);
    return 1;
}

static int fuzz(long count, uint64_t seed)
{
    uint64_t size;
    long attached = 0;
    unsigned char *good = make_segment(4, &size);
    unsigned char *base = aligned_alloc(64, size);
    state = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
    for (long k = 0; k < count; k++) {
        memcpy(base, good, size);
        if (k % 16 != 0) {
            damage(base, size);
        }
        if (k % 8 == 1) {
            /* a header that is right again, with all else damaged */
            memcpy(base, good, sizeof(inloop_header));
            memcpy(base + ((inloop_header *)(void *)good)->text_offset,
                   good + ((inloop_header *)(void *)good)->text_offset,
                   ((inloop_header *)(void *)good)->text_size);
        }
        attached += use(base, any() % 32 ? size : any() % size);
    }
    printf("%ld segments, %ld attached\n", count, attached);
    free(base);
    free(good);
    return 0;
}

int main(int count, char **words)
{
    if (count == 3 && strcmp(words[1], "torn") == 0) {
        return torn(atof(words[2]));
    }
    if (count == 4 && strcmp(words[1], "fuzz") == 0) {
        return fuzz(atol(words[2]), strtoull(words[3], NULL, 10));
    }
    return 2;
}
