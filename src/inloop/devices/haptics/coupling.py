"""Virtual coupling: a spring and a damper between a device and a virtual mechanism."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Coupling:
    """Force = stiffness · (mechanism - device) + damping · (their velocities' difference).

    It limits the impedance of the mechanism to what the loop can render stably (Colgate et al.
    1995): the device never feels anything stiffer than the coupling.

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
        """Force on the device [N]; the opposite acts on the mechanism.

        Args:
            position: of the device, as read [m].
            velocity: of the device, as estimated [m/s].
            mechanism_position: of the coupled point [m].
            mechanism_velocity: of that point [m/s].
        """
        stretch, rate = mechanism_position - position, mechanism_velocity - velocity
        return self.stiffness * stretch + self.damping * rate

    def energy(self, stretch: float) -> float:
        """Stored in the spring [J]."""
        return 0.5 * self.stiffness * stretch**2
