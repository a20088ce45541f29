"""Which sources a plant needs on a board: one integrator, and only the runtime that it reaches."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files

from inloop.codegen.c_plant import NOTHING, PlantTable, emit_plant
from inloop.codegen.c_program import METHODS
from inloop.errors import InputError
from inloop.io.boards.single import MATH_HEADER, in_single_precision, loosened
from inloop.native import runtime_headers, runtime_sources
from inloop.plant import BarePlant, labels
from inloop.simulate.export import plant_in_c
from inloop.simulate.fixed_steps import REHEARSED, judged_method, warn_of

SINGLE_METHODS = ("euler", "rk4", "implicit")
EXPLICIT = ("euler", "rk4", "dopri")
# what a program calls
CALLED = (
    *("il_instance_size", "il_initialize", "il_reset", "il_advance", "il_time", "il_outputs"),
    *("il_set_parameters", "il_set_inputs", "il_set_input"),
    *("il_snapshot_size", "il_take_snapshot", "il_restore"),
)
_NAME = re.compile(r"[A-Za-z_]\w*")
_NOT_CODE = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
# a function or a table that other files see: its name begins a line, behind its type
_DEFINED = re.compile(
    r"^(?!static|typedef|#|\s|\}).*?\b(\w+)(?:\([^;]*?\)\s*\{|(?:\[\w*\])* = \{)", re.MULTILINE
)


@dataclass(frozen=True)
class Leaving:
    """A plant on its way to a board.

    Attributes:
        table: with the parameters as they are now, and what follows from them.
        code: all generated code by name.
        about: what comments say of the plant.
        method: integrator.
        step: [s].
        warnings: why the method is not to be trusted, or not the first choice.
    """

    table: PlantTable
    code: Mapping[str, str]
    about: tuple[str, ...]
    method: str
    step: float
    warnings: tuple[str, ...]

    def sources(self) -> dict[str, str]:
        """Its C sources with the whole runtime."""
        table = emit_plant(self.table, self.table.name, self.about)
        return {**runtime_headers(), **runtime_sources(), **self.code, **table}


def leave(plant: BarePlant, method: str | None, step: float) -> Leaving:
    """Settle all that the sources of a plant tell; see `plant_in_c`."""
    chosen = judged_method(plant, method, step, REHEARSED)
    warn_of(chosen)
    exported = plant_in_c(plant, chosen.name, step)
    about = tuple(labels.about(plant.mechanism, plant.parameters.declared))
    warnings = (chosen.remark,) if chosen.remark else ()
    return Leaving(exported.table, exported.files, about, chosen.name, step, warnings)


def board_file(name: str) -> str:
    """Text of a file that is written beside a plant."""
    return files("inloop.io.boards").joinpath("c", name).read_text(encoding="utf-8")


def board_sources(leaving: Leaving, precision: str) -> dict[str, str]:
    """All sources of the plant by name, in the precision asked for.

    Raises:
        InputError: single precision is not enough for the method or for what the plant has.
    """
    if precision == "float":
        _check_single(leaving)
        leaving = replace(leaving, table=loosened(leaving.table))
    if leaving.method in EXPLICIT:
        leaving = replace(leaving, table=_without_implicit_steps(leaving.table))
    choices = [choice for mode in leaving.table.modes for choice in mode.choices]
    absent = [
        name
        for name, used in {
            "il_without_contacts.c": any(choice.contacts for choice in choices),
            "il_without_redundant.c": any(choice.redundant for choice in choices),
            "il_without_loops.c": any(mode.terms for mode in leaving.table.modes),
        }.items()
        if not used
    ]
    everything = leaving.sources()
    offered = f"#define IL_ONLY IL_{leaving.method.upper()}\n"
    everything["il_stepper.c"] = offered + everything["il_stepper.c"]
    plant = f"{leaving.table.name}_plant"
    chosen = _reached(
        everything, {name: board_file(name) for name in absent}, leaving.method, plant
    )
    if precision == "double":
        return chosen
    chosen = {name: in_single_precision(text) for name, text in chosen.items()}
    chosen[MATH_HEADER] = board_file(MATH_HEADER)
    chosen["il_precision.h"] = "#define IL_SINGLE\n" + chosen["il_precision.h"]
    return chosen


def _without_implicit_steps(table: PlantTable) -> PlantTable:
    """The table without what implicit integrators alone call."""
    modes = []
    for mode in table.modes:
        choices = tuple(
            replace(
                each,
                prepare_steps=NOTHING,
                predict="",
                correct="",
                respond="",
                kept=0,
                prepare_jacobian=NOTHING,
                jacobian="",
            )
            for each in mode.choices
        )
        modes.append(replace(mode, choices=choices))
    return replace(table, modes=tuple(modes))


def _check_single(leaving: Leaving) -> None:
    fix = "Export it in double precision (--precision double)."
    if leaving.method not in SINGLE_METHODS:
        told = f"method {leaving.method!r} works in double precision only"
        raise InputError(told, fix=f"Choose {', '.join(SINGLE_METHODS)}, or double precision.")
    choices = [choice for mode in leaving.table.modes for choice in mode.choices]
    if any(choice.contacts or choice.redundant for choice in choices):
        what = "hard contacts and redundant coordinates are solved in double precision only"
        raise InputError(what, fix=fix)


def _reached(
    everything: Mapping[str, str], absent: Mapping[str, str], method: str, plant: str
) -> dict[str, str]:
    """The files that define what is called, and what that calls in turn; all headers."""
    headers = {name: text for name, text in everything.items() if name.endswith(".h")}
    bodies = {name: text for name, text in everything.items() if name.endswith(".c")}
    where = _definitions(bodies) | _definitions(absent)
    bodies |= absent
    others = {f"il_method_{other}" for other in METHODS if other != method}
    found: dict[str, str] = {}
    waiting = [where[name] for name in (*CALLED, plant)]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = bodies[name]
            names = set(_NAME.findall(_NOT_CODE.sub(" ", bodies[name]))) - others
            waiting += [where[each] for each in sorted(names) if each in where]
    return headers | dict(sorted(found.items()))


def _definitions(bodies: Mapping[str, str]) -> dict[str, str]:
    """Which file defines a name."""
    return {name: file for file, text in bodies.items() for name in _defined(text)}


def _defined(text: str) -> Iterable[str]:
    return _DEFINED.findall(_NOT_CODE.sub(" ", text))
