"""Texts that accompany the sources of a plant for a board: header, Makefile, CMake, README."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from inloop.codegen.c_plant import PlantTable, Quantity
from inloop.codegen.c_program import emit_readme
from inloop.codegen.quoting import printable
from inloop.io.boards.targets import Target

_TIMERS = {
    "timer_cortex_m.c": "an interrupt of the SysTick timer",
    "timer_riscv.c": "an interrupt of the machine timer, without an operating system,",
    "timer_linux.c": "a Linux thread that sleeps until each period",
}


def emit_header(table: PlantTable, method: str, step: float, precision: str, size: int) -> str:
    """`plant.h`: the sizes, names and functions that a program needs."""
    suffix = "f" if precision == "float" else ""
    return f"""/* The plant '{printable(table.name)}' on a board; see il_plant.h. */
#ifndef PLANT_H
#define PLANT_H

#include "il_plant.h"

typedef {precision} plant_number;

#define PLANT {table.name}_plant
#define PLANT_METHOD IL_{method.upper()}
#define PLANT_STEP {step!r}{suffix} /* [s] */

enum {{
    PLANT_BYTES = {size}, /* of an instance on this target: il_instance_size */
    PLANT_PARAMETERS = {len(table.parameters)},
    PLANT_INPUTS = {len(table.inputs)},
    PLANT_OUTPUTS = {len(table.outputs)}
}};

/* indices of inputs and outputs; their units are in README.md */
{_numbered("PLANT_IN_", table.inputs)}{_numbered("PLANT_OUT_", table.outputs)}
const il_plant *PLANT(void);

#endif
"""


def _numbered(prefix: str, quantities: Sequence[Quantity]) -> str:
    names = list(_constants(prefix, quantities))
    return f"enum {{\n    {f',{chr(10)}    '.join(names)}\n}};\n" if names else ""


def _constants(prefix: str, quantities: Sequence[Quantity]) -> Iterable[str]:
    """One constant per quantity; names that would clash get their number as suffix."""
    taken: set[str] = set()
    for number, quantity in enumerate(quantities):
        name = prefix + re.sub(r"\W", "_", quantity.name, flags=re.ASCII).upper()
        name = name if name not in taken else f"{name}_{number}"
        taken.add(name)
        yield f"{name} = {number}"


def emit_makefile(name: str, target: Target) -> str:
    """A Makefile that rebuilds the library, also with a different compiler."""
    return f"""# make: lib{name}.a; another compiler: make CROSS=riscv64-unknown-elf-
CROSS ?= {target.cross}
CFLAGS = {" ".join(target.flags)}
SOURCES = $(wildcard src/*.c)

lib{name}.a: $(SOURCES:.c=.o)
\t$(CROSS)ar rcs $@ $^

%.o: %.c $(wildcard src/*.h)
\t$(CROSS)gcc $(CFLAGS) -c -o $@ $<

clean:
\trm -f src/*.o lib{name}.a

.PHONY: clean
"""


def emit_cmake(name: str, target: Target) -> str:
    """A snippet for CMake projects."""
    flags = " ".join(
        flag for flag in target.flags if not flag.startswith(("-std", *target.machine))
    )
    return f"""# add_subdirectory(...) this directory and link with {name};
# your toolchain file must set the flags of the processor ({" ".join(target.machine)})
cmake_minimum_required(VERSION 3.13)
project({name}_plant C)
file(GLOB SOURCES ${{CMAKE_CURRENT_SOURCE_DIR}}/src/*.c)
add_library({name} STATIC ${{SOURCES}})
set_target_properties({name} PROPERTIES C_STANDARD 99 C_EXTENSIONS OFF)
target_compile_options({name} PRIVATE {flags})
target_include_directories({name} PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}}/src)
target_link_libraries({name} PUBLIC m)
"""


def emit_board_readme(table: PlantTable, target: Target, precision: str) -> str:
    """Overview of the files, then the inputs and outputs of the plant."""
    name = printable(table.name)
    listed = emit_readme(table, table.name).split("## Parameters", 1)[1]
    examples = "".join(
        f"- `example/{file}`: {_TIMERS[text]} steps the plant.\n"
        for file, text in target.timers.items()
    )
    return f"""# {name} for {target.about}, in `{precision}`

- `lib{name}.a`: the plant and all its dependencies except the C library. Link with
  `-Wl,--gc-sections -lm`.
- `src/plant.h`: the header to include; `src/il_plant.h` documents the functions of an instance.
{examples}- `example/serial.c`: control by a computer over a serial line (`inloop link serial`).
- `serial/`: the board's half of such a link.
- `REPORT.md`: flash, memory, stack and instructions of a step.
- `Makefile`, `CMakeLists.txt`: rebuild the library.
- `emulator/`: the program used for the measurements.

No code allocates memory, uses global variables or calls an operating system. You provide the memory
of an instance.

## Parameters{listed}"""
