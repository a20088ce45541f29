"""A simulated handle with a motor, pulled by a finger."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import scipy

from inloop.devices.haptics.actuator import Actuator


@dataclass
class Finger:
    """A spring and a damper that pull the handle to the position of a hand, or a mouse.

    Attributes:
        stiffness: [N/m].
        damping: [N·s/m].
        carried: force at rest [N], which supports a weight.
    """

    stiffness: float = 0.0
    damping: float = 0.0
    carried: float = 0.0


@dataclass
class HapticHandle:
    """m x'' = motor + finger - damping x' - friction sign(x'), solved exactly from step to step.

    Dry friction, the target of the finger and the mean motor force are constant within a step. If
    it stops within a step it sticks until the pull exceeds the friction.

    Attributes:
        actuator: the motor; its period is that of the steps.
        mass: [kg].
        damping: [N·s/m].
        friction: dry [N].
        finger: what holds the handle.
        stops: lowest and highest position [m].
        position: x [m].
        velocity: x' [m/s].
        motor_work: done by the motor so far [J].
        finger_work: done by the finger so far [J].
    """

    actuator: Actuator
    mass: float = 0.2
    damping: float = 0.35
    friction: float = 0.0
    finger: Finger = field(default_factory=Finger)
    stops: tuple[float, float] = (-math.inf, math.inf)
    position: float = 0.0
    velocity: float = 0.0
    motor_work: float = 0.0
    finger_work: float = 0.0

    def __post_init__(self) -> None:
        total = self.damping + self.finger.damping
        rates = np.zeros((3, 3))
        rates[0, 1] = 1.0
        rates[1] = np.array([-self.finger.stiffness, -total, 1.0]) / self.mass
        (self._xx, self._xv, self._xf), (self._vx, self._vv, self._vf), _ = (
            tuple(float(entry) for entry in row)
            for row in scipy.linalg.expm(self.actuator.period * rates)
        )

    def step(self, command: float, target: float = 0.0, target_velocity: float = 0.0) -> float:
        """One step of the actuator's period; the position at its end [m].

        Args:
            command: to the motor [N].
            target: where the finger wants the handle [m].
            target_velocity: of the finger [m/s].
        """
        x, v = self.position, self.velocity
        motor = self.actuator.step(command)
        finger = self.finger
        pull = finger.carried + finger.stiffness * target + finger.damping * target_velocity
        force = motor + pull
        if self.friction:
            if v == 0.0:
                driving = force - finger.stiffness * x
                if abs(driving) <= self.friction:
                    return x
                force -= self.friction if driving > 0.0 else -self.friction
            else:
                force -= self.friction if v > 0.0 else -self.friction
        self.position = self._xx * x + self._xv * v + self._xf * force
        self.velocity = self._vx * x + self._vv * v + self._vf * force
        if self.friction and self.velocity * v < 0.0:
            # it came to a stop on the way, where the straight line of its velocity is zero
            self.position = x + 0.5 * self.actuator.period * v * v / (v - self.velocity)
            self.velocity = 0.0
        low, high = self.stops
        if not low <= self.position <= high:
            self.position, self.velocity = min(max(self.position, low), high), 0.0
        moved = self.position - x
        self.motor_work += motor * moved
        middle, rate = 0.5 * (x + self.position), moved / self.actuator.period
        drag = finger.stiffness * middle + finger.damping * rate
        self.finger_work += (pull - drag) * moved
        return self.position

    @property
    def kinetic_energy(self) -> float:
        """m x'²/2 [J]."""
        return 0.5 * self.mass * self.velocity**2
