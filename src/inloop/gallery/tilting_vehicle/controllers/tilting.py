"""Direct tilt control, and combined steering and tilt control.

The target of both is the tilt that balances the demanded turn, tan θ = v² κ / g, with the tilt
acceleration w² (θ_w - θ) - 2 z w θ'. Direct control leaves the steering to the driver: the tilt
motor supplies all of the torque, whose reaction rolls the rear module to the outside of the curve.
Combined control steers so that the lateral acceleration below the cabin helps to tilt it,

    a cos θ = g sin θ - J θ''_w / (m h),

to a given share: 0 is direct control, at 1 the motor has nothing left to do, as on a bicycle.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from inloop.gallery.tilting_vehicle.controllers.design import PERIOD
from inloop.gallery.tilting_vehicle.controllers.sensing import Known, Sensing
from inloop.gallery.tilting_vehicle.controllers.signals import Signals
from inloop.gallery.tilting_vehicle.data import CLEVER, SIZE, G, Vehicle

# place [m], yaw [rad], speed [m/s] -> curvature [1/m]
Lead = Callable[[tuple[float, float], float, float], float]
STEEREST, FARTHEST = 0.8, 0.55  # maximum angle of the fork, maximum desired tilt [rad]
COUNTER = 0.15  # fraction of the desired tilt acceleration that is produced by steering
FALLEN, STANDS = 0.8, 0.3  # tilt above which it has fallen, below which it stands again [rad]
SLOW = 0.6  # fraction of the set speed below which steering contributes less to the balance


@dataclass
class Gains:
    """Gains; defaults are for the demonstrator.

    Attributes:
        speed: set-point [m/s].
        frequency: of the tilt loop [Hz].
        damping: damping ratio of the tilt loop.
        share: of the steering in tilting: 0 direct, 1 as on a bicycle.
    """

    speed: float = 2.5
    frequency: float = 2.0
    damping: float = 0.9
    share: float = 0.0


class TiltControl:
    """A controller: from outputs to motors and steering, once per period.

    Attributes:
        gains: read at each sample.
        lead: the driver.
        known: readings and estimates at the last sample.
    """

    def __init__(
        self,
        lead: Lead,
        parameters: Mapping[str, float],
        gains: Gains | None = None,
        *,
        size: float = SIZE,
        seed: int = 1,
        period: float = PERIOD,
    ) -> None:
        """Create the controller.

        Args:
            lead: the driver.
            parameters: of the plant, including its sensor errors.
            gains: of the controller.
            size: of the vehicle, relative to CLEVER.
            seed: of the sensor noise.
            period: time between two samples [s].
        """
        self.car: Vehicle = CLEVER.of_size(size)
        self.gains, self.lead, self.period = gains or Gains(), lead, period
        self.sensing = Sensing(self.car, parameters, seed, period)
        self.known: Known | None = None
        self.reset()

    def reset(self) -> None:
        """Restart."""
        self.sensing.reset()
        self._missing, self._last, self._fallen = 0.0, math.inf, False

    def __call__(self, t: float, outputs: Signals) -> dict[str, float]:
        """Inputs of the plant at a time [s]."""
        missed = max(0, round((t - self._last) / self.period) - 1) if self._last <= t else 0
        self._last = t
        known = self.known = self.sensing.read(outputs, missed)
        place = float(outputs["rear_tx.q"]), float(outputs["rear_ty.q"])
        curvature = self.lead(place, float(outputs["rear_rz.q"]), known.speed)
        # a vehicle that has fallen over is left alone until it is set upright
        self._fallen = abs(known.tilt) > (STANDS if self._fallen else FALLEN)
        if self._fallen:
            rest = dict.fromkeys(("motor", "tilt_motor", "steering.q"), 0.0)
            return {**rest, "estimate.tilt": known.tilt, "estimate.bias": known.bias}
        push = self._tilt_acceleration(known, curvature)
        return {
            "motor": self._drive(known),
            "tilt_motor": self._torque(known, push),
            "steering.q": self._steer(known, curvature, push),
            "estimate.tilt": known.tilt,
            "estimate.bias": known.bias,
        }

    def _tilt_acceleration(self, known: Known, curvature: float) -> float:
        """Desired tilt acceleration [rad/s²]."""
        wanted = math.atan(known.speed**2 * curvature / G)
        wanted = min(max(wanted, -FARTHEST), FARTHEST)
        w = 2.0 * math.pi * self.gains.frequency
        return w * w * (wanted - known.tilt) - 2.0 * self.gains.damping * w * known.rate

    def _torque(self, known: Known, push: float) -> float:
        """Torque of the tilt motor [N·m]: for the desired acceleration and the lack of balance."""
        lacks = known.across * math.cos(known.tilt) - G * math.sin(known.tilt)
        return self.car.inertia * push + self.car.moment * lacks

    def _steer(self, known: Known, curvature: float, push: float) -> float:
        """Angle of the fork [rad]."""
        car, tilt = self.car, known.tilt
        speed = max(abs(known.speed), 1e-3)
        helps = G * math.sin(tilt) - COUNTER * car.inertia * push / car.moment
        balanced = helps / (math.cos(tilt) * speed**2)
        rolls = min(speed / (SLOW * self.gains.speed + 1e-9), 1.0)
        share = self.gains.share * rolls**2
        turned = (1.0 - share) * curvature + share * balanced
        # on the road, a leaning wheel is turned further than its fork
        angle = math.atan(car.wheelbase * turned * math.cos(tilt))
        return min(max(angle, -STEEREST), STEEREST)

    def _drive(self, known: Known) -> float:
        """Torque on the rear wheels [N·m]: PI control of the speed."""
        car, error = self.car, self.gains.speed - known.speed
        mass = car.tilting_mass + car.standing_mass
        most = 0.25 * mass * G * car.radius
        wanted = mass * car.radius * (4.0 * error + 4.0 * self._missing)
        if abs(wanted) < most:
            self._missing += self.period * error
        return min(max(wanted, -most), most)
