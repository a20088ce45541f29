"""Sensor, estimator, coupling, passivity controller, motor: the servo loop in one object."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from inloop.devices.estimators.differences import Motion
from inloop.devices.estimators.estimator import Estimator
from inloop.devices.haptics.coupling import Coupling
from inloop.devices.haptics.passivity import PassivityObserver, SeriesController
from inloop.devices.sensors.sensor import Sensor


@dataclass
class DeviceChain:
    """From the position of a device to its motor command, once per servo period.

    Either call `step` with a coupling to a point of a virtual mechanism, or call `sense`, compute
    the force of the mechanism for this motion, and call `act`.

    Attributes:
        sensor: of the position.
        estimator: of velocity and acceleration.
        coil: velocity sensor, if any; its reading replaces the estimate.
        controller: passivity controller, if any.
        limit: largest force of the motor [N].
        observer: passivity observer, with or without controller.
        motion: last estimated position, velocity and acceleration [m, m/s, m/s²].
        reading: last position reading [m].
        wanted: last force before controller and limit [N].
        command: last motor command [N].
    """

    sensor: Sensor
    estimator: Estimator
    coil: Sensor | None = None
    controller: SeriesController | None = None
    limit: float = math.inf
    observer: PassivityObserver = field(default_factory=PassivityObserver)
    motion: Motion = (0.0, 0.0, 0.0)
    reading: float = 0.0
    wanted: float = 0.0
    command: float = 0.0

    def sense(self, position: float, velocity: float = 0.0) -> Motion:
        """Read the device; returns position, velocity and acceleration for the mechanism.

        Args:
            position: of the device [m].
            velocity: of the device [m/s]; for the coil.
        """
        self.reading = self.sensor.read(position)
        self.observer.update(self.reading, self.command)
        q, v, a = self.estimator.update(self.reading)
        if self.coil is not None:
            v = self.coil.read(velocity)
        self.motion = (q, v, a)
        return self.motion

    def act(self, force: float) -> float:
        """The motor command [N] for the desired force of the mechanism on the device."""
        self.wanted = force
        if self.controller is not None:
            rate = self.observer.moved / self.controller.period
            force = self.controller.step(self.observer.energy, force, rate)
        self.command = min(max(force, -self.limit), self.limit)
        return self.command

    def step(
        self,
        position: float,
        coupling: Coupling,
        held: tuple[float, float] = (0.0, 0.0),
        velocity: float = 0.0,
    ) -> float:
        """Read the device, couple it, command its motor; returns the command [N].

        Args:
            position: of the device [m].
            coupling: between device and mechanism. Its spring acts on the reading, which is not
                delayed; its damper on the estimate.
            held: position [m] and velocity [m/s] of the mechanism.
            velocity: of the device [m/s]; for the coil.
        """
        motion = self.sense(position, velocity)
        return self.act(coupling.force(self.reading, motion[1], *held))

    def panel(self) -> dict[str, float | bool]:
        """Values for display: energy, action of the controller, forces."""
        controller = self.controller
        return {
            "energy": self.observer.energy,
            "least_energy": self.observer.least,
            "passive": self.observer.energy >= 0.0,
            "controlled": controller is not None,
            "acting": controller is not None and controller.damping > 0.0,
            "added_damping": 0.0 if controller is None else controller.damping,
            "dissipated": 0.0 if controller is None else controller.dissipated,
            "position": self.motion[0],
            "velocity": self.motion[1],
            "wanted": self.wanted,
            "force": self.command,
            "saturated": abs(self.command) >= self.limit,
        }
