"""The energy along a result that does not contain it, such as a recording."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar

import numpy as np

from inloop.errors import InputError
from inloop.plant import BarePlant
from inloop.simulate.results.result import ENERGIES, Result

AnyResult = TypeVar("AnyResult", bound=Result)


def with_energy(result: AnyResult, plant: BarePlant) -> AnyResult:
    """The same result with kinetic and potential energy [J] from the plant's equations.

    Args:
        result: result of a run of this plant.
        plant: with any parameters; those of the result are used, with their changes.

    Raises:
        InputError: the result is of a different plant.
    """
    check_same_plant(result, plant)
    plants = plant.by_mode or {plant.name: plant}
    energy = np.full((len(result.t), 2), np.nan)
    for rows, mode, parameters in _stretches(result):
        chosen = plants.get(mode) if plant.by_mode else plant
        if chosen is None:
            continue
        columns = [result.coordinates.index(name) for name in chosen.coordinates]
        values = np.array([parameters.get(name, x) for name, x in chosen.parameters.items()])
        pre = chosen.equations.prepared_for("energy", values)
        state = {"q": result.q[rows][:, columns], "qd": result.qd[rows][:, columns]}
        energy[rows] = chosen.evaluate("energy", ready=True, pre=pre, lanes=False, **state)["E"]
    return replace(result, energy=energy, units={**result.units, **dict.fromkeys(ENERGIES, "J")})


def check_same_plant(result: Result, plant: BarePlant) -> None:
    """Check that a result may belong to a plant.

    Raises:
        InputError: their coordinates differ.
    """
    plants = (plant.by_mode or {plant.name: plant}).values()
    known = dict.fromkeys(name for each in plants for name in each.coordinates)
    if set(known) != set(result.coordinates):
        raise InputError(
            f"the result of '{result.name}' does not belong to plant '{plant.name}': their "
            "coordinates differ",
            fix=f"Give the plant with coordinates {', '.join(result.coordinates[:8])}.",
        )


def _stretches(result: Result) -> Iterator[tuple[slice, str, Mapping[str, float]]]:
    """Intervals of samples with one mode and the same parameters."""
    cuts = {0, len(result.t)}
    modes = result.modes
    if modes is not None:
        cuts |= set((np.flatnonzero(modes[1:] != modes[:-1]) + 1).tolist())
    changes = {change.row: change.values for change in result.changes}
    now = dict(result.parameters)
    for begin, end in pairwise(sorted(cuts | set(changes))):
        now |= changes.get(begin, {})
        yield slice(begin, end), "" if modes is None else str(modes[begin]), dict(now)
