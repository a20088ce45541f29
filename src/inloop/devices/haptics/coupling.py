"""Virtual coupling: a spring and a damper between a device and a virtual mechanism."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Coupling:
    """Force = stiffness · (mechanism - device) + damping · (their velocities' difference).

    It keeps the mechanism from being felt harder than the loop can stand (Colgate et al. 1995):
    what the device feels is never stiffer than the coupling, whatever the mechanism does.

    Attributes:
        stiffness: [N/m].
        damping: [N·s/m].
    """

    stiffness: float
    damping: float = 0.0

    def force(
        self,
        position: float,
        velocity: float,
        mechanism_position: float = 0.0,
        mechanism_velocity: float = 0.0,
    ) -> float:
        """On the device [N]; the mechanism gets the opposite.

        Args:
            position: of the device, as read [m].
            velocity: of the device, as estimated [m/s].
            mechanism_position: of the place that it holds [m].
            mechanism_velocity: of that place [m/s].
        """
        stretch, rate = mechanism_position - position, mechanism_velocity - velocity
        return self.stiffness * stretch + self.damping * rate

    def energy(self, stretch: float) -> float:
        """Stored in the spring [J]."""
        return 0.5 * self.stiffness * stretch**2
