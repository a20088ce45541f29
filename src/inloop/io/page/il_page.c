/* A plant for a page: one instance in the memory of a WebAssembly module, stepped period by period.
 *
 * JavaScript writes parameters, inputs and grips into the arrays that page_array tells, and reads
 * outputs there. Numbers of a record are in the order of a mailbox: t, outputs of the plant, inputs.
 * What is generated for one plant lies behind page_plant.h.
 */
#include "il_hand.h"
#include "il_plant.h"
#include "page_plant.h"

#include <string.h>

#define PAGE_EXPORT(name) __attribute__((export_name(#name), visibility("default"))) name

enum { MOST_ROWS = 512, PAGE = 65536, PER_BODY = 12 };

/* What page_array tells the place of; listed in the same order in wasmplant.js. */
enum page_array_id { PARAMETERS, INPUTS, ROWS, GRIPS, PULLS, POSES, POINTS, POSITIONS };

extern unsigned char __heap_base; /* where the linker lets free memory begin */

static struct {
    const il_plant *plant;
    il_instance *instance;
    il_hand hand;
    int64_t substeps, width;
    double *parameters, *inputs, *rows, *grips, *poses, *points, *positions, *prepared, *drawn;
} page;

/* ---- memory ---- */

static uintptr_t used;

/* Zeros at the start of a cache line; NULL if the browser has no more. */
static void *take(size_t bytes)
{
    const uintptr_t from = (used + IL_ALIGNMENT - 1) / IL_ALIGNMENT * IL_ALIGNMENT;
    const uintptr_t until = from + bytes;
    const uintptr_t there = (uintptr_t)__builtin_wasm_memory_size(0) * PAGE;
    if (until > there &&
        __builtin_wasm_memory_grow(0, (until - there + PAGE - 1) / PAGE) == (size_t)-1) {
        return NULL;
    }
    used = until;
    return (void *)from;
}

static double *numbers(int64_t count)
{
    return take((size_t)(count > 0 ? count : 1) * sizeof(double));
}

/* Bytes as the standard says; in words where both ends allow it. */
void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    size_t k = 0;
    for (; k + 8 <= size; k += 8) {
        __builtin_memcpy(t + k, f + k, 8);
    }
    for (; k < size; k++) {
        t[k] = f[k];
    }
    return to;
}

void *memmove(void *to, const void *from, size_t size)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    if (t <= f || t >= f + size) {
        return memcpy(to, from, size);
    }
    while (size-- > 0) {
        t[size] = f[size];
    }
    return to;
}

void *memset(void *to, int value, size_t size)
{
    unsigned char *t = to;
    const uint64_t word = UINT64_C(0x0101010101010101) * (unsigned char)value;
    size_t k = 0;
    for (; k + 8 <= size; k += 8) {
        __builtin_memcpy(t + k, &word, 8);
    }
    for (; k < size; k++) {
        t[k] = (unsigned char)value;
    }
    return to;
}

int memcmp(const void *a, const void *b, size_t size)
{
    const unsigned char *x = a, *y = b;
    for (size_t k = 0; k < size; k++) {
        if (x[k] != y[k]) {
            return x[k] < y[k] ? -1 : 1;
        }
    }
    return 0;
}

/* ---- a run ---- */

static void write_row(double *row)
{
    row[0] = il_time(page.instance);
    (void)il_outputs(page.instance, row + 1);
    memcpy(row + 1 + page.plant->output_count, page.inputs,
           (size_t)page.plant->input_count * sizeof *row);
}

/* Make the instance; 0, or 1 if there is no memory for it. */
int PAGE_EXPORT(page_begin)(int method, double step, int substeps)
{
    const il_plant *const plant = page.plant = page_table();
    used = (uintptr_t)&__heap_base;
    page.substeps = substeps;
    page.width = 1 + plant->output_count + plant->input_count;
    void *const memory = take(il_instance_size(plant, method));
    page.parameters = numbers(plant->parameter_count);
    page.inputs = numbers(plant->input_count);
    page.rows = numbers(MOST_ROWS * page.width);
    page.grips = numbers(INLOOP_GRIPS * (int64_t)(sizeof(inloop_grip) / sizeof(double)));
    page.poses = numbers(PER_BODY * PAGE_BODIES);
    page.points = numbers(3 * PAGE_POINTS);
    page.positions = numbers(PAGE_POSITIONS);
    page.prepared = numbers(PAGE_PREPARED);
    page.drawn = numbers(PAGE_DRAWN);
    page.instance = memory == NULL ? NULL : il_initialize(memory, plant, method, step);
    if (page.instance == NULL || page.drawn == NULL) {
        return 1;
    }
    for (int64_t k = 0; k < plant->parameter_count; k++) {
        page.parameters[k] = plant->parameters[k].start;
    }
    for (int64_t k = 0; k < plant->input_count; k++) {
        page.inputs[k] = plant->inputs[k].start;
    }
    page.hand.reaches = page_reaches;
    page.hand.body_count = PAGE_HELD;
    page.hand.length = PAGE_LENGTH;
    page.hand.mass = PAGE_MASS;
    page.hand.scratch = numbers(il_hand_scratch(&page.hand, page.instance));
    write_row(page.rows);
    return page.hand.scratch == NULL;
}

double *PAGE_EXPORT(page_array)(int which)
{
    double *const places[] = {page.parameters, page.inputs,  page.rows,   page.grips,
                              (double *)page.hand.pulls, page.poses, page.points, page.positions};
    return places[which];
}

/* Numbers of a record, and how many records one call of page_advance may write. */
int PAGE_EXPORT(page_width)(void) { return (int)page.width; }
int PAGE_EXPORT(page_most)(void) { return MOST_ROWS; }

int PAGE_EXPORT(page_set_parameters)(void)
{
    return il_set_parameters(page.instance, page.parameters);
}

void PAGE_EXPORT(page_set_inputs)(void)
{
    if (page.hand.applied) {
        il_hand_take_back(&page.hand, page.instance);
    }
    il_set_inputs(page.instance, page.inputs);
}

/* Hold bodies with the grips; 0 if they make no sense. */
int PAGE_EXPORT(page_hold)(void) { return il_hand_take(&page.hand, page.grips); }

void PAGE_EXPORT(page_let_go)(void) { il_hand_let_go(&page.hand, page.instance); }

int PAGE_EXPORT(page_reset)(void)
{
    il_hand_let_go(&page.hand, page.instance);
    const int status = il_reset(page.instance);
    write_row(page.rows);
    return status;
}

/* One step with the hands; one that fails because of them is done without. */
static int advance(void)
{
    if (page.hand.applied) {
        il_hand_take_back(&page.hand, page.instance);
    }
    if (page.hand.held == 0) {
        return il_advance(page.instance);
    }
    int status = il_hand_advance(&page.hand, page.instance);
    if (status != IL_OK) {
        il_hand_take_back(&page.hand, page.instance);
        il_hand_refuse(&page.hand);
        status = il_advance(page.instance);
    }
    return status;
}

static int last_status;

/* So many periods, MOST_ROWS at most, each with its record; how many were good. */
int PAGE_EXPORT(page_advance)(int count)
{
    int done = 0;
    for (last_status = IL_OK; done < count && done < MOST_ROWS; done++) {
        for (int64_t k = 0; last_status == IL_OK && k < page.substeps; k++) {
            last_status = advance();
        }
        if (last_status != IL_OK) {
            break; /* the state is that of before */
        }
        write_row(page.rows + done * page.width);
    }
    return done;
}

/* How the last step ended, see il_status.h. */
int PAGE_EXPORT(page_status)(void) { return last_status; }

/* ---- what is drawn ---- */

/* Points that are fixed in their bodies, for the parameters in use; those of the drawing have an
   order of their own. */
void PAGE_EXPORT(page_place_points)(void)
{
    for (int64_t k = 0; k < PAGE_DRAWN; k++) {
        page.drawn[k] = page.parameters[page_drawn[k]];
    }
    page_prepare(page.drawn, page.prepared);
    page_points(page.prepared, page.positions, page.points);
}

/* p_WB and the rows of R_WB of each body, at the positions. */
void PAGE_EXPORT(page_pose)(void) { page_poses(page.prepared, page.positions, page.poses); }
