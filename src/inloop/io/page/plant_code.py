"""The C files of a plant for a page: the plant, poses of its bodies, mouse interaction, glue."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.resources import files

from inloop.native.runtime_library import realtime_headers, realtime_sources
from inloop.plant import BarePlant
from inloop.plant.drawn.poses import PoseLibrary
from inloop.plant.leaving.needed_sources import needed_sources
from inloop.plant.reach import Reach
from inloop.plant.unit import plant_unit
from inloop.simulate.export import plant_in_c

LOOP = ("il_hand.c",)  # real-time sources that a page needs
LOOP_HEADERS = ("il_hand.h", "inloop.h")


def page_code(
    plant: BarePlant, library: PoseLibrary, reach: Reach, method: str, step: float
) -> dict[str, str]:
    """All C files by name.

    Args:
        plant: the compiled mechanism, with the initial parameters of the page.
        library: poses of its bodies.
        reach: how the mouse acts on them.
        method: integrator.
        step: step size [s].
    """
    exported = plant_in_c(plant, method, step)
    sources, headers = realtime_sources(), realtime_headers()
    own = {
        **exported.files,
        **{name: sources[name] for name in LOOP},
        **{name: headers[name] for name in LOOP_HEADERS},
        **library.code,
        "il_page.c": files("inloop.io.page").joinpath("il_page.c").read_text(encoding="utf-8"),
        "page_plant.h": _joined(plant, library, reach),
    }
    return needed_sources(exported.table, own, methods=(method,))


def libc_headers() -> dict[str, str]:
    """The few C library headers that plants include, by name."""
    folder = files("inloop.io.page").joinpath("libc")
    return {
        each.name: each.read_text(encoding="utf-8")
        for each in sorted(folder.iterdir(), key=lambda each: each.name)
        if each.name.endswith(".h")
    }


def _joined(plant: BarePlant, library: PoseLibrary, reach: Reach) -> str:
    """Definitions for `il_page.c` that are specific to the plant."""
    first = next(iter(plant.by_mode.values())) if plant.by_mode else plant
    known = [p.name for p in first.parameters.declared]
    table = _table_function(plant)
    sizes = {
        "BODIES": len(library.bodies),
        "POINTS": library.points,
        "POSITIONS": len(library.positions),
        "PREPARED": library.prepared,
        "DRAWN": len(library.parameters),
        "HELD": len(reach.bodies),
    }
    return "\n".join([
        "/* One plant: sizes, functions and tables. Generated. */",
        "#ifndef PAGE_PLANT_H",
        "#define PAGE_PLANT_H",
        '#include "il_hand.h"',
        *(f"#define PAGE_{name} {value}" for name, value in sizes.items()),
        f"#define PAGE_LENGTH {reach.length!r}",
        f"#define PAGE_MASS {reach.mass!r}",
        f"const il_plant *{table}(void);",
        f"#define page_table {table}",
        *_poses(library.prefix),
        _array("int32_t", "page_drawn", (known.index(name) for name in library.parameters)),
        *_reaches(reach),
        "#endif",
        "",
    ])  # fmt: skip


def _table_function(plant: BarePlant) -> str:
    table = plant_unit(plant.by_mode or {plant.name: plant}).table
    return f"{table.name}_plant"


def _poses(prefix: str) -> Iterable[str]:
    for name, arguments in {
        "prepare": "const double *parameters, double *prepared",
        "poses": "const double *prepared, const double *q, double *X",
        "points": "const double *prepared, const double *q, double *P",
    }.items():
        yield f"void {prefix}_{name}({arguments});"
        yield f"#define page_{name} {prefix}_{name}"


def _reaches(reach: Reach) -> Iterable[str]:
    """Tapes and bodies of each mode, and a table of them."""
    rows = []
    for k, tape in enumerate(reach.tapes):
        instructions = (tuple(map(int, row)) for row in tape.instructions)
        yield _array("il_instruction", f"instructions_{k}", (_braced(row) for row in instructions))
        yield _array("double", f"tables_{k}", map(_number, tape.tables))
        yield _array("int32_t", f"results_{k}", map(int, tape.results))
        yield _array("double", f"registers_{k}", map(_number, tape.registers), constant=False)
        yield _array("int64_t", f"parents_{k}", reach.parents[k])
        yield _array("int64_t", f"bodies_{k}", reach.places[k])
        fields = (
            f"instructions_{k}", f"tables_{k}", f"results_{k}", f"registers_{k}",
            len(tape.instructions), tape.inputs, len(tape.results), 0,
        )  # fmt: skip
        yield f"static il_tape tape_{k} = {_braced(fields)};"
        rows.append(_braced((f"&tape_{k}", f"parents_{k}", f"bodies_{k}")))
    yield _array("il_reach", "page_reaches", rows)


def _array(kind: str, name: str, values: Iterable[object], *, constant: bool = True) -> str:
    # C has no empty arrays
    entries = ", ".join(map(str, values)) or ("{0}" if kind.startswith("il_") else "0")
    return f"static {'const ' if constant else ''}{kind} {name}[] = {{{entries}}};"


def _braced(values: Iterable[object]) -> str:
    return "{" + ", ".join(map(str, values)) + "}"


def _number(value: float) -> str:
    return float(value).hex()


def headers_of(found: Mapping[str, str]) -> dict[str, str]:
    """The headers among files."""
    return {name: text for name, text in found.items() if name.endswith(".h")}
