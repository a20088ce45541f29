from __future__ import annotations

import pytest

from inloop.model.units import is_absurd, is_known, is_si

SI = ["", "1", "m", "kg", "N", "N·m", "N*m", "N/m", "N*s/m", "rad", "s", "m/s", "rad/s", "kg*m^2"]
SI += [
    "kg·m²",
    "m/s^2",
    "Pa",
    "Hz",
    "V",
    "A",
    "K",
    "N*m*s/rad",
    "1/s",
    "s^-1",
    "m s⁻²".replace(" ", "*"),
]


@pytest.mark.parametrize("unit", SI)
def test_si_units(unit: str) -> None:
    assert is_known(unit) and is_si(unit)


@pytest.mark.parametrize("unit", ["mm", "g", "deg", "deg/s", "rpm", "N*mm", "°", "°C", "%", "kg/h"])
def test_other_known_units(unit: str) -> None:
    assert is_known(unit) and not is_si(unit)


@pytest.mark.parametrize(
    "unit", ["parsec", "N m m", "*", "m/", "m^x", "m^", "kg*", "_", 3, None, "m" * 500, "m\n"]
)
def test_unknown_units(unit: object) -> None:
    assert not is_known(unit)


def test_absurd_values() -> None:
    assert is_absurd(2e4, "rad") and not is_absurd(6.5, "rad")
    assert is_absurd(-2e6, "m") and not is_absurd(12.0, "m")
    assert is_absurd(2e10, "N·m") and not is_absurd(1e300, "")
    assert not is_absurd(float("inf"), "m")
