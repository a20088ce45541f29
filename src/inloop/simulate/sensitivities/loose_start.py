"""How a start changes that nothing keeps: loops closed near a guess, with neither joint declared.

Such a position is where the search for it has ended. It is differenced over the whole search, with
parameters and inputs a little moved; what was given or declared needs none of this.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inloop.plant import Array, BarePlant
from inloop.plant.trying import with_parameters
from inloop.simulate.drives import read_drives
from inloop.simulate.inputs import read_inputs
from inloop.simulate.sensitivities.run_arguments import RunArguments
from inloop.simulate.start import first_internal_states, start_of

WIDTH = 1e-4  # of the size of a quantity, over which the start is differenced
# of the fourth order: places in widths, and their weights
STENCIL = ((2.0, -1 / 12), (1.0, 8 / 12), (-1.0, -8 / 12), (-2.0, 1 / 12))


@dataclass(frozen=True)
class LooseStart:
    """The start of a run, as a function of parameters and inputs."""

    plant: BarePlant
    arguments: RunArguments

    def changes(self, names: Sequence[str], kind: str) -> Array:
        """Derivatives of all positions ("q") or velocities ("qd"), shape (n, names)."""
        found = np.zeros((self.plant.n, len(names)))
        for k, name in enumerate(names):
            if name in self.plant.parameters or name in self.plant.inputs:
                found[:, k] = self._slope(name, kind)
        return found

    def _slope(self, name: str, kind: str) -> Array:
        given = self.plant.parameters.get(name, 0.0)
        width = WIDTH * (abs(float(given)) or 1.0)
        parts = [weight / width * self._at(name, place * width, kind) for place, weight in STENCIL]
        return np.asarray(sum(parts))

    def _at(self, name: str, moved: float, kind: str) -> Array:
        """Positions or velocities of the start, with one quantity moved."""
        plant, given = self.plant, self.arguments
        u = read_inputs(plant, given.inputs or {}).at(0.0).copy()
        parameters = [name] if name in plant.parameters else []
        if not parameters:
            u[plant.inputs.index(name)] += moved
        values = [plant.parameters[each] + moved for each in parameters]
        with with_parameters(plant, parameters, values):
            z = first_internal_states(plant, u)
            start = start_of(plant, given.q, given.qd, read_drives(plant, {}), u, z)
        return np.asarray(getattr(start, kind)[: plant.n])
