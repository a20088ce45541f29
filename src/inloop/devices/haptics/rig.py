"""Description of a haptic device, from which matrices, a simulated handle and a chain are made."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from inloop.devices.estimators.differences import BackwardDifferences, FilteredDifferences
from inloop.devices.estimators.estimator import Estimator
from inloop.devices.haptics.actuator import Actuator
from inloop.devices.haptics.chain import DeviceChain
from inloop.devices.haptics.handle import Finger, HapticHandle
from inloop.devices.haptics.passivity import PassivityObserver, SeriesController
from inloop.devices.haptics.sampled_loop import SampledLoop
from inloop.devices.sensors.encoder import Encoder
from inloop.devices.sensors.sensor import Sensor
from inloop.errors import InputError


@dataclass(frozen=True)
class Rig:
    """A handle with sensor, servo and motor.

    Attributes:
        mass: of the handle [kg].
        damping: of the handle [N·s/m].
        friction: dry, of the handle [N].
        period: of the servo [s].
        delay: from a reading to its force, in addition to the hold [s].
        lag: time constant of the motor [s].
        limit: of the motor [N].
        sensor: creates a position sensor.
        estimator: creates an estimator; takes the period.
        controlled: whether there is a passivity controller.
        reserve: initial energy of the displayed mechanism that it may return [J], by its weight and
            springs.
        finger: the finger on the handle.
        stops: lowest and highest position of the handle [m].
        substeps: steps of the simulated handle per period.
    """

    mass: float = 0.2
    damping: float = 0.35
    friction: float = 0.0
    period: float = 1e-3
    delay: float = 0.0
    lag: float = 0.0
    limit: float = math.inf
    sensor: Callable[[], Sensor] = lambda: Encoder(1e-6)
    estimator: Callable[[float], Estimator] = BackwardDifferences
    controlled: bool = False
    reserve: float = 0.0
    finger: Finger = field(default_factory=Finger)
    stops: tuple[float, float] = (-math.inf, math.inf)
    substeps: int = 10

    def __post_init__(self) -> None:
        if not (self.mass > 0.0 and self.damping >= 0.0 and self.period > 0.0):
            raise InputError(
                f"no device has {self.mass:g} kg, {self.damping:g} N·s/m and a servo of "
                f"{self.period:g} s",
                fix="Mass and period must be above zero, the damping not below.",
            )

    def chain(self) -> DeviceChain:
        """Sensor to motor, at rest.

        The controller may add up to m/(2 T), a quarter of the stability limit of a sampled damper
        on a
        free mass: so a single count does not reverse the handle.
        """
        most = 0.5 * self.mass / self.period
        controller = SeriesController(self.period, most) if self.controlled else None
        return DeviceChain(
            self.sensor(),
            self.estimator(self.period),
            controller=controller,
            limit=self.limit,
            observer=PassivityObserver(self.reserve, self.reserve),
        )

    def handle(self) -> HapticHandle:
        """The handle with its motor, at rest; a period has `substeps` steps."""
        step = self.period / self.substeps
        motor = Actuator(step, limit=self.limit, lag=self.lag, delay=self.delay)
        return HapticHandle(motor, self.mass, self.damping, self.friction, self.finger, self.stops)

    def sampled_loop(self, *, spring_reads_estimate: bool = False) -> SampledLoop:
        """The linear loop without a hand: no rounding, no dry friction, no limit."""
        return SampledLoop(
            self.mass,
            self.damping,
            self.period,
            self.estimator(self.period).linear(),
            delay=self.delay,
            lag=self.lag,
            spring_reads_estimate=spring_reads_estimate,
        )


def _low_pass(cutoff: float) -> Callable[[float], Estimator]:
    return lambda period: FilteredDifferences(period, cutoff)


# 50 lines per inch, differences at 7 ms: the device of Gillespie and Cutkosky
COARSE = Rig(period=7e-3, limit=40.0, sensor=lambda: Encoder.per_inch(50), substeps=14)
# 0.1 µm at 10 kHz, derivatives behind a low-pass of 70 Hz
FINE = Rig(
    period=1e-4, limit=40.0, sensor=lambda: Encoder(1e-7), estimator=_low_pass(70.0), substeps=1
)
# 1 µm at 2 kHz, low-pass of 20 Hz: slow enough for a separate process
SMOOTH = Rig(
    mass=0.3,
    period=5e-4,
    limit=40.0,
    sensor=lambda: Encoder(1e-6),
    estimator=_low_pass(20.0),
    substeps=1,
)
