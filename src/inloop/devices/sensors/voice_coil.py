"""A voice coil with a moving magnet: a velocity sensor."""

from __future__ import annotations

from dataclasses import dataclass, field

from inloop.devices.sensors.converter import Converter


@dataclass
class VoiceCoil:
    """U = κ ż, read by a converter: Eq. 18 of Timmermans et al. (Sensors 21, 2021).

    The source gives no κ. The default is plausible: at 1 m/s, which keys seldom exceed, the voltage
    is 4 of the 5 V of the converter.

    Attributes:
        kappa: voltage for a velocity [V·s/m].
        converter: converter of the voltage.
    """

    kappa: float = 4.0
    converter: Converter = field(default_factory=lambda: Converter(-5.0, 5.0, 16, noise=1e-3))

    def voltage(self, velocity: float) -> float:
        """Voltage of the coil [V], for the velocity of the magnet [m/s]."""
        return self.kappa * velocity

    def read(self, velocity: float) -> float:
        """Velocity from the converted voltage [m/s]."""
        return self.converter.read(self.voltage(velocity)) / self.kappa
