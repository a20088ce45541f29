"""Export a plant as complete C sources, with a program that steps it."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from inloop.errors import InputError
from inloop.plant import BarePlant
from inloop.plant.arguments import file_path, real
from inloop.plant.keywords import checked_call
from inloop.plant.leaving.exported import (
    Beginning,
    ExportedPlant,
    Measures,
    Stepping,
    exported_plant,
    program_files,
)
from inloop.plant.unit import plant_unit
from inloop.simulate.controlled.compiled import check_step
from inloop.simulate.drives import read_drives
from inloop.simulate.fixed_steps import method_for_export
from inloop.simulate.inputs import Inputs
from inloop.simulate.schedules import METHODS
from inloop.simulate.start import first_internal_states, start_of
from inloop.simulate.systems import Conditions, System, make_systems


@checked_call
def export_c(
    plant: BarePlant,
    directory: str | Path,
    *,
    method: str | None = None,
    step: float = 1e-3,
    t_end: float = 1.0,
) -> tuple[Path, ...]:
    """Write a plant and its integrators as C99 sources that depend on `math.h` only.

    They include a program that steps the plant from its start, with the current parameters, and
    prints its outputs; `make && ./NAME` reproduces `plant.simulate` with the same method and step
    bit by bit, as long as the independent coordinates do not change.

    Args:
        plant: the compiled mechanism.
        directory: created if missing; existing files are overwritten.
        method: default integrator of the program; if None, chosen by a rehearsal.
        step: step of the program [s].
        t_end: end time of the program [s].

    Returns:
        The files written.
    """
    folder = file_path(directory, "directory")
    step, t_end = real(step, "step"), real(t_end, "t_end")
    if not (0.0 < step <= t_end and math.isfinite(t_end)):
        what = f"{t_end} s in steps of {step} s make no sense"
        raise InputError(what, fix="Use 0 < step <= t_end.")
    method = method_for_export(plant, method, step, t_end)
    exported = plant_in_c(plant, method, step)
    files = program_files(exported, Stepping(method, step, t_end))
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    return tuple(folder / name for name in files)


def plant_in_c(plant: BarePlant, method: str, step: float) -> ExportedPlant:
    """The plant with everything needed to export it.

    Args:
        plant: the compiled mechanism.
        method: integrator, see `method_for_export`.
        step: step of runs from the start of the plant [s].
    """
    plants = plant.by_mode or {plant.name: plant}
    check_step(plants, step)
    at = {
        name: Conditions(np.zeros(each.n), Inputs(each.first_inputs), read_drives(each, {}))
        for name, each in plants.items()
    }
    first, conditions = next(iter(plants.values())), next(iter(at.values()))
    begin = _beginning(first, conditions)
    systems = make_systems(plants, at, METHODS[method], None, step)
    measures = [_measured(system) for system in systems]
    return exported_plant(plant, plant_unit(plants), measures, begin)


def _beginning(plant: BarePlant, conditions: Conditions) -> Beginning:
    """The start of a run, with well-conditioned independent coordinates."""
    u = conditions.inputs.constant
    z = first_internal_states(plant, u)
    start = start_of(plant, None, None, conditions.drives, u, z)
    choice = plant.formulation.good_at(start.q).partition
    return Beginning(start.q, start.qd, z, choice)


def _measured(system: System) -> Measures:
    system.measure()
    return Measures(system.sizes, *system.natural_units)
