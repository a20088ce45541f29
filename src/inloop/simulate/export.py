"""A plant that leaves Python: the complete C sources of it, with a program that steps it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from inloop.codegen.c_plant import PlantTable, emit_plant
from inloop.codegen.c_program import emit_main, emit_makefile, emit_readme
from inloop.errors import InputError
from inloop.native import DEFAULT_FLAGS, runtime_headers, runtime_sources
from inloop.plant import BarePlant, labels
from inloop.plant.unit import PlantUnit, plant_unit
from inloop.simulate.drives import read_drives
from inloop.simulate.inputs import Inputs
from inloop.simulate.schedules import METHODS
from inloop.simulate.systems import Conditions, System, make_systems

NOT_FOR_PROGRAMS = ("-fPIC", "-fvisibility=hidden")


def export_c(
    plant: BarePlant,
    directory: str | Path,
    *,
    method: str,
    step: float = 1e-3,
    t_end: float = 1.0,
) -> tuple[Path, ...]:
    """Write the sources of a stepping plant.

    Args:
        plant: the compiled mechanism.
        directory: made if it is not there; files of the same names are written anew.
        method: integrator of the program when none is named.
        step: its step [s].
        t_end: its end [s].

    Returns:
        The files.
    """
    if method not in METHODS:
        raise InputError(f"method {method!r} is unknown", fix=f"Use {', '.join(METHODS)}.")
    plants = plant.by_mode or {plant.name: plant}
    at = {
        name: Conditions(np.zeros(each.n), Inputs(each.first_inputs), read_drives(each, {}))
        for name, each in plants.items()
    }
    systems = make_systems(plants, at, METHODS[method], None, step)
    unit = plant_unit(plants)
    table = _measured(unit.table, systems)
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, text in _files(plant, unit, table, method, step, t_end).items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
        written.append(folder / name)
    return tuple(written)


def _measured(table: PlantTable, systems: tuple[System, ...]) -> PlantTable:
    """The same table with natural units, and what counts as zero of each indicator."""
    modes = []
    for row, system in zip(table.modes, systems, strict=True):
        system.measure()
        sizes, zeros = system.natural_units
        events = tuple(
            replace(event, tolerance=float(zero))
            for event, zero in zip(row.events, zeros, strict=True)
        )
        modes.append(replace(row, events=events, sizes=tuple(map(float, sizes))))
    return replace(table, modes=tuple(modes))


def _files(
    plant: BarePlant, unit: PlantUnit, table: PlantTable, method: str, step: float, t_end: float
) -> Mapping[str, str]:
    """All files by name."""
    about = labels.about(plant.mechanism, plant.parameters.declared)
    files = {**runtime_headers(), **runtime_sources(), **emit_plant(table, table.name, about)}
    chain: list[tuple[str, str]] = []
    for engine in unit.engines:
        files |= {**engine.headers, **engine.sources}
        if engine.unit.flags:
            objects = " ".join(f"{name[:-2]}.o" for name in engine.sources)
            chain.append((objects, " ".join(engine.unit.flags)))
    flags = [flag for flag in DEFAULT_FLAGS if flag not in NOT_FOR_PROGRAMS]
    return files | {
        "main.c": emit_main(table.name, method, step, t_end),
        "Makefile": emit_makefile(table.name, flags, chain),
        "README.md": emit_readme(table, table.name),
    }
