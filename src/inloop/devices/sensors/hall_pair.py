"""Two opposed Hall sensors under a key, combined to a nearly linear reading."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from inloop.devices.sensors.converter import Converter

CALIBRATION_POINTS = 101


@dataclass(frozen=True)
class Magnet:
    """A cylindrical magnet, magnetized along its axis.

    Attributes:
        radius: [m].
        length: [m].
        remanence: [T].
    """

    radius: float = 8e-3
    length: float = 10e-3
    remanence: float = 0.4

    def field(self, distance: float) -> float:
        """Flux density on the axis, at a distance from the face [T]."""
        far = distance + self.length
        return 0.5 * self.remanence * (
            far / math.hypot(self.radius, far) - distance / math.hypot(self.radius, distance)
        )  # fmt: skip


def _five_volts(seed: int) -> Converter:
    return Converter(0.0, 5.0, 12, noise=0.5e-3, seed=seed)


@dataclass
class HallPair:
    """Position = k (U_front² - U_rear²) + O: Eq. 17 of Timmermans et al. (Sensors 21, 2021).

    The front sensor sees its magnet approach while the rear one sees its own recede. k and O are
    found by calibration, as in the source: least squares over the travel, without noise. This
    reproduces the source: a straight line except in the first and the last millimeter of ten.

    Sensors are Allegro A1301 (2.5 V at rest, 25 V/T, 0 to 5 V). Magnets and gaps are not given;
    these values keep the voltages within the range. At 5 Hz the source has errors of up to 10 % of
    the travel; a lag of 6.4 ms would explain it (amplitude · ω · lag), and can be set.

    Attributes:
        travel: of the key at the sensors [m].
        gap: minimum distance from sensor to magnet [m].
        magnet: on the key, one for each sensor.
        at_rest: voltage without field [V].
        sensitivity: of the sensors [V/T].
        period: time between readings [s]; used only with a lag.
        lag: time constant of the voltages [s].
        front: converter of the front voltage.
        rear: converter of the rear voltage.
        k: by calibration [m/V²].
        offset: O, by calibration [m].
    """

    travel: float = 10e-3
    gap: float = 12e-3
    magnet: Magnet = field(default_factory=Magnet)
    at_rest: float = 2.5
    sensitivity: float = 25.0
    period: float = 1e-3
    lag: float = 0.0
    front: Converter = field(default_factory=lambda: _five_volts(1))
    rear: Converter = field(default_factory=lambda: _five_volts(2))
    k: float = field(init=False)
    offset: float = field(init=False)
    lagging: tuple[float, float] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        positions = np.linspace(0.0, self.travel, CALIBRATION_POINTS)
        voltages = [self.voltages(float(z)) for z in positions]
        combined = [front**2 - rear**2 for front, rear in voltages]
        self.k, self.offset = (float(x) for x in np.polyfit(combined, positions, 1))

    def voltages(self, position: float) -> tuple[float, float]:
        """U_front and U_rear [V] at a position of the key, 0 to `travel` [m]."""
        near, away = self.gap + self.travel - position, self.gap + position
        front, rear = self.magnet.field(near), self.magnet.field(away)
        return self.at_rest + self.sensitivity * front, self.at_rest + self.sensitivity * rear

    def combine(self, front: float, rear: float) -> float:
        """Position from two voltages [m]: Eq. 17."""
        return self.k * (front**2 - rear**2) + self.offset

    def read(self, position: float) -> float:
        """Position from the two measured voltages [m]."""
        front, rear = self.voltages(position)
        if self.lag > 0.0:
            stay = math.exp(-self.period / self.lag)
            before = self.lagging or (front, rear)
            front += stay * (before[0] - front)
            rear += stay * (before[1] - rear)
            self.lagging = (front, rear)
        return self.combine(self.front.read(front), self.rear.read(rear))
