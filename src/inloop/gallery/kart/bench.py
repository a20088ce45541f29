"""The instruments of the kart bench, and the expected readings.

A binocular load cell has two channels with cross-talk. Its matrix is calibrated once with known
weights on each axis; the inverse removes the cross-talk.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

import inloop as il
from inloop.gallery.kart import data
from inloop.gallery.kart.data import CORNERS

Reals = npt.NDArray[np.float64]
PERIOD = 1e-3  # of the readings [s]
CUTOFF = 10.0  # of the filter of the belt speed [Hz]


class LoadCell:
    """Two channels with noise and cross-talk.

    Args:
        noise: standard deviation of each channel [N].
        cross_talk: fraction of each force that appears in the other channel.
        seed: of the noise.
    """

    def __init__(self, noise: float, cross_talk: float, seed: int = 1) -> None:
        self.matrix = np.array([[1.0, cross_talk], [-cross_talk, 1.0]])
        self.noise, self._random = noise, random.Random(seed)

    def read(self, longitudinal: float, lateral: float) -> Reals:
        """Readings of both channels [N]."""
        noise = [self._random.gauss(0.0, self.noise) for _ in range(2)]
        return np.asarray(self.matrix @ (longitudinal, lateral) + noise)

    def calibrated(self, channels: Reals) -> Reals:
        """Forces from the readings of both channels [N]."""
        return np.asarray(np.linalg.solve(self.matrix, channels))


class BeltSensor:
    """Pulses of an optical sensor, and the speed derived from them.

    Args:
        pulses: per meter of belt.
    """

    def __init__(self, pulses: float) -> None:
        self._pulses = il.devices.Encoder(1.0 / pulses)
        self._speed = il.devices.FilteredDifferences(PERIOD, CUTOFF)

    def read(self, turned: float) -> float:
        """Speed of the belt [m/s] for the angle of a roller [rad]."""
        return self._speed.update(self._pulses.read(data.ROLLER * turned))[1]


def by_hand(
    steer: float, toe: float, loads: Mapping[str, float], way: float = 1.0
) -> dict[str, float]:
    """Lateral forces of the front tyres, and both forces at the cell [N], by hand.

    A wheel turned by b has the slip angle b: its force is c load b across the wheel, limited by
    friction.

    Args:
        steer: angle of the column [rad].
        toe: of each wheel [rad].
        loads: of the front tyres [N].
        way: direction of the belt; -1 for backwards.
    """
    aside = {"front_left": steer - toe, "front_right": steer + toe}
    most = data.FRICTION
    held = {c: min(max(data.CORNERING * b, -most), most) for c, b in aside.items()}
    forces = {c: way * loads[c] * share for c, share in held.items()}
    drag = sum(forces[c] * math.sin(b) for c, b in aside.items())
    push = sum(forces[c] * math.cos(b) for c, b in aside.items())
    return {**forces, "longitudinal": drag, "lateral": push}


def sum_of_tyres(outputs: Mapping[str, float]) -> tuple[float, float]:
    """Sums of the tyre forces, backwards and to the left [N]."""
    back = -sum(outputs[f"tyre_{corner}.force_x"] for corner in CORNERS)
    return back, sum(outputs[f"tyre_{corner}.force_y"] for corner in CORNERS)
