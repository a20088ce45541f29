"""What a drawing of a mechanism is made of, before there are numbers: plain data for a file.

Points may follow from live parameters: the draft only knows their numbers in a list, and the
library of poses computes them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from inloop.model import Body, Mechanism
from inloop.model.geometry import Matrix3, Vector3, subtract, times_vector, transpose
from inloop.studio.visuals import visual_shapes

GROUND = -1
FORCE = tuple(f"force_{axis}" for axis in "xyz")
PLACE = tuple(f"point_{axis}" for axis in "xyz")


@dataclass(frozen=True)
class BodyDraft:
    """A body: its corners by number of the point, in body axes, the origin not among them.

    Attributes:
        name: of the body.
        parent: number of the body on which it hangs, GROUND for none.
        hinge: point of the parent where it hangs.
        axis: of its joint, in body axes.
        revolute: False for a sliding joint.
        range: where its coordinate may be: its limits, or all around, or where it starts.
        corners: points that its shape shall reach.
        weight: point where all its mass is, None if it is spread out.
        looks: shapes that were given for it; () to draw it from its corners.
        hidden: nothing is drawn: it is a step between joints at one place, or one of those that
            displace a node of a flexible link.
    """

    name: str
    parent: int
    hinge: int
    axis: tuple[float, ...]
    revolute: bool
    range: tuple[float, ...]
    corners: tuple[int, ...]
    weight: int | None
    looks: tuple[Mapping[str, Any], ...] = ()
    hidden: bool = False

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> BodyDraft:
        """From a file, which knows no tuples."""
        plain: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in data.items()}
        return cls(**plain)


@dataclass(frozen=True)
class ContactDraft:
    """A contact that puts out where it is and its force, in axes of a frame F of a body.

    Attributes:
        name: of the contact; its signals are `<name>.force_x`, `<name>.point_x`, ….
        body: number of the body that carries F, GROUND for none.
        origin: point number of p_BF.
        turn: number of the first of three points, the columns of R_BF.
    """

    name: str
    body: int
    origin: int
    turn: int

    @property
    def signals(self) -> tuple[str, ...]:
        """Names of point and force, six of them."""
        return tuple(f"{self.name}.{part}" for part in (*PLACE, *FORCE))


@dataclass(frozen=True)
class Draft:
    """All parts of a drawing.

    Attributes:
        bodies: in the order of the poses.
        ground: points of the ground that are shown.
        ground_looks: shapes that were given for the ground.
        links: name, first body and point, second body and point of each spring.
        contacts: whose forces are shown.
        gravity: point number of the vector of gravity.
        roams: it may be anywhere in the ranges of its joints; nobody has said how it looks, and
            neither loops nor contacts hold it.
        start: coordinates at the start.
        plane: "xy", "xz" or "yz" to look at it from the side; "" if nobody has said so.
    """

    bodies: tuple[BodyDraft, ...]
    ground: tuple[int, ...]
    ground_looks: tuple[Mapping[str, Any], ...]
    links: tuple[tuple[str, int, int, int, int], ...]
    contacts: tuple[ContactDraft, ...]
    gravity: int
    roams: bool
    start: tuple[float, ...]
    plane: str = ""

    def data(self) -> dict[str, Any]:
        """For a file."""
        return asdict(self)

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Draft:
        """What `data` has given."""
        lists = ("ground", "ground_looks", "start")
        plain: dict[str, Any] = {k: tuple(v) if k in lists else v for k, v in data.items()}
        plain["bodies"] = tuple(BodyDraft.read(body) for body in data["bodies"])
        plain["contacts"] = tuple(ContactDraft(**contact) for contact in data["contacts"])
        plain["links"] = tuple((n, a, p, b, q) for n, a, p, b, q in data["links"])
        return cls(**plain)


@dataclass
class Collector:
    """Gathers points and rotations; equal points have one number."""

    points: list[Vector3] = field(default_factory=list)
    turns: list[Matrix3] = field(default_factory=list)

    def point(self, p: Vector3) -> int:
        """Number of a point."""
        if p not in self.points:
            self.points.append(p)
        return self.points.index(p)


def draft(
    mechanism: Mechanism,
    plane: str = "",
    looks: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
) -> tuple[Draft, Collector]:
    """The parts of a drawing, and the points they refer to.

    Args:
        mechanism: the frozen model.
        plane: from which side to look at it.
        looks: shapes by name of the body or "ground".
    """
    given, found = looks or {}, Collector()
    bent = _Bent(mechanism)
    bodies = tuple(
        _body(mechanism, body, found, given.get(body.name) or visual_shapes(body), bent)
        for body in mechanism.bodies
    )
    ground = [found.point(p.p_BQ) for p in mechanism.ground.points if p.path not in bent.rests]
    ground += [b.hinge for b in bodies if b.parent == GROUND and b.revolute]
    links = tuple(
        (link.name, link.a.body, found.point(link.a.p_BQ), link.b.body, found.point(link.b.p_BQ))
        for link in mechanism.links
    )
    gravity = found.point(mechanism.gravity)
    telling = [f for f in mechanism.frame_forces if _tells(f.name, [o.name for o in f.outputs])]
    origins = [found.point(f.a.p_BF) for f in telling]
    contacts = []
    for law, origin in zip(telling, origins, strict=True):
        # columns of rotations follow all points
        turn = len(found.points) + 3 * len(found.turns)
        found.turns.append(law.a.R_BF)
        contacts.append(ContactDraft(law.name, law.a.body, origin, turn))
    return (
        Draft(
            bodies,
            tuple(dict.fromkeys(ground)),
            tuple(given.get("ground", ())),
            links,
            tuple(contacts),
            gravity,
            not (given or contacts or mechanism.closed or mechanism.modes),
            tuple(float(body.joint.initial[0]) for body in mechanism.bodies),
            plane,
        ),
        found,
    )


def _tells(name: str, outputs: Sequence[str]) -> bool:
    return all(f"{name}.{part}" in outputs for part in (*PLACE, *FORCE))


class _Bent:
    """Flexible links in a drawing: each node draws the element that ends at it.

    Attributes:
        rests: paths of the points where the nodes of straight links are; they are not shown.
        nodes: numbers of the bodies that displace nodes.
        back: by number of a node's body, where the element begins while the link is straight.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        links, bodies = mechanism.flexible_links, mechanism.bodies
        self.nodes = {k for link in links for k in link.bodies}
        self.rests = {bodies[k].attachment.path for k in self.nodes}
        self.back: dict[int, Vector3] = {}
        for link in links:
            before = link.p_BE
            for node in link.nodes:
                first = bodies[node.bodies[0]].attachment
                self.back[node.rotation] = times_vector(
                    transpose(first.R_PJ), subtract(before, first.p_PJ)
                )
                before = first.p_PJ


def _body(
    mechanism: Mechanism,
    body: Body,
    found: Collector,
    looks: Sequence[Mapping[str, Any]],
    bent: _Bent,
) -> BodyDraft:
    ends = [point.p_BQ for point in body.points if point.path not in bent.rests]
    ends += [frame.p_BF for frame in body.frames]
    children = [c for c in mechanism.children(body.index) if c.index not in bent.nodes]
    ends += [child.attachment.p_PJ for child in children]
    if body.index in bent.back:
        ends.append(bent.back[body.index])
    concentrated = all(isinstance(x, float | int) and x == 0.0 for x in _entries(body.inertia))
    weight = found.point(body.com) if concentrated and body.mass != 0.0 else None
    return BodyDraft(
        body.name,
        body.parent,
        found.point(body.attachment.p_PJ),
        tuple(float(x) for x in body.joint.axis),
        body.joint.kind == "revolute",
        _range(body),
        tuple(dict.fromkeys(found.point(p) for p in (ends or [body.com]))),
        weight,
        tuple(looks),
        _is_step(body, ends) or (body.index in bent.nodes and body.index not in bent.back),
    )


def _is_step(body: Body, ends: Sequence[Vector3]) -> bool:
    """One of several joints at the same place: nothing is there between them."""
    at_origin = all(isinstance(x, float | int) and x == 0.0 for p in ends for x in p)
    return at_origin and isinstance(body.mass, float | int) and body.mass == 0.0


def _range(body: Body) -> tuple[float, float]:
    limits, start = body.joint.limits, float(body.joint.initial[0])
    if limits is not None and all(math.isfinite(limit) for limit in limits):
        return float(limits[0]), float(limits[1])
    return (-math.pi, math.pi) if body.joint.kind == "revolute" else (start, start)


def _entries(inertia: Any) -> list[Any]:
    """All numbers of a moment of inertia, however it is kept."""
    if isinstance(inertia, tuple | list):
        return [x for part in inertia for x in _entries(part)]
    return [inertia]
