"""The position of a point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from inloop.model.elements import Frame
from inloop.model.geometry import Scalar, subtract, times_vector, transpose
from inloop.model.handles import Handle
from inloop.model.sensors.seen import Seen
from inloop.model.sensors.sensor import Role, SensorKind, SensorSpec, of_axes


@dataclass(frozen=True)
class Position(SensorKind):
    """Tells where a point is in a frame [m]."""

    name: ClassVar[str] = "position"
    roles: ClassVar[tuple[Role, ...]] = ("frame", "frame")

    def signals(self, at: Sequence[Frame]) -> dict[str, str]:
        """See `SensorKind`."""
        return of_axes("m")

    def read(self, seen: Seen, at: Sequence[Frame]) -> Sequence[Scalar]:
        """See `SensorKind`."""
        (p_WQ, _), (p_WA, R_WA) = seen.pose(at[0]), seen.pose(at[1])
        return times_vector(transpose(R_WA), subtract(p_WQ, p_WA))


def position(at: Handle | str, relative_to: Handle | str = "ground") -> SensorSpec:
    """Measure where a point is: "<name>.x", ".y", ".z" [m].

    Args:
        at: a point, a frame or a body.
        relative_to: frame from whose origin and in whose axes; the world if not given.
    """
    return SensorSpec(Position(), (at, relative_to))
