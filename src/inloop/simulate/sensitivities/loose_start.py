"""Derivatives of a start that no declaration determines: loops closed near a guess.

Such a position is where the search for it ended. It is differentiated by finite differences of the
whole search over parameters and inputs. Given and declared values do not need this.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from inloop.plant import Array, BarePlant
from inloop.plant.trying import with_parameters
from inloop.simulate.drives import read_drives
from inloop.simulate.inputs import read_inputs
from inloop.simulate.sensitivities.run_arguments import RunArguments
from inloop.simulate.start import first_internal_states, start_of

WIDTH = 1e-4  # step of the differences, relative to the size of a quantity
# differences of fourth order: places in units of the step, and their weights
STENCIL = ((2.0, -1 / 12), (1.0, 8 / 12), (-1.0, -8 / 12), (-2.0, 1 / 12))


@dataclass(frozen=True)
class LooseStart:
    """The start of a run, as a function of parameters and inputs."""

    plant: BarePlant
    arguments: RunArguments

    def changes(self, names: Sequence[str]) -> dict[str, Array]:
        """Derivatives of all positions "q" and velocities "qd", each of shape (n, names)."""
        plant, n = self.plant, self.plant.n
        moving = [name for name in names if name in plant.parameters or name in plant.inputs]
        changes = np.zeros((2 * n, len(names)))
        here = self._read(moving[0], by=0.0) if moving else np.empty(0)
        for name in moving:
            width = WIDTH * (abs(float(plant.parameters.get(name, 0.0))) or 1.0)
            if not np.array_equal(self._read(name, by=width), here):
                changes[:, names.index(name)] = self._slope(name, width)
        return {"q": changes[:n], "qd": changes[n:]}

    def _read(self, name: str, by: float) -> Array:
        """Data of the search with one quantity changed: constraints, lengths, drives."""
        plant, equations = self.plant, self.plant.equations
        with self._moved(name, by) as (u, z):
            drives = read_drives(plant, {})
            led = [] if drives is None else [drives.at(plant, 0.0, u, z).ravel()]
            return np.concatenate([equations.prepared("constraints"), equations.size.units, *led])

    def _slope(self, name: str, width: float) -> Array:
        parts = [weight / width * self._at(name, place * width) for place, weight in STENCIL]
        return np.asarray(sum(parts))

    def _at(self, name: str, moved: float) -> Array:
        """Positions and velocities of the start, with one quantity changed."""
        plant, given = self.plant, self.arguments
        with self._moved(name, moved) as (u, z):
            start = start_of(plant, given.q, given.qd, read_drives(plant, {}), u, z)
        return np.concatenate([start.q[: plant.n], start.qd])

    @contextmanager
    def _moved(self, name: str, by: float) -> Iterator[tuple[Array, Array]]:
        """Change one quantity temporarily; yields inputs and states of laws and drives."""
        plant = self.plant
        u = read_inputs(plant, self.arguments.inputs or {}).at(0.0).copy()
        parameters = [name] if name in plant.parameters else []
        if not parameters:
            u[plant.inputs.index(name)] += by
        values = [plant.parameters[each] + by for each in parameters]
        with with_parameters(plant, parameters, values):
            yield u, first_internal_states(plant, u)
