"""Energy that a display takes and gives, and damping that keeps it from giving what it never had.

Hannaford and Ryu, "Time-domain passivity control of haptic interfaces", 2002. A display is passive
as long as the energy that it has taken from the device is not below zero.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass
class PassivityObserver:
    """Counts the energy that a display has taken from a device.

    A force that is held between two samples does the work force · (change of position), exactly,
    however the device moves in between (Stramigioli et al. 2005); no velocity has to be estimated.

    Attributes:
        energy: taken so far less given back [J]; below zero the display was active.
        least: lowest energy so far [J].
        position: at the last sample [m].
        moved: since the sample before [m].
    """

    energy: float = 0.0
    least: float = 0.0
    position: float | None = None
    moved: float = 0.0

    def update(self, position: float, held: float) -> float:
        """Take a sample; the energy now [J].

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
    """For a display that answers motion with force: takes alpha · velocity off the force.

    Before a force goes out, its work within the next period is foreseen as force · velocity · T. If
    that would bring the energy below zero, a damper alpha = -energy/(T v²) is switched in. The
    velocity is that of the last period, unfiltered, as the observer has seen it: one that comes
    late has the wrong sign when it matters, and the damper would drive.

    Attributes:
        period: T [s].
        most_damping: largest alpha [N·s/m]. A damper that is rendered with backward differences on
            a free mass m is stable below 2 m/T.
        damping: alpha now [N·s/m].
        dissipated: by the damper, as foreseen [J].
    """

    period: float
    most_damping: float = math.inf
    damping: float = 0.0
    dissipated: float = 0.0

    def step(self, energy: float, force: float, velocity: float) -> float:
        """The force that may go out [N].

        Args:
            energy: of the observer now [J].
            force: that the display wants on the device [N].
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
    """For a display that answers force with motion: adds beta · force to the velocity.

    Attributes:
        period: T [s].
        most_mobility: largest beta [m/(N·s)].
        mobility: beta now [m/(N·s)].
        dissipated: as foreseen [J].
    """

    period: float
    most_mobility: float = math.inf
    mobility: float = 0.0
    dissipated: float = 0.0

    def step(self, energy: float, velocity: float, force: float) -> float:
        """The velocity that may be shown [m/s].

        Args:
            energy: of the observer now [J].
            velocity: that the display wants [m/s].
            force: of the hand on it, along the velocity [N].
        """
        self.mobility = 0.0
        flow = self.period * force**2
        foreseen = energy + force * velocity * self.period
        if foreseen < 0.0 and flow > 0.0:
            self.mobility = min(-foreseen / flow, self.most_mobility)
            self.dissipated += self.mobility * flow
        return velocity + self.mobility * force
