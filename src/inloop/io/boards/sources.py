"""The sources of a plant for a board: one integrator, in the requested precision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import files

from inloop.codegen.c_plant import NOTHING, PlantTable, emit_plant
from inloop.errors import InputError
from inloop.io.boards.single import MATH_HEADER, in_single_precision, loosened
from inloop.plant import BarePlant, labels
from inloop.plant.leaving.needed_sources import needed_sources
from inloop.simulate.export import plant_in_c
from inloop.simulate.fixed_steps import REHEARSED, judged_method, warn_of

SINGLE_METHODS = ("euler", "rk4", "implicit")
EXPLICIT = ("euler", "rk4", "dopri")
# functions called by user programs
CALLED = (
    *("il_instance_size", "il_initialize", "il_reset", "il_advance", "il_time", "il_outputs"),
    *("il_set_parameters", "il_set_inputs", "il_set_input"),
    *("il_snapshot_size", "il_take_snapshot", "il_restore"),
)


@dataclass(frozen=True)
class Leaving:
    """A plant prepared for export to a board.

    Attributes:
        table: the plant table, with the current parameters and values derived from them.
        code: all generated sources by name.
        about: description of the plant for comments.
        method: integrator.
        step: step size [s].
        warnings: why the method is unreliable, or not the first choice.
    """

    table: PlantTable
    code: Mapping[str, str]
    about: tuple[str, ...]
    method: str
    step: float
    warnings: tuple[str, ...]


def leave(plant: BarePlant, method: str | None, step: float) -> Leaving:
    """Gather everything the sources of a plant contain; see `plant_in_c`."""
    chosen = judged_method(plant, method, step, REHEARSED)
    warn_of(chosen)
    exported = plant_in_c(plant, chosen.name, step)
    about = tuple(labels.about(plant.mechanism, plant.parameters.declared))
    warnings = (chosen.remark,) if chosen.remark else ()
    return Leaving(exported.table, exported.files, about, chosen.name, step, warnings)


def board_file(name: str) -> str:
    """Text of a hand-written file that accompanies a plant."""
    return files("inloop.io.boards").joinpath("c", name).read_text(encoding="utf-8")


def board_sources(leaving: Leaving, precision: str) -> dict[str, str]:
    """All sources of the plant by name, in the requested precision.

    Raises:
        InputError: single precision is insufficient for the method or for elements of the plant.
    """
    if precision == "float":
        _check_single(leaving)
        leaving = replace(leaving, table=loosened(leaving.table))
    if leaving.method in EXPLICIT:
        leaving = replace(leaving, table=_without_implicit_steps(leaving.table))
    table = emit_plant(leaving.table, leaving.table.name, leaving.about)
    chosen = needed_sources(
        leaving.table, table, methods=(leaving.method,), called=CALLED, others=leaving.code
    )
    if precision == "double":
        return chosen
    chosen = {name: in_single_precision(text) for name, text in chosen.items()}
    chosen[MATH_HEADER] = board_file(MATH_HEADER)
    chosen["il_precision.h"] = "#define IL_SINGLE\n" + chosen["il_precision.h"]
    return chosen


def _without_implicit_steps(table: PlantTable) -> PlantTable:
    """The table without functions that only implicit integrators call."""
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
        what = f"method {leaving.method!r} works in double precision only"
        raise InputError(what, fix=f"Choose {', '.join(SINGLE_METHODS)}, or double precision.")
    choices = [choice for mode in leaving.table.modes for choice in mode.choices]
    if any(choice.contacts or choice.redundant for choice in choices):
        what = "hard contacts and redundant coordinates are solved in double precision only"
        raise InputError(what, fix=fix)
