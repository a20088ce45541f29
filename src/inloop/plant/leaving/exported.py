"""A plant as the files of a C program: its table as it is now, its code, the runtime."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from inloop.codegen.c_plant import ModeRow, PlantTable, emit_plant
from inloop.codegen.c_program import emit_main, emit_makefile, emit_readme
from inloop.formalisms.loops.partition import Partition
from inloop.native import DEFAULT_FLAGS, RUNTIME_FLAGS, merged_sources, runtime_sources
from inloop.plant import labels
from inloop.plant.engine import Array
from inloop.plant.leaving.needed_sources import needed_sources, usable_methods
from inloop.plant.unit import PlantUnit

if TYPE_CHECKING:
    from inloop.plant.bare_plant import BarePlant

NOT_FOR_PROGRAMS = ("-fPIC", "-fvisibility=hidden")


@dataclass(frozen=True)
class Measures:
    """What counts as one unit, or as zero, in a mode, with the parameters of now.

    Attributes:
        coordinates: one unit of each coordinate.
        sizes: one unit of each entry of x.
        zeros: what is zero of each indicator.
    """

    coordinates: Array
    sizes: Array
    zeros: Array


@dataclass(frozen=True)
class Beginning:
    """Where the program starts, in the first mode.

    Attributes:
        q, qd, z: coordinates, velocities, states of laws.
        choice: of independent coordinates.
    """

    q: Array
    qd: Array
    z: Array
    choice: Partition


@dataclass(frozen=True)
class Stepping:
    """What the program does when it is not told.

    Attributes:
        method: integrator.
        step: [s].
        t_end: [s].
    """

    method: str
    step: float
    t_end: float


@dataclass(frozen=True)
class ExportedPlant:
    """A plant in C, as it is now.

    Attributes:
        table: with the parameters of now, and with what follows from them.
        unit: whose code it is.
        files: the table and all generated code, by name.
    """

    table: PlantTable
    unit: PlantUnit
    files: Mapping[str, str]


def exported_plant(
    plant: BarePlant, unit: PlantUnit, measures: Sequence[Measures], begin: Beginning
) -> ExportedPlant:
    """The plant in C; beside the runtime nothing else is needed to run it."""
    table = _as_it_is_now(unit.table, plant, measures, begin)
    about = labels.about(plant.mechanism, plant.parameters.declared)
    files = {**emit_plant(table, table.name, about), **unit.own_code}
    for engine in unit.engines:
        files |= {**engine.headers, **engine.sources}
    return ExportedPlant(table, unit, files)


def program_files(exported: ExportedPlant, stepping: Stepping) -> Mapping[str, str]:
    """All files of a program that steps the plant, by name.

    What Python compiles as one is one file here, so that compilers inline the same.
    """
    name, unit = exported.table.name, exported.unit
    files = dict(exported.files)
    own: list[tuple[Iterable[str], Sequence[str]]] = []
    parts = [(engine.sources, engine.unit.prefix, engine.unit.flags) for engine in unit.engines]
    for separate, prefix, flags in [*parts, (unit.own_code, f"{name}_own", ())]:
        merged = merged_sources(separate, prefix)
        files = {file: text for file, text in files.items() if file not in separate} | merged
        own.append((merged, flags))
    files["main.c"] = emit_main(name, stepping.method, stepping.step, stepping.t_end)
    methods = usable_methods(exported.table)
    sources = needed_sources(exported.table, files, methods=methods)
    own.append(([file for file in sources if file in runtime_sources()], RUNTIME_FLAGS))
    of_all = [flag for flag in DEFAULT_FLAGS if flag not in NOT_FOR_PROGRAMS]
    compiled = [file for file in sources if file.endswith(".c")]
    return {
        **sources,
        "Makefile": emit_makefile(name, compiled, of_all, own),
        "README.md": emit_readme(exported.table, name),
    }


def _as_it_is_now(
    table: PlantTable, plant: BarePlant, measures: Sequence[Measures], begin: Beginning
) -> PlantTable:
    """The same table with the parameters of now, and with what follows from them."""
    values = _floats(plant.parameters.values_array)
    parameters = tuple(
        replace(parameter, start=value)
        for parameter, value in zip(table.parameters, values, strict=True)
    )
    modes = [_measured(row, found) for row, found in zip(table.modes, measures, strict=True)]
    modes[0] = _started(modes[0], begin)
    return replace(table, parameters=parameters, modes=tuple(modes))


def _measured(row: ModeRow, found: Measures) -> ModeRow:
    events = tuple(
        replace(event, tolerance=float(zero))
        for event, zero in zip(row.events, found.zeros, strict=True)
    )
    units, sizes = _floats(found.coordinates), _floats(found.sizes)
    return replace(row, events=events, units=units, sizes=sizes)


def _started(row: ModeRow, begin: Beginning) -> ModeRow:
    # an instance starts with the first choice
    good = begin.choice.independent
    choices = sorted(row.choices, key=lambda choice: choice.independent != good)
    q, qd, z = map(_floats, (begin.q, begin.qd, begin.z))
    return replace(row, q=q, qd=qd, z=z, choices=tuple(choices))


def _floats(values: Array) -> tuple[float, ...]:
    return tuple(map(float, values))
