"""Time-domain passivity: energy balance of a display, and damping that keeps it passive.

Hannaford and Ryu, "Time-domain passivity control of haptic interfaces", 2002. A display is passive
as long as the energy that it has taken from the device is not below zero.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass
class PassivityObserver:
    """Integrates the energy that a display has absorbed from a device.

    A force held between two samples does the work force · (change of position), exactly, for any
    motion of the device in between (Stramigioli et al. 2005); no velocity estimate is needed.

    Attributes:
        energy: absorbed minus returned energy [J]; negative if the display was active.
        least: minimum energy so far [J].
        position: at the last sample [m].
        moved: change since the sample before [m].
    """

    energy: float = 0.0
    least: float = 0.0
    position: float | None = None
    moved: float = 0.0

    def update(self, position: float, held: float) -> float:
        """Process a sample; returns the energy [J].

        Args:
            position: of the device [m].
            held: force of the display on the device since the last sample [N].
        """
        self.moved = 0.0 if self.position is None else position - self.position
        self.energy -= held * self.moved
        self.least = min(self.least, self.energy)
        self.position = position
        return self.energy


@dataclass
class SeriesController:
    """For an impedance display (motion in, force out): subtracts alpha · velocity from the force.

    Before a force is applied, its work within the next period is predicted as force · velocity · T.
    If that would make the energy negative, a damper alpha = -energy/(T v²) is added. The velocity
    is that of the last period, unfiltered, as seen by the observer: a delayed one has the wrong
    sign when it matters, and the damper would add energy.

    Attributes:
        period: T [s].
        most_damping: maximum alpha [N·s/m]. A damper rendered with backward differences on a free
            mass m is stable below 2 m/T.
        damping: current alpha [N·s/m].
        dissipated: predicted dissipation of the damper [J].
    """

    period: float
    most_damping: float = math.inf
    damping: float = 0.0
    dissipated: float = 0.0

    def step(self, energy: float, force: float, velocity: float) -> float:
        """The admissible force [N].

        Args:
            energy: current energy of the observer [J].
            force: desired force on the device [N].
            velocity: of the device [m/s].
        """
        self.damping = 0.0
        flow = self.period * velocity**2
        foreseen = energy - force * velocity * self.period
        if foreseen < 0.0 and flow > 0.0:
            self.damping = min(-foreseen / flow, self.most_damping)
            self.dissipated += self.damping * flow
        return force - self.damping * velocity


@dataclass
class ParallelController:
    """For an admittance display (force in, motion out): adds beta · force to the velocity.

    Attributes:
        period: T [s].
        most_mobility: maximum beta [m/(N·s)].
        mobility: current beta [m/(N·s)].
        dissipated: predicted dissipation [J].
    """

    period: float
    most_mobility: float = math.inf
    mobility: float = 0.0
    dissipated: float = 0.0

    def step(self, energy: float, velocity: float, force: float) -> float:
        """The admissible velocity [m/s].

        Args:
            energy: current energy of the observer [J].
            velocity: desired velocity [m/s].
            force: force of the hand, along the velocity [N].
        """
        self.mobility = 0.0
        flow = self.period * force**2
        foreseen = energy + force * velocity * self.period
        if foreseen < 0.0 and flow > 0.0:
            self.mobility = min(-foreseen / flow, self.most_mobility)
            self.dissipated += self.mobility * flow
        return velocity + self.mobility * force
