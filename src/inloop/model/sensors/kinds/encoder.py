"""An encoder: the coordinate of a joint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from inloop.model.elements import Body
from inloop.model.geometry import Scalar
from inloop.model.handles import BodyHandle
from inloop.model.sensors.seen import Seen
from inloop.model.sensors.sensor import Role, SensorKind, SensorSpec


@dataclass(frozen=True)
class Encoder(SensorKind):
    """Tells the coordinate q [rad or m]."""

    name: ClassVar[str] = "encoder"
    roles: ClassVar[tuple[Role, ...]] = ("joint",)

    def signals(self, at: Sequence[Body]) -> dict[str, str]:
        """See `SensorKind`."""
        return {"": at[0].joint.kind.dimension.unit}

    def read(self, seen: Seen, at: Sequence[Body]) -> Sequence[Scalar]:
        """See `SensorKind`."""
        return (seen.coordinate(at[0]),)


def encoder(joint: BodyHandle | str) -> SensorSpec:
    """Measure the coordinate of a joint: "<name>" [rad or m].

    Args:
        joint: the body that the joint moves, or the name of either.
    """
    return SensorSpec(Encoder(), (joint,))
