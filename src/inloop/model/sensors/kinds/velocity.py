"""The velocity of a point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from inloop.model.elements import Frame
from inloop.model.geometry import Scalar
from inloop.model.handles import Handle
from inloop.model.sensors.seen import Seen
from inloop.model.sensors.sensor import Role, SensorKind, SensorSpec, of_axes


@dataclass(frozen=True)
class Velocity(SensorKind):
    """Tells how fast a point moves, in world axes [m/s]."""

    name: ClassVar[str] = "velocity"
    roles: ClassVar[tuple[Role, ...]] = ("frame",)

    def signals(self, at: Sequence[Frame]) -> dict[str, str]:
        """See `SensorKind`."""
        return of_axes("m/s")

    def read(self, seen: Seen, at: Sequence[Frame]) -> Sequence[Scalar]:
        """See `SensorKind`."""
        return seen.velocity(at[0])


def velocity(at: Handle | str) -> SensorSpec:
    """Measure the velocity of a point in world axes: "<name>.x", ".y", ".z" [m/s].

    Args:
        at: a point, a frame or a body.
    """
    return SensorSpec(Velocity(), (at,))
