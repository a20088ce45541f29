"""Units are labels: which ones are known, and which values are absurd for them."""

from __future__ import annotations

import math
import re

# largest plausible magnitude in that unit, None if unlimited
_BASE: dict[str, float | None] = {
    "1": None, "rad": 1e4, "m": 1e6, "kg": 1e9, "s": 1e9, "N": 1e10, "J": 1e15, "W": 1e12,
    "Pa": 1e13, "Hz": 1e12, "V": 1e8, "A": 1e8, "K": 1e6, "ohm": None, "Ω": None, "H": 1e6,
    "F": 1e6, "T": 1e4, "C": None, "mol": None,
}  # fmt: skip
_NOT_SI: dict[str, float | None] = {
    "mm": 1e9, "cm": 1e8, "km": 1e3, "um": 1e12, "µm": 1e12, "g": 1e12, "t": 1e6, "deg": 1e6,
    "°": 1e6, "rev": 1e4, "rpm": 1e7, "ms": 1e12, "us": 1e15, "min": 1e8, "h": 1e6, "kN": 1e7,
    "MN": 1e4, "mN": 1e13, "kHz": 1e9, "kPa": 1e10, "MPa": 1e7, "GPa": 1e4, "bar": 1e8,
    "degC": 1e6, "°C": 1e6, "mV": None, "mA": None, "mH": None, "kW": 1e9, "%": None,
}  # fmt: skip
_COMPOUND: dict[str, float] = {
    "m/s": 1e6, "m/s^2": 1e8, "rad/s": 1e7, "rad/s^2": 1e10, "N*m": 1e10, "N/m": 1e14,
    "N*s/m": 1e14, "N*m/rad": 1e14, "N*m*s/rad": 1e14, "kg*m^2": 1e14, "kg/m^3": 1e6,
}  # fmt: skip
_SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_FACTOR = re.compile(r"(?P<base>[^\W\d_]+|[°Ωµ%]\w*|1)(?:\^(?P<power>-?\d))?")


def _plain(unit: str) -> str:
    """Return a unit with * for products and ^ for powers."""
    unit = re.sub(r"([⁻⁰¹²³⁴-⁹]+)", lambda m: "^" + m[0].translate(_SUPERSCRIPTS), unit)
    return unit.replace("·", "*").replace("⋅", "*").replace("**", "^").replace(" ", "")


def _bases(unit: str) -> list[str] | None:
    """Return the names of the factors of a unit, or None if it is invalid."""
    matches = [_FACTOR.fullmatch(part) for part in re.split(r"[*/]", _plain(unit))]
    names = [match["base"] for match in matches if match is not None]
    known = len(names) == len(matches) and all(n in _BASE or n in _NOT_SI for n in names)
    return names if known else None


def is_known(unit: object) -> bool:
    """Return whether a unit is a product of known units, or "" for a pure number."""
    return isinstance(unit, str) and (unit == "" or (len(unit) <= 40 and bool(_bases(unit))))


def is_si(unit: str) -> bool:
    """Return whether a known unit consists of SI units without prefixes (kg counts as one)."""
    return unit == "" or all(name in _BASE for name in _bases(unit) or ())


def is_absurd(value: float, unit: str) -> bool:
    """Return whether a finite value is implausibly large for its unit."""
    limits: dict[str, float | None] = {**_BASE, **_NOT_SI, **_COMPOUND}
    limit = limits.get(_plain(unit))
    return limit is not None and math.isfinite(value) and abs(value) > limit
