"""Units of models as powers of SI base units, as FMI writes them."""

from __future__ import annotations

import re
from collections import Counter

# unit → powers of base units
_UNITS: dict[str, dict[str, int]] = {
    "1": {},
    "kg": {"kg": 1},
    "m": {"m": 1},
    "s": {"s": 1},
    "A": {"A": 1},
    "K": {"K": 1},
    "mol": {"mol": 1},
    "rad": {"rad": 1},
    "N": {"kg": 1, "m": 1, "s": -2},
    "J": {"kg": 1, "m": 2, "s": -2},
    "W": {"kg": 1, "m": 2, "s": -3},
    "Pa": {"kg": 1, "m": -1, "s": -2},
    "Hz": {"s": -1},
    "V": {"kg": 1, "m": 2, "s": -3, "A": -1},
    "ohm": {"kg": 1, "m": 2, "s": -3, "A": -2},
    "H": {"kg": 1, "m": 2, "s": -2, "A": -2},
    "F": {"kg": -1, "m": -2, "s": 4, "A": 2},
    "T": {"kg": 1, "s": -2, "A": -1},
    "C": {"s": 1, "A": 1},
}
_FACTOR = re.compile(r"([A-Za-z1]+)(?:\^(-?\d))?")


def base_units(unit: str) -> dict[str, int] | None:
    """Powers of the base units; None unless the unit consists of SI units without prefixes.

    Args:
        unit: such as "N*m/rad" or "kg*m^2".
    """
    powers: Counter[str] = Counter()
    plain = unit.replace("·", "*").replace("²", "^2").replace("Ω", "ohm").replace(" ", "")
    for sign, part in re.findall(r"([*/]?)([^*/]+)", plain):
        match = _FACTOR.fullmatch(part)
        if match is None or match[1] not in _UNITS:
            return None
        power = int(match[2] or 1) * (-1 if sign == "/" else 1)
        for base, own in _UNITS[match[1]].items():
            powers[base] += own * power
    return {base: power for base, power in powers.items() if power}
