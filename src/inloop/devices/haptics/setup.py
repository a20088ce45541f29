"""Adjustable settings of a device, and predefined devices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from inloop.devices.estimators.differences import BackwardDifferences, FilteredDifferences
from inloop.devices.estimators.estimator import Estimator
from inloop.devices.haptics.handle import Finger
from inloop.devices.haptics.rig import Rig
from inloop.devices.sensors.encoder import Encoder
from inloop.errors import InputError

HAND_DAMPING = 4.0  # of the finger [N·s/m]
LIMIT = 40.0  # of the motor [N]
SUBSTEP = 5e-4  # of the simulated handle [s]


@dataclass(frozen=True)
class Range:
    """Minimum and maximum of a setting, its unit and meaning."""

    low: float
    high: float
    unit: str
    doc: str


RANGES: Mapping[str, Range] = {
    "rate": Range(20.0, 10_000.0, "Hz", "of the servo"),
    "lines": Range(10.0, 254_000.0, "1/in", "lines per inch of the encoder"),
    "low_pass": Range(0.0, 1000.0, "Hz", "before the derivatives; 0 for plain differences"),
    "damping": Range(0.0, 20.0, "N*s/m", "of the handle"),
    "stiffness": Range(20.0, 2000.0, "N/m", "of the finger that pulls the handle"),
}


@dataclass(frozen=True)
class Setup:
    """A handle with an encoder, pulled by a finger.

    Attributes:
        title: short description.
        rate: of the servo [Hz].
        lines: of the encoder, per inch.
        low_pass: before the derivatives [Hz]; 0 for plain differences.
        damping: of the handle [N·s/m].
        stiffness: of the finger [N/m].
        mass: of the handle [kg].
        controlled: whether there is a passivity controller.
    """

    title: str
    rate: float
    lines: float
    low_pass: float = 0.0
    damping: float = 0.35
    stiffness: float = 400.0
    mass: float = 0.2
    controlled: bool = False

    def changed(self, settings: Mapping[str, Any]) -> Setup:
        """With some settings changed by name, clamped to their ranges.

        Raises:
            InputError: there is no such setting, or it is not a number.
        """
        found: dict[str, Any] = {}
        for name, value in settings.items():
            if name == "controlled":
                found[name] = bool(value)
            elif name not in RANGES:
                known = ", ".join((*RANGES, "controlled"))
                raise InputError(f"a device has no setting {name[:40]!a}", fix=f"Use {known}.")
            elif isinstance(value, bool) or not isinstance(value, int | float):
                raise InputError(f"the device's {name} must be a number", fix="Give a number.")
            else:
                found[name] = min(max(float(value), RANGES[name].low), RANGES[name].high)
        return replace(self, **found)

    def rig(
        self,
        carried: float = 0.0,
        reserve: float = 0.0,
        stops: tuple[float, float] | None = None,
    ) -> Rig:
        """Create the device.

        Args:
            carried: force of the finger at rest [N].
            reserve: energy that the mechanism may return [J].
            stops: of the handle [m]; none by default.
        """
        period, low_pass = 1.0 / self.rate, self.low_pass

        def estimator(period: float) -> Estimator:
            if low_pass == 0.0:
                return BackwardDifferences(period)
            return FilteredDifferences(period, low_pass)

        rig = Rig(
            mass=self.mass,
            damping=self.damping,
            period=period,
            limit=LIMIT,
            sensor=lambda: Encoder.per_inch(self.lines),
            estimator=estimator,
            controlled=self.controlled,
            reserve=reserve,
            finger=Finger(self.stiffness, HAND_DAMPING, carried),
            substeps=max(1, round(period / SUBSTEP)),
        )
        return rig if stops is None else replace(rig, stops=stops)


# `COARSE` and `FINE`; a servo of 1 kHz is feasible for a separate process
SETUPS: Mapping[str, Setup] = {
    "coarse": Setup("Coarse encoder: 50 lines per inch, 7 ms", 1.0 / 7e-3, 50.0),
    "smooth": Setup("Smooth sensor: 1 µm, 20 Hz low-pass, 1 kHz", 1000.0, 25_400.0, 20.0, mass=0.3),
    "fine": Setup("Fine encoder: 0.1 µm, 70 Hz low-pass, 10 kHz", 10_000.0, 254_000.0, 70.0),
}


def find_setup(name: str) -> Setup:
    """A predefined device.

    Raises:
        InputError: there is none of this name.
    """
    if name not in SETUPS:
        raise InputError(f"there is no device {name[:40]!a}", fix=f"Use {', '.join(SETUPS)}.")
    return SETUPS[name]
