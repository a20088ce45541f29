"""A plant that leaves Python: the complete C sources of it, with a program that steps it."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from inloop.errors import InputError
from inloop.plant import BarePlant
from inloop.plant.arguments import real
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
    """Write the sources of a stepping plant: C99 that needs nothing but `math.h`.

    Beside the plant they hold a program that steps it from its start, with the parameters as they
    are now, and prints its outputs; `make && ./NAME` gives the bits of `plant.simulate` with the
    same method and step, as long as the independent coordinates stay the same.

    Args:
        plant: the compiled mechanism.
        directory: made if it is not there; files of the same names are overwritten.
        method: integrator of the program when none is named; by default what a rehearsal of it
            allows.
        step: its step [s].
        t_end: its end [s].

    Returns:
        The files.
    """
    step, t_end = real(step, "step"), real(t_end, "t_end")
    if not (0.0 < step <= t_end and math.isfinite(t_end)):
        what = f"{t_end} s in steps of {step} s make no sense"
        raise InputError(what, fix="Use 0 < step <= t_end.")
    method = method_for_export(plant, method, step, t_end)
    exported = plant_in_c(plant, method, step)
    files = program_files(exported, Stepping(method, step, t_end))
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    return tuple(folder / name for name in files)


def plant_in_c(plant: BarePlant, method: str, step: float) -> ExportedPlant:
    """The plant with all that it needs to leave.

    Args:
        plant: the compiled mechanism.
        method: integrator, see `method_for_export`.
        step: [s], of runs that begin at the start of the plant.
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
    """The start of a run, with independent coordinates that are good there."""
    u = conditions.inputs.constant
    z = first_internal_states(plant, u)
    start = start_of(plant, None, None, conditions.drives, u, z)
    choice = plant.formulation.good_at(start.q).partition
    return Beginning(start.q, start.qd, z, choice)


def _measured(system: System) -> Measures:
    system.measure()
    return Measures(system.sizes, *system.natural_units)
