"""A plant that leaves Python: the complete C sources of it, with a program that steps it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from inloop.codegen.c_plant import ModeRow, PlantTable, emit_plant
from inloop.codegen.c_program import emit_main, emit_makefile, emit_readme
from inloop.errors import InputError
from inloop.native import DEFAULT_FLAGS, runtime_headers, runtime_sources
from inloop.plant import BarePlant, labels
from inloop.plant.arguments import real
from inloop.plant.unit import PlantUnit, plant_unit
from inloop.simulate.choice import method_at_start
from inloop.simulate.drives import read_drives
from inloop.simulate.inputs import Inputs
from inloop.simulate.schedules import METHODS
from inloop.simulate.start import first_internal_states, start_of
from inloop.simulate.systems import Conditions, System, make_systems

NOT_FOR_PROGRAMS = ("-fPIC", "-fvisibility=hidden")


def export_c(
    plant: BarePlant,
    directory: str | Path,
    *,
    method: str | None = None,
    step: float = 1e-3,
    t_end: float = 1.0,
) -> tuple[Path, ...]:
    """Write the sources of a stepping plant: C99 that needs nothing but `math.h`.

    Beside the plant they hold a program that steps it from its start, with the parameters as they
    are now, and prints its outputs; `make && ./NAME` gives the bits of `plant.simulate` with the
    same method and step, as long as the independent coordinates stay the same.

    Args:
        plant: the compiled mechanism.
        directory: made if it is not there; files of the same names are written anew.
        method: integrator of the program when none is named; what suits the start by default.
        step: its step [s].
        t_end: its end [s].

    Returns:
        The files.
    """
    step, t_end = real(step, "step"), real(t_end, "t_end")
    if not (0.0 < step <= t_end and math.isfinite(t_end)):
        raise InputError(
            f"{t_end} s in steps of {step} s make no sense", fix="Use 0 < step <= t_end."
        )
    method = method_at_start(plant, None, None, {}, step) if method is None else method
    if method not in METHODS:
        raise InputError(f"method {method!r} is unknown", fix=f"Use {', '.join(METHODS)}.")
    plants = plant.by_mode or {plant.name: plant}
    at = {
        name: Conditions(np.zeros(each.n), Inputs(each.first_inputs), read_drives(each, {}))
        for name, each in plants.items()
    }
    systems = make_systems(plants, at, METHODS[method], None, step)
    unit = plant_unit(plants)
    table = _as_it_is_now(unit.table, plant, systems, next(iter(at.values())))
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, text in _files(plant, unit, table, method, step, t_end).items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
        written.append(folder / name)
    return tuple(written)


def _as_it_is_now(
    table: PlantTable, plant: BarePlant, systems: tuple[System, ...], first: Conditions
) -> PlantTable:
    """The same table with the parameters of now, and with what follows from them."""
    values = map(float, plant.parameters.values_array)
    parameters = tuple(
        replace(parameter, start=value)
        for parameter, value in zip(table.parameters, values, strict=True)
    )
    modes = [_measured(row, system) for row, system in zip(table.modes, systems, strict=True)]
    modes[0] = _started(modes[0], systems[0], first)
    return replace(table, parameters=parameters, modes=tuple(modes))


def _measured(row: ModeRow, system: System) -> ModeRow:
    """A mode with natural units, and what counts as zero of each indicator."""
    system.measure()
    sizes, zeros = system.natural_units
    events = tuple(
        replace(event, tolerance=float(zero)) for event, zero in zip(row.events, zeros, strict=True)
    )
    units = tuple(map(float, system.sizes))
    return replace(row, events=events, sizes=tuple(map(float, sizes)), units=units)


def _started(row: ModeRow, system: System, conditions: Conditions) -> ModeRow:
    """The first mode at the start of a run, with independent coordinates that are good there."""
    plant, u = system.plant, conditions.inputs.constant
    z = first_internal_states(plant, u)
    start = start_of(plant, None, None, conditions.drives, u, z)
    choices = list(row.choices)
    if plant.loops is not None:
        good = plant.loops.good_at(start.q).partition
        choices.sort(key=lambda choice: choice.independent != good.independent)
    q, qd, states = (tuple(map(float, values)) for values in (start.q, start.qd, z))
    return replace(row, q=q, qd=qd, z=states, choices=tuple(choices))


def _files(
    plant: BarePlant, unit: PlantUnit, table: PlantTable, method: str, step: float, t_end: float
) -> Mapping[str, str]:
    """All files by name."""
    about = labels.about(plant.mechanism, plant.parameters.declared)
    files = {**runtime_headers(), **runtime_sources(), **emit_plant(table, table.name, about)}
    own: list[tuple[str, str]] = []
    for engine in unit.engines:
        files |= {**engine.headers, **engine.sources}
        if engine.unit.flags:
            objects = " ".join(f"{name.removesuffix('.c')}.o" for name in engine.sources)
            own.append((objects, " ".join(engine.unit.flags)))
    flags = [flag for flag in DEFAULT_FLAGS if flag not in NOT_FOR_PROGRAMS]
    return files | {
        "main.c": emit_main(table.name, method, step, t_end),
        "Makefile": emit_makefile(table.name, flags, own),
        "README.md": emit_readme(table, table.name),
    }
