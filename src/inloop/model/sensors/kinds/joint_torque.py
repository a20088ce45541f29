"""A torque sensor in a joint, or a force sensor in one that slides."""

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
class JointTorque(SensorKind):
    """Tells what a joint transmits along its axis [N·m or N]."""

    name: ClassVar[str] = "joint_torque"
    roles: ClassVar[tuple[Role, ...]] = ("joint",)

    def signals(self, at: Sequence[Body]) -> dict[str, str]:
        """See `SensorKind`."""
        return {"": at[0].joint.kind.dimension.effort}

    def read(self, seen: Seen, at: Sequence[Body]) -> Sequence[Scalar]:
        """See `SensorKind`."""
        return (seen.joint_effort(at[0]),)


def joint_torque(joint: BodyHandle | str) -> SensorSpec:
    """Measure the effort that a joint transmits to its body along its axis: "<name>" [N·m or N].

    It is all that drives the body there: efforts from outside, drives, friction and stops of the
    joint. What turns the rotor of an armature does not reach it.

    Args:
        joint: the body that the joint moves, or the name of either.
    """
    return SensorSpec(JointTorque(), (joint,))
