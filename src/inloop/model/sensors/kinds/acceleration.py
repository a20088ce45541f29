"""The acceleration of a point."""

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
class Acceleration(SensorKind):
    """Tells the second derivative of a position, in world axes [m/s²]."""

    name: ClassVar[str] = "acceleration"
    roles: ClassVar[tuple[Role, ...]] = ("frame",)

    def signals(self, at: Sequence[Frame]) -> dict[str, str]:
        """See `SensorKind`."""
        return of_axes("m/s²")

    def read(self, seen: Seen, at: Sequence[Frame]) -> Sequence[Scalar]:
        """See `SensorKind`."""
        return seen.acceleration(at[0])


def acceleration(at: Handle | str) -> SensorSpec:
    """Measure the acceleration of a point in world axes: "<name>.x", ".y", ".z" [m/s²].

    It is that of the position, 0 at rest; what an accelerometer tells is `imu`.

    Args:
        at: a point, a frame or a body.
    """
    return SensorSpec(Acceleration(), (at,))
