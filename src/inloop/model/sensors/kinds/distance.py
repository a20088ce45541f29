"""The distance of two points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from inloop.model.elements import Frame
from inloop.model.geometry import Scalar, dot, subtract
from inloop.model.handles import Handle
from inloop.model.sensors.seen import Seen
from inloop.model.sensors.sensor import Role, SensorKind, SensorSpec
from inloop.symbolic import functions as sf


@dataclass(frozen=True)
class Distance(SensorKind):
    """Tells how far two points are apart [m]."""

    name: ClassVar[str] = "distance"
    roles: ClassVar[tuple[Role, ...]] = ("frame", "frame")

    def signals(self, at: Sequence[Frame]) -> dict[str, str]:
        """See `SensorKind`."""
        return {"": "m"}

    def read(self, seen: Seen, at: Sequence[Frame]) -> Sequence[Scalar]:
        """See `SensorKind`."""
        d = subtract(seen.pose(at[1])[0], seen.pose(at[0])[0])
        return (sf.sqrt(dot(d, d)),)


def distance(a: Handle | str, b: Handle | str) -> SensorSpec:
    """Measure how far two points are apart: "<name>" [m].

    Args:
        a: a point, a frame or a body.
        b: another one.
    """
    return SensorSpec(Distance(), (a, b))
