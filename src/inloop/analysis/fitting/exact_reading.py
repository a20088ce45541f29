"""Sensor readings along a motion, with derivatives.

Sensor formulas are differenced along the exact derivatives of the motion.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inloop.analysis.fitting.shooting import Shooting
from inloop.plant import Array
from inloop.plant.readings import readings, sense_motion
from inloop.plant.trying import with_parameters
from inloop.plant.variation.varied_system import VariedSystem

PART = 1e-5  # step of finite differences of sensor formulas, relative to the size of an unknown


class Reading:
    """Outputs of a plant, or of one of its modes, from the observed signals of its motion."""

    def __init__(
        self,
        system: VariedSystem,
        shooting: Shooting,
        t: Array,
        observed: tuple[Array, Array],
        u: Array,
    ) -> None:
        """Prepare the readings.

        Args:
            system: system that provides the observed signals.
            shooting: defines the outputs.
            t: times [s], shape (samples,).
            observed: signals, shape (samples, observed), and derivatives, with one more axis.
            u: inputs that led to the samples.
        """
        self._shooting, self._plant = shooting, system.plant
        (self._y, self._dy), self._u, self._t = observed, u, t
        self._observed = {name: k for k, name in enumerate(system.code.observed)}
        self._rows = [name for name in system.code.observed if name.startswith("lam.")]

    def outputs(self, group: Sequence[int]) -> tuple[Array, Array]:
        """Values and derivatives, shapes (samples, channels) and (..., group)."""
        names = self._shooting.outputs
        y = np.empty((len(self._y), len(names)))
        dy = np.empty((*y.shape, len(group)))
        sensors = [c for c, name in enumerate(names) if name not in self._observed]
        for c, name in enumerate(names):
            if c not in sensors:
                y[:, c], dy[:, c] = self._y[:, k := self._observed[name]], self._dy[:, k]
        if sensors:
            chosen = [names[c] for c in sensors]
            y[:, sensors] = self._sensed(chosen, self._y)
            for i, column in enumerate(group):
                dy[:, sensors, i] = self._difference(chosen, column, self._dy[:, :, i])
        return y, dy

    def _difference(self, names: Sequence[str], column: int, change: Array) -> Array:
        """Directional derivatives of sensor formulas by one unknown, motion included."""
        s = self._shooting
        count, parameters = len(s.unknowns), s.unknowns.names
        is_start = column >= count
        width = PART * (s.sizes[column - count] if is_start else s.unknowns.scale[column])
        pair = []
        for sign in (-1.0, 1.0):
            moved = self._y + sign * width * change
            if is_start:
                pair.append(self._sensed(names, moved))
                continue
            name = parameters[column]
            value = self._plant.parameters[name] + sign * width
            with with_parameters(self._plant, [name], [value]):
                pair.append(self._sensed(names, moved))
        return np.asarray((pair[1] - pair[0]) / (2.0 * width))

    def _sensed(self, names: Sequence[str], y: Array) -> Array:
        """Sensor readings for rows of the motion."""
        plant, n = self._plant, self._plant.n
        z = [self._observed[state.name] for state in plant.mechanism.states]
        turning = [self._observed[name] for name in plant.positions[n:]]
        q = plant.configuration.normalized(y[:, [*range(n), *turning]])
        arrays: dict[str, Any] = {"q": q, "qd": y[:, n : 2 * n], "t": self._t}
        arrays |= {"z": y[:, z]} if z else {}
        arrays |= {"u": self._u} if self._u.shape[1] else {}
        if sense_motion(plant):
            lam = y[:, [self._observed[name] for name in self._rows]]
            every = np.array([plant.formulation.on_all_rows(row) for row in lam])
            arrays |= {"qdd": y[:, 2 * n : 3 * n], "lam": every}
        values = readings(plant, **arrays)
        return np.stack([values[name] for name in names], axis=1)
