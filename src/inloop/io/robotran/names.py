"""Names in a ROBOTRAN file and their names in the model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from inloop.errors import FileFormatError
from inloop.io.naming import Names
from inloop.io.robotran.elements import MbsPoint, MbsSystem
from inloop.io.robotran.extras import ORIGIN, MbsEnd
from inloop.model.names import GROUND_NAME, RESERVED_POINTS, quoted, suggestion


class _Named(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def where(self) -> str: ...


@dataclass(frozen=True)
class SystemNames:
    """Model names by names in the file.

    Attributes:
        bodies: by body; "base" is the ground.
        steps: by body, the massless bodies that carry all its joints but the last.
        coordinates: by body, its coordinates base to tip.
        coordinate_of: coordinates by (body, joint).
        paths: paths by (body, point).
        cuts: names of the cuts, in file order.
        links: names of the links, in file order.
        notes: one sentence for each changed name.
    """

    bodies: Mapping[str, str]
    steps: Mapping[str, Sequence[str]]
    coordinates: Mapping[str, Sequence[str]]
    coordinate_of: Mapping[tuple[str, str], str]
    paths: Mapping[tuple[str, str], str]
    cuts: Sequence[str]
    links: Sequence[str]
    notes: Sequence[str]

    def path(self, end: MbsEnd, label: str) -> str:
        """Return the path of a point of the file.

        Args:
            end: names in the file.
            label: the element that refers to it, as in messages.
        """
        if end.body not in self.bodies:
            raise FileFormatError(
                f"{label}: there is no body {quoted(end.body)}",
                end.where,
                suggestion(end.body, self.bodies),
            )
        if (end.body, end.point) not in self.paths:
            known = [point for body, point in self.paths if body == end.body]
            raise FileFormatError(
                f"{label}: body {quoted(end.body)} has no point {quoted(end.point)}",
                end.where,
                suggestion(end.point, known),
            )
        return self.paths[end.body, end.point]


def name_system(system: MbsSystem) -> SystemNames:
    """Name everything in a system.

    Raises:
        FileFormatError: two bodies, or two points of a body, have the same name.
    """
    _refuse_repeated("body", system.bodies, taken=(ORIGIN.body,))
    bodies = Names("body", reserved=(GROUND_NAME,))
    bodies.read(body.name for body in system.bodies)
    joints = Names("joint")
    coordinates = _name_coordinates(system, bodies, joints)
    named = {ORIGIN.body: GROUND_NAME, **{body.name: bodies[body.name] for body in system.bodies}}
    steps = {
        body.name: [bodies.new(f"{named[body.name]}_{joint.name}") for joint in body.joints[:-1]]
        for body in system.bodies
    }
    notes = [*bodies.notes, *joints.notes]
    paths = dict(_name_points(ORIGIN.body, GROUND_NAME, system.base_points, notes))
    for body in system.bodies:
        paths.update(_name_points(body.name, named[body.name], body.points, notes))
    coordinate_of = {
        (body.name, joint.name): coordinate
        for body in system.bodies
        for joint, coordinate in zip(body.joints, coordinates[body.name], strict=True)
    }
    cuts = _name_all("cut", system.cuts, (), notes)
    links = _name_all("link", system.links, cuts, notes)
    return SystemNames(named, steps, coordinates, coordinate_of, paths, cuts, links, notes)


def _name_all(
    kind: str, elements: Sequence[_Named], taken: Sequence[str], notes: list[str]
) -> list[str]:
    """Return a name for each element; duplicates of a name in the file get a different one."""
    names = Names(kind, reserved=taken)
    originals = [element.name for element in elements]
    names.read(dict.fromkeys(originals))
    notes += names.notes
    seen: set[str] = set()
    found = []
    for name in originals:
        found.append(names.new(name) if name in seen else names[name])
        seen.add(name)
    return found


def _name_coordinates(
    system: MbsSystem, bodies: Names, joints: Names
) -> Mapping[str, Sequence[str]]:
    """Return the coordinates of each body: the joint's own name if it is unique."""
    counts = Counter(joint.name for body in system.bodies for joint in body.joints)
    joints.read(name for name, count in counts.items() if count == 1)
    return {
        body.name: [
            joints[joint.name]
            if counts[joint.name] == 1
            else joints.new(f"{bodies[body.name]}_{joint.name}")
            for joint in body.joints
        ]
        for body in system.bodies
    }


def _name_points(
    body: str, name: str, points: Sequence[MbsPoint], notes: list[str]
) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield ((body, point), path) for the points of one body and for its origin."""
    _refuse_repeated(f"point of body {quoted(body)}", points)
    names = Names(f"point of body {quoted(body)}", reserved=RESERVED_POINTS)
    names.read(point.name for point in points)
    notes += names.notes
    yield (body, ORIGIN.point), name
    for point in points:
        yield (body, point.name), f"{name}.{names[point.name]}"


def _refuse_repeated(kind: str, elements: Iterable[_Named], taken: Iterable[str] = ()) -> None:
    first = dict.fromkeys(taken, "the base")
    for element in elements:
        if element.name in first:
            raise FileFormatError(
                f"{kind} {quoted(element.name)}: the name is already used by {first[element.name]}",
                element.where,
                "Give each its own name.",
            )
        first[element.name] = element.where
