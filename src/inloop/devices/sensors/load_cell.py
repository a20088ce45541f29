"""A strain-gauge bridge with an amplifier: a force sensor."""

from __future__ import annotations

from dataclasses import dataclass, field

from inloop.devices.sensors.converter import Converter


@dataclass
class LoadCell:
    """Force from a bridge: U = gain · excitation · sensitivity · F / range.

    The defaults are those of the piano's force sensor (Timmermans et al., Sensors 21, 2021): 0 to
    50 N, 0.765 mV/V, 50 kHz, resolution below 1 mN. Excitation, gain, bits and noise are not given;
    with 10 V, 500 and 16 bits over 5 V one step is 1.0 mN at full gain, so 18 bits are taken: a
    step is 0.25 mN, and the noise is one step.

    Attributes:
        range: largest force [N].
        sensitivity: of the bridge at that force [V/V].
        excitation: voltage over the bridge [V].
        gain: of the amplifier.
        rate: at which it converts [Hz].
        converter: converter of the amplified voltage.
    """

    range: float = 50.0
    sensitivity: float = 0.765e-3
    excitation: float = 10.0
    gain: float = 500.0
    rate: float = 50e3
    converter: Converter = field(default_factory=lambda: Converter(0.0, 5.0, 18, noise=5.0 / 2**18))

    @property
    def volts_per_newton(self) -> float:
        """Amplified voltage for a force [V/N]."""
        return self.gain * self.excitation * self.sensitivity / self.range

    @property
    def resolution(self) -> float:
        """Force of one step of the converter [N]."""
        return self.converter.step / self.volts_per_newton

    def voltage(self, force: float) -> float:
        """Amplified voltage [V], saturated for a bridge in tension or overload."""
        return self.volts_per_newton * min(max(force, 0.0), self.range)

    def read(self, force: float) -> float:
        """One conversion [N]."""
        return self.converter.read(self.voltage(force)) / self.volts_per_newton

    def mean(self, force: float, period: float) -> float:
        """Mean of all conversions within a period with constant force [N]."""
        count = max(1, int(period * self.rate + 1e-9))
        return sum(self.read(force) for _ in range(count)) / count
