"""How far coordinates may go, and how fast, before numbers have lost their sense."""

from __future__ import annotations

import math
from collections.abc import Iterator, MutableMapping
from typing import Any

from inloop.errors import InputError, name_hint
from inloop.model import Mechanism

Bound = tuple[float, float]


class Bounds(MutableMapping[str, Bound]):
    """Largest |q| [rad or m] and |qd| [rad/s or m/s] of each coordinate, by name.

    A step beyond them ends with OUT_OF_BOUNDS. Change them with
    `plant.bounds["slider"] = (2.0, 30.0)`; math.inf for no bound.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self._dimensions = {b.joint.name: b.joint.kind.dimension for b in mechanism.bodies}
        self._values: dict[str, Bound] = {n: (d.far, d.fast) for n, d in self._dimensions.items()}

    def __getitem__(self, name: str) -> Bound:
        self._know(name)
        return self._values[name]

    def __setitem__(self, name: str, value: Bound) -> None:
        self._know(name)
        if not _is_bound(value):
            raise InputError(
                f"{value!r} cannot bound coordinate '{name}'",
                fix="Give the largest |q| and |qd|, both > 0: plant.bounds['x'] = (2.0, 30.0).",
            )
        self._values[name] = (float(value[0]), float(value[1]))

    def __delitem__(self, name: str) -> None:
        """Go back to the default."""
        self._know(name)
        dimension = self._dimensions[name]
        self._values[name] = (dimension.far, dimension.fast)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"Bounds({self._values})"

    def include(self, other: Bounds) -> None:
        """Also those of another mode."""
        self._dimensions = {**other._dimensions, **self._dimensions}
        self._values = {**other._values, **self._values}

    def words(self, name: str, speed: bool) -> str:
        """A bound that was left, for people."""
        unit = self._dimensions[name].units["qd" if speed else "q"]
        what = "speed of coordinate" if speed else "coordinate"
        return f"the {what} '{name}' would exceed its bound of {self._values[name][speed]:g} {unit}"

    def _know(self, name: str) -> None:
        if name not in self._values:
            raise InputError(f"there is no coordinate '{name}'", fix=name_hint(name, self._values))


def _is_bound(value: Any) -> bool:
    try:
        numbers = [float(x) for x in value]
    except (TypeError, ValueError):
        return False
    return len(numbers) == 2 and all(x > 0.0 and not math.isnan(x) for x in numbers)
