"""The parts of a drawing of a mechanism, before there are numbers: plain data for a file.

Points may depend on live parameters: the sketch only knows their numbers in a list, and the pose
library computes them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from inloop.geometry import Visual
from inloop.geometry.sizes import is_symbolic
from inloop.model import Body, FlexibleLink, Mechanism
from inloop.model.geometry import Matrix3, Vector3, times_vector, transpose
from inloop.studio.drawing.visuals import MeshShelf

GROUND = -1
Box = tuple[tuple[float, float, float], tuple[float, float, float]]


@dataclass(frozen=True)
class BodySketch:
    """A body: its corners by point number, in body axes, without the origin.

    Attributes:
        name: name of the body.
        parent: index of the parent body, or GROUND.
        hinge: point of the parent at which the joint is attached.
        axis: axis of its joint, in body axes.
        turns, slides: whether its joint rotates the body, and whether it translates its origin.
        range: range of its coordinate: its limits, a full turn, or the initial value.
        corners: points that its shape must include.
        weight: point with all of its mass; None if the mass is distributed.
        looks: shapes specified for it; () to draw it from its corners. A look that follows points
            has their numbers; see `placed_look`.
        hidden: nothing is drawn: an intermediate body between joints at one point, or a bare node
            of a flexible link.
    """

    name: str
    parent: int
    hinge: int
    axis: tuple[float, ...]
    turns: bool
    slides: bool
    range: tuple[float, ...]
    corners: tuple[int, ...]
    weight: int | None
    looks: tuple[Mapping[str, Any], ...] = ()
    hidden: bool = False

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> BodySketch:
        """From JSON data, which has no tuples."""
        plain: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in data.items()}
        return cls(**plain)


@dataclass(frozen=True)
class ContactSketch:
    """A contact with outputs for its point and its force, in axes of a frame F of a body.

    Attributes:
        name: name of the contact.
        body: index of the body that carries F, or GROUND.
        origin: point number of p_BF.
        turn: number of the first of three points, the columns of R_BF.
        signals: names of the six signals of point and force.
    """

    name: str
    body: int
    origin: int
    turn: int
    signals: tuple[str, ...]

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> ContactSketch:
        """From JSON data, which has no tuples."""
        return cls(**{**data, "signals": tuple(data["signals"])})


@dataclass(frozen=True)
class FlexibleSketch:
    """A flexible link, drawn as a curve through its nodes.

    Attributes:
        name: name of the link.
        body: index of the body that carries its root, or GROUND.
        origin: point number of the root p_BE.
        turn: number of the first of three points, the columns of R_BE.
        along: point number of the link's direction, in node axes.
        nodes: indices of the bodies that are its nodes, root to tip.
        rests: point numbers of the nodes of the straight link, in axes of `body`.
        looped: it is part of a loop, which must look closed when bending is magnified.
    """

    name: str
    body: int
    origin: int
    turn: int
    along: int
    nodes: tuple[int, ...]
    rests: tuple[int, ...]
    looped: bool


@dataclass(frozen=True)
class Sketch:
    """All parts of a drawing.

    Attributes:
        bodies: in the order of the poses.
        ground: points of the ground that are shown.
        ground_looks: shapes specified for the ground.
        connectors: name, first body and point, second body and point of each line force.
        contacts: contacts whose forces are shown.
        flexible: links that bend.
        gravity: point number of the gravity vector.
        roams: it may be anywhere in the ranges of its joints: no looks are specified, and neither
            loops nor contacts hold it.
        start: initial coordinates.
        plane: "xy", "xz" or "yz" for a side view of that plane; "" if not specified.
        reach: corners of the box in which it moves [m], if known.
    """

    bodies: tuple[BodySketch, ...]
    ground: tuple[int, ...]
    ground_looks: tuple[Mapping[str, Any], ...]
    connectors: tuple[tuple[str, int, int, int, int], ...]
    contacts: tuple[ContactSketch, ...]
    flexible: tuple[FlexibleSketch, ...]
    gravity: int
    roams: bool
    start: tuple[float, ...]
    plane: str = ""
    reach: Box | None = None

    def data(self) -> dict[str, Any]:
        """As JSON data."""
        return asdict(self)

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Sketch:
        """The inverse of `data`."""
        lists = ("ground", "ground_looks", "start")
        plain: dict[str, Any] = {k: tuple(v) if k in lists else v for k, v in data.items()}
        if data["reach"] is not None:
            plain["reach"] = tuple(tuple(corner) for corner in data["reach"])
        plain["bodies"] = tuple(BodySketch.read(body) for body in data["bodies"])
        plain["contacts"] = tuple(ContactSketch.read(contact) for contact in data["contacts"])
        plain["flexible"] = tuple(
            FlexibleSketch(**{**f, "nodes": tuple(f["nodes"]), "rests": tuple(f["rests"])})
            for f in data["flexible"]
        )
        plain["connectors"] = tuple((n, a, p, b, q) for n, a, p, b, q in data["connectors"])
        return cls(**plain)


@dataclass
class Collector:
    """Collects points and rotations; equal points share a number."""

    points: list[Vector3] = field(default_factory=list)
    turns: list[Matrix3] = field(default_factory=list)

    def point(self, p: Vector3) -> int:
        """Number of a point."""
        if p not in self.points:
            self.points.append(p)
        return self.points.index(p)

    def turn(self, R: Matrix3) -> int:
        """Number of the first column of a rotation; valid once all points are collected."""
        self.turns.append(R)
        return len(self.points) + 3 * (len(self.turns) - 1)


def make_sketch(
    mechanism: Mechanism,
    plane: str = "",
    looks: Mapping[str, Sequence[Visual]] | None = None,
    reach: Box | None = None,
    more: Callable[[Collector], None] | None = None,
) -> tuple[Sketch, Collector, MeshShelf]:
    """The parts of a drawing, and the points and the meshes they refer to.

    Args:
        mechanism: the frozen model.
        plane: plane of the side view.
        looks: what to draw, by name of the body or "ground", in place of the model's own visuals.
        reach: corners of the box in which it moves [m].
        more: adds further points, before rotations are numbered.
    """
    given, found, shelf = looks or {}, Collector(), MeshShelf()

    def looks_of(name: str, own: Sequence[Visual]) -> list[Mapping[str, Any]]:
        drawn = (_look(mechanism, name, look, found, shelf) for look in given.get(name) or own)
        return [data for data in drawn if data is not None]

    displacing = {k for link in mechanism.flexible_links for k in link.bodies}
    # positions of the nodes of straight links: nothing is drawn there
    rests = {mechanism.bodies[k].attachment.path for k in displacing}
    bodies = tuple(
        _body(mechanism, body, found, looks_of(body.name, body.visuals), rests)
        for body in mechanism.bodies
    )
    ground_looks = tuple(looks_of("ground", mechanism.ground.visuals))
    ground = _ground(mechanism, bodies, found, rests)
    connectors = tuple(
        (law.name, law.a.body, found.point(law.a.p_BQ), law.b.body, found.point(law.b.p_BQ))
        for law in mechanism.line_forces
    )
    gravity = found.point(mechanism.gravity)
    if more is not None:
        more(found)
    contacts, flexible = _turned(mechanism, bodies, found)
    shown = bool(ground_looks) or any(body.looks for body in bodies)
    sketch = Sketch(
        bodies,
        ground,
        ground_looks,
        connectors,
        contacts,
        flexible,
        gravity,
        not (shown or contacts or mechanism.closed or mechanism.modes),
        tuple(map(float, mechanism.first_q)),
        plane,
        reach,
    )
    return sketch, found, shelf


def _look(
    mechanism: Mechanism, name: str, look: Visual, found: Collector, shelf: MeshShelf
) -> Mapping[str, Any] | None:
    """Plain data of a visual of a body, with the numbers of the points that it follows.

    A look whose rotation depends on parameters is not drawn.
    """
    if look.is_numeric:
        return shelf.data(look)
    if any(is_symbolic(x) for row in look.rotation for x in row):
        return None

    def number(place: Vector3 | str) -> int:
        if not isinstance(place, str):
            return found.point(place)
        path = place if "." in place else f"{name}.{place}"
        return found.point(mechanism.point(path).p_BQ)

    data = shelf.data(replace(look, position=(0.0, 0.0, 0.0), until=None))
    places = [look.position, *([] if look.until is None else [look.until])]
    return None if data is None else {**data, "points": [number(place) for place in places]}


def _ground(
    mechanism: Mechanism, bodies: Sequence[BodySketch], found: Collector, rests: set[str]
) -> tuple[int, ...]:
    """Numbers of the points of the ground that are shown."""
    ground = [found.point(p.p_BQ) for p in mechanism.ground.points if p.path not in rests]
    ground += [b.hinge for b in bodies if b.parent == GROUND and b.turns and not b.slides]
    ground += [found.point(f.p_BE) for f in mechanism.flexible_links if f.body == GROUND]
    return tuple(dict.fromkeys(ground))


def _turned(
    mechanism: Mechanism, bodies: Sequence[BodySketch], found: Collector
) -> tuple[tuple[ContactSketch, ...], tuple[FlexibleSketch, ...]]:
    """Contacts and flexible links, which have rotations and thus come after all other points."""
    origins = [found.point(contact.a.p_BF) for contact in mechanism.contacts]
    roots = [
        (found.point(f.p_BE), found.point(_along(f, mechanism))) for f in mechanism.flexible_links
    ]
    # columns of rotations come after all points
    contacts = tuple(
        ContactSketch(
            contact.name,
            contact.a.body,
            origin,
            found.turn(contact.a.R_BF),
            (*contact.point, *contact.force),
        )
        for contact, origin in zip(mechanism.contacts, origins, strict=True)
    )
    flexible = tuple(
        FlexibleSketch(
            link.name,
            link.body,
            root,
            found.turn(link.R_BE),
            along,
            tuple(node.rotation for node in link.nodes),
            tuple(bodies[node.bodies[0]].hinge for node in link.nodes),
            _is_looped(link, mechanism),
        )
        for link, (root, along) in zip(mechanism.flexible_links, roots, strict=True)
    )
    return contacts, flexible


def _along(link: FlexibleLink, mechanism: Mechanism) -> Vector3:
    """Direction of a flexible link, in node axes."""
    R_BN = mechanism.bodies[link.nodes[0].bodies[0]].attachment.R_PJ
    x, _, _ = transpose(link.R_BE)
    return times_vector(transpose(R_BN), x)


def _is_looped(link: FlexibleLink, mechanism: Mechanism) -> bool:
    """Whether a loop passes through the tip: it carries exactly one side of the cut."""
    tip = link.nodes[-1].rotation

    def carries(body: int) -> bool:
        return body != GROUND and tip in {body, *(a.index for a in mechanism.ancestors(body))}

    return any(carries(loop.a.body) != carries(loop.b.body) for loop in mechanism.loops)


def _body(
    mechanism: Mechanism,
    body: Body,
    found: Collector,
    looks: Sequence[Mapping[str, Any]],
    rests: set[str],
) -> BodySketch:
    ends = [point.p_BQ for point in body.points if point.path not in rests]
    ends += [frame.p_BF for frame in body.frames]
    children = mechanism.children(body.index)
    ends += [c.attachment.p_PJ for c in children if c.attachment.path not in rests]
    concentrated = all(isinstance(x, float | int) and x == 0.0 for x in _entries(body.inertia))
    weight = found.point(body.com) if concentrated and body.mass != 0.0 else None
    return BodySketch(
        body.name,
        body.parent,
        found.point(body.attachment.p_PJ),
        tuple(float(x) for x in body.joint.axis),
        body.joint.kind.turns,
        body.joint.kind.slides,
        _range(body),
        tuple(dict.fromkeys(found.point(p) for p in (ends or [body.com]))),
        weight,
        tuple(looks),
        _is_step(body, ends),
    )


def _is_step(body: Body, ends: Sequence[Vector3]) -> bool:
    """Whether it is an intermediate body between joints at one point."""
    at_origin = all(isinstance(x, float | int) and x == 0.0 for p in ends for x in p)
    return at_origin and isinstance(body.mass, float | int) and body.mass == 0.0


def _range(body: Body) -> tuple[float, float]:
    limits, start = body.joint.limits, float(body.joint.initial[0])
    if limits is not None and all(math.isfinite(limit) for limit in limits):
        return float(limits[0]), float(limits[1])
    return (-math.pi, math.pi) if body.joint.kind.hinges else (start, start)


def _entries(inertia: Any) -> list[Any]:
    """All entries of an inertia tensor, for any nesting."""
    if isinstance(inertia, tuple | list):
        return [x for part in inertia for x in _entries(part)]
    return [inertia]
