"""Mimic joints of a URDF file, checked for feasibility."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inloop.errors import Mistake, ModelError
from inloop.io.urdf.elements import Mimic, Robot, UrdfJoint
from inloop.model.names import quoted

Coordinates = Mapping[str, tuple[str, ...]]  # names of the coordinates of each joint


def mimics_of(
    robot: Robot, coordinates: Coordinates
) -> Iterator[tuple[str, str, Mimic, UrdfJoint]]:
    """Yield following coordinate, leading coordinate, the relation, and the following joint.

    Raises:
        ModelError: joints mimic each other in a cycle.
    """
    _check(robot)
    for joint in robot.joints:
        if joint.mimic is not None and can_follow(joint.name, joint.mimic, coordinates):
            (follower,), (leader,) = coordinates[joint.name], coordinates[joint.mimic.joint]
            yield follower, leader, joint.mimic, joint


def can_follow(joint: str, mimic: Mimic, coordinates: Coordinates) -> bool:
    """Whether both joints exist and have one coordinate each."""
    return len(coordinates[joint]) == 1 == len(coordinates.get(mimic.joint, ()))


def _check(robot: Robot) -> None:
    leaders = {joint.name: joint.mimic.joint for joint in robot.joints if joint.mimic is not None}
    mistakes = [
        Mistake(
            f"joint {quoted(joint.name)}: it mimics itself, directly or through others",
            joint.where,
            "One of them must be independent.",
        )
        for joint in robot.joints
        if _returns(joint.name, leaders)
    ]
    if mistakes:
        raise ModelError.of(quoted(robot.name)[1:-1], tuple(mistakes))


def _returns(joint: str, leaders: Mapping[str, str]) -> bool:
    at = joint
    for _ in leaders:
        at = leaders.get(at, "")
        if at == joint:
            return True
    return False
