"""Derivatives of predictions by central differences, with runs in parallel on all cores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inloop.analysis.fitting.shooting import Runs, Shooting
from inloop.plant import Array

PART = 1e-5  # step of finite differences, relative to the size of an unknown

Moved = tuple[int, int, float, float]  # segment, column, value below and above


class Differences:
    """Derivatives of the predictions of segments, from runs with perturbed unknowns."""

    def __init__(self, shooting: Shooting) -> None:
        self._shooting = shooting

    def __call__(self, values: Array, nodes: Array) -> tuple[list[Array], Array]:
        """Derivatives of `Shooting.predict` by parameters and by the segment's initial state.

        Returns:
            One array (samples, channels, unknowns + state size) per segment, and one of shape
            (segments, state size, unknowns + state size); columns of delays are zero.
        """
        s = self._shooting
        plan = [
            (k, column, *self._pair(values, nodes[k], column))
            for k in range(len(s.segments))
            for column in s.varied_columns(k)
        ]
        y, ends = s.simulate(self._moved(plan, values, nodes))
        late = s.delays(values)
        seen, slopes = s.blank_derivatives()
        for i, (k, column, down, up) in enumerate(plan):
            low, high = (s.seen(y[2 * i + side], s.segments[k], late) for side in (0, 1))
            seen[k][:, :, column] = (high - low) / (up - down)
            slopes[k, :, column] = (ends[2 * i + 1] - ends[2 * i]) / (up - down)
        return seen, slopes

    def _pair(self, values: Array, node: Array, column: int) -> tuple[float, float]:
        """Lower and upper value of an unknown for its central difference, within its bounds."""
        s = self._shooting
        count = len(s.unknowns)
        if column >= count:
            at, width = node[column - count], PART * s.sizes[column - count]
            return at - width, at + width
        at, width = values[column], PART * s.unknowns.scale[column]
        low, high = s.unknowns.lower[column], s.unknowns.upper[column]
        return max(at - width, low), min(at + width, high)

    def _moved(self, plan: Sequence[Moved], values: Array, nodes: Array) -> Runs:
        unknowns = self._shooting.unknowns
        count = len(unknowns)
        segment = np.repeat(np.array([k for k, *_ in plan], dtype=int), 2)
        rows, states = np.tile(values, (len(segment), 1)), nodes[segment]
        for i, (_, column, *pair) in enumerate(plan):
            for side, value in enumerate(pair):
                if column < count:
                    rows[2 * i + side, column] = value
                else:
                    states[2 * i + side, column - count] = value
        return Runs(segment, rows[:, : len(unknowns.names)], states)
