"""Notes for the user about an imported URDF file: what was changed or omitted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inloop.io.notes import not_read
from inloop.io.urdf.elements import LIMITED, Robot
from inloop.io.urdf.mimic import can_follow
from inloop.model.names import quoted


def notes_of(
    robot: Robot, coordinates: Mapping[str, tuple[str, ...]], applied: bool, followed: bool
) -> Iterator[str]:
    """Yield one sentence per note.

    Args:
        robot: content of the file.
        coordinates: names of the coordinates of each joint.
        applied: whether damping and friction became force laws.
        followed: whether mimic joints follow their leaders.
    """
    for joint in robot.joints:
        chain = coordinates[joint.name]
        if joint.type in ("floating", "planar") and chain:
            yield f"{joint.type} joint {quoted(joint.name)} has the coordinates {', '.join(chain)}"
        if joint.type in LIMITED and joint.limits is None:
            yield f"{joint.type} joint {quoted(joint.name)} has no limits in the file"
        if joint.mimic is not None:
            follows = followed and can_follow(joint.name, joint.mimic, coordinates)
            yield (
                f"joint {quoted(joint.name)} {'mimics' if follows else 'should mimic'} "
                f"{quoted(joint.mimic.joint)} "
                f"(q = {joint.mimic.multiplier:g} * q + {joint.mimic.offset:g})"
                f"{', by a constraint' if follows else '; it stays independent'}"
            )
    for transmission in robot.transmissions:
        yield f"transmission {transmission.summary} ({transmission.where})"
    yield from _dynamics_notes(robot, applied)
    yield from not_read(robot.ignored)
    yield from robot.unread


def _dynamics_notes(robot: Robot, applied: bool) -> Iterator[str]:
    damping = sum(1 for joint in robot.joints if joint.damping)
    friction = sum(1 for joint in robot.joints if joint.friction)
    if damping and not applied:
        yield f"damping of {damping} joints is not applied; apply_dynamics=True applies it"
    if friction and not applied:
        yield f"friction of {friction} joints is not applied; apply_dynamics=True applies it"
