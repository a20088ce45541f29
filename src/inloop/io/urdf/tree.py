"""The tree of links of a URDF file, base to tip."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inloop.errors import MOST_MISTAKES, Mistake, ModelError
from inloop.io.urdf.elements import Robot, UrdfJoint, UrdfLink
from inloop.model import topology
from inloop.model.names import quoted, suggestion


@dataclass(frozen=True)
class Tree:
    """The links in the order of the model.

    The order is depth first, the joints of one parent in file order: a limb stays together, and a
    file that lists its joints limb by limb, base to tip, keeps its order.

    Attributes:
        root: the link without a parent.
        joints: every joint after the joints that carry it.
        links: all links by name.
    """

    root: UrdfLink
    joints: tuple[UrdfJoint, ...]
    links: dict[str, UrdfLink]

    def weightless_joints(self) -> tuple[UrdfJoint, ...]:
        """Return the joints that move neither mass nor inertia."""
        heavy: set[str] = set()
        for joint in reversed(self.joints):
            if joint.child in heavy or not self.links[joint.child].is_weightless:
                heavy |= {joint.parent, joint.child}
        moving = (joint for joint in self.joints if joint.type != "fixed")
        return tuple(joint for joint in moving if joint.child not in heavy)

    def root_is_loose(self) -> bool:
        """Whether the root link could move relative to all mass of the robot.

        This is the case if neither the link nor anything fixed to it has mass, and at most one
        joint carries the rest.
        """
        fixed, moving = {self.root.name}, 0
        for joint in self.joints:
            if joint.parent in fixed and joint.type == "fixed":
                fixed.add(joint.child)
            elif joint.parent in fixed:
                moving += 1
        return moving <= 1 and all(self.links[name].is_weightless for name in fixed)


def arrange(robot: Robot) -> Tree:
    """Order the links of a robot.

    Raises:
        ModelError: the links do not form one tree; lists all reasons.
    """
    broken = itertools.chain(
        _repeated("link", robot.links),
        _repeated("joint", robot.joints),
        _unknown_links(robot),
        _second_parents(robot),
    )
    # search no further than what is reported
    mistakes = tuple(itertools.islice(broken, MOST_MISTAKES))
    mistakes = mistakes or tuple(itertools.islice(_wrong_roots(robot), MOST_MISTAKES))
    if mistakes:
        raise ModelError.of(quoted(robot.name)[1:-1], mistakes)
    links = {link.name: link for link in robot.links}
    root = next(_roots(robot))
    return Tree(root, tuple(_depth_first(root, robot.joints)), links)


def _depth_first(root: UrdfLink, joints: Sequence[UrdfJoint]) -> Iterator[UrdfJoint]:
    below: dict[str, list[UrdfJoint]] = {}
    # the last of a list is taken first
    for joint in reversed(joints):
        below.setdefault(joint.parent, []).append(joint)
    waiting = below.pop(root.name, [])
    while waiting:
        joint = waiting.pop()
        yield joint
        waiting += below.pop(joint.child, [])


def _roots(robot: Robot) -> Iterator[UrdfLink]:
    children = {joint.child for joint in robot.joints}
    return (link for link in robot.links if link.name not in children)


def _repeated(kind: str, elements: Sequence[UrdfLink] | Sequence[UrdfJoint]) -> Iterator[Mistake]:
    first: dict[str, str] = {}
    for element in elements:
        if element.name in first:
            yield Mistake(
                f"{kind} {quoted(element.name)}: the name is already used at {first[element.name]}",
                element.where,
                "Give each its own name.",
            )
        first.setdefault(element.name, element.where)


def _unknown_links(robot: Robot) -> Iterator[Mistake]:
    known = {link.name for link in robot.links}
    for joint in robot.joints:
        for role, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in known:
                yield Mistake(
                    f"joint {quoted(joint.name)}: its {role} {quoted(link)} does not exist",
                    joint.where,
                    suggestion(link, known),
                )


def _second_parents(robot: Robot) -> Iterator[Mistake]:
    first: dict[str, UrdfJoint] = {}
    for joint in robot.joints:
        earlier = first.setdefault(joint.child, joint)
        if earlier is not joint:
            yield Mistake(
                f"link {quoted(joint.child)}: has two parents, {quoted(earlier.parent)} by "
                f"{quoted(earlier.name)} and {quoted(joint.parent)} by {quoted(joint.name)}",
                joint.where,
                "Links must form a tree; closed loops cannot be written in URDF.",
            )


def _wrong_roots(robot: Robot) -> Iterator[Mistake]:
    index = {link.name: k for k, link in enumerate(robot.links)}
    parents = [topology.GROUND] * len(robot.links)
    for joint in robot.joints:
        parents[index[joint.child]] = index[joint.parent]
    for ring in topology.cycles(parents):
        names = [quoted(robot.links[k].name) for k in (*ring, ring[0])]
        shown = names if len(names) <= 8 else [*names[:6], "...", names[-1]]
        yield Mistake(
            f"link {names[0]}: is attached to itself: {' on '.join(shown)}",
            robot.links[ring[0]].where,
            "One link must be the root, without a parent.",
        )
    roots = list(_roots(robot))
    for link in roots[1:]:
        yield Mistake(
            f"link {quoted(link.name)}: is a second root besides {quoted(roots[0].name)}",
            link.where,
            "Add a joint that attaches it to another link.",
        )
