"""Files that accompany the exported sources of a plant: a program, a Makefile, a README."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inloop.codegen.c_plant import PlantTable, Quantity
from inloop.codegen.quoting import printable

METHODS = ("euler", "rk4", "dopri", "rodas", "implicit", "moreau", "alpha", "event_driven")


def emit_main(prefix: str, method: str, step: float, t_end: float) -> str:
    """A program that steps the plant and prints its outputs as CSV."""
    names = ", ".join(f'"{name}"' for name in METHODS)
    return f"""/* Steps the plant and prints its outputs: main [T_END [STEP [METHOD]]] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "il_plant.h"

const il_plant *{prefix}_plant(void);

/* in the order of il_method_id */
static const char *const methods[] = {{{names}}};

static int method_named(const char *name)
{{
    for (int k = 0; k < {len(METHODS)}; k++) {{
        if (strcmp(name, methods[k]) == 0) return k;
    }}
    return -1;
}}

static void print_row(double t, const double *values, int64_t count)
{{
    printf("%.17g", t);
    for (int64_t k = 0; k < count; k++) printf(",%.17g", values[k]);
    putchar('\\n');
}}

int main(int count, char **words)
{{
    const il_plant *plant = {prefix}_plant();
    const double t_end = count > 1 ? strtod(words[1], NULL) : {t_end!r};
    const double step = count > 2 ? strtod(words[2], NULL) : {step!r};
    const int method = method_named(count > 3 ? words[3] : "{method}");
    const size_t size = method < 0 ? 0 : il_instance_size(plant, method);
    /* one line of the cache more than needed, to begin at the start of one */
    char *room = size > 0 && step > 0.0 ? malloc(size + IL_ALIGNMENT) : NULL;
    double *values = calloc((size_t)plant->output_count + 1, sizeof *values);
    if (room == NULL || values == NULL) {{
        fprintf(stderr, "%s: use T_END STEP METHOD, e.g. {t_end:g} {step:g} {method}\\n", words[0]);
        return 2;
    }}
    char *memory = room + (IL_ALIGNMENT - (size_t)room % IL_ALIGNMENT) % IL_ALIGNMENT;
    il_instance *instance = il_initialize(memory, plant, method, step);
    int status = instance ? il_outputs(instance, values) : IL_BAD_ARGUMENT;

    printf("t");
    for (int64_t k = 0; k < plant->output_count; k++) printf(",%s", plant->outputs[k].name);
    putchar('\\n');
    const int64_t steps = (int64_t)(t_end / step + 0.5);
    for (int64_t k = 0; status == IL_OK; k++) {{
        print_row(il_time(instance), values, plant->output_count);
        if (k >= steps) break;
        status = il_advance(instance);
        if (status == IL_OK) status = il_outputs(instance, values);
    }}
    if (status != IL_OK) fprintf(stderr, "%s: ended with status %d\\n", words[0], status);
    free(values);
    free(room);
    return status == IL_OK ? 0 : 1;
}}
"""


def _objects(sources: Iterable[str]) -> str:
    return " ".join(f"{source.removesuffix('.c')}.o" for source in sources)


def emit_makefile(
    program: str,
    sources: Iterable[str],
    flags: Sequence[str],
    own: Sequence[tuple[Iterable[str], Sequence[str]]],
) -> str:
    """A Makefile with the compiler flags that `plant.simulate` uses, so that bits are the same.

    Args:
        program: name of the program.
        sources: names of all C files; an earlier export may have left others.
        flags: flags for all files.
        own: names of C files, and flags of their own, which come last.
    """
    more = "\n".join(
        f"{_objects(files)}: CFLAGS += {' '.join(added)}" for files, added in own if added
    )
    return f"""# make && ./{program} 1.0 > outputs.csv
CC = cc
CFLAGS = {" ".join(flags)}
SOURCES = {" ".join(sources)}

{program}: $(SOURCES:.c=.o)
\t$(CC) $(CFLAGS) -o $@ $^ -lm

$(SOURCES:.c=.o): $(wildcard *.h)
{more}

clean:
\trm -f *.o {program}

.PHONY: clean
"""


def emit_readme(table: PlantTable, program: str) -> str:
    """Inputs and outputs of the plant, in words."""
    modes = ""
    if len(table.modes) > 1:
        listed = "\n".join(f"- `{mode.name}`" for mode in table.modes)
        modes = f"\n## Modes\n\n{listed}\n"
    return f"""# {printable(table.name)}

A plant made by inloop, as C99 that needs nothing but `math.h`.

    make && ./{program} 1.0 > outputs.csv

`il_plant.h` is the header to read: the table of a plant, and what can be done with an instance of
it. `main.c` shows how: memory of its own, steps, outputs. Nothing allocates, keeps globals or calls
the system; any number of instances may run in any number of threads.

## Parameters

{_listed(table.parameters)}

## Inputs

{_listed(table.inputs)}

## Outputs

{_listed(table.outputs)}
{modes}"""


def _listed(quantities: Sequence[Quantity]) -> str:
    rows = [
        f"| {k} | `{printable(x.name)}` | {printable(x.unit) or '–'} | {x.start:g} |"
        for k, x in enumerate(quantities)
    ]
    return "\n".join(["| number | name | unit | start |", "|---|---|---|---|", *rows])
