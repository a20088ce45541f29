"""A model while it is being written: lists that grow, unchecked names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol

from inloop.errors import Mistake
from inloop.geometry import Shape, Visual
from inloop.geometry.collision import CollisionShape
from inloop.model.bounds import Bounded
from inloop.model.constraints.elements import CouplingKind, Derivatives, LoopKind
from inloop.model.contacts.found import FoundTouching
from inloop.model.contacts.friction import FrictionLaw
from inloop.model.contacts.hard import Hard, HardStop
from inloop.model.contacts.laws import NormalLaw
from inloop.model.elements import Joint
from inloop.model.geometry import ZERO, Matrix3, Pose, Scalar, Vector3
from inloop.model.intake import Intake
from inloop.model.laws.effects import Axes, LawOutput, LawState
from inloop.model.modes.elements import Direction, Mode, Quantity
from inloop.model.names import GROUND_NAME, quoted
from inloop.model.parameters import Input, Parameter
from inloop.model.source import caller_line
from inloop.symbolic import Expr, Graph

if TYPE_CHECKING:
    from inloop.model.sensors.sensor import SensorKind

LawKind = Literal["joint_force", "coupled_force", "force", "torque", "line_force", "frame_force"]


@dataclass(frozen=True)
class BodyDraft:
    """A body as written; `on` is the path of its parent."""

    name: str
    on: str
    joint: Joint
    mass: Scalar
    com: Vector3
    inertia: Matrix3
    visuals: tuple[Visual, ...]
    doc: str
    where: str


@dataclass(frozen=True)
class SiteDraft:
    """A point or a frame as written, in the axes of its body."""

    kind: Literal["point", "frame"]
    body: str
    name: str
    pose: Pose
    where: str

    @property
    def path(self) -> str:
        """Path used by other elements: "crank.pin"."""
        return f"{self.body}.{self.name}"


@dataclass(frozen=True)
class LawDraft:
    """A traced law as written.

    Attributes:
        kind: the method of the builder that declared it.
        name: name of the law.
        targets: paths of the elements it acts on: one, two for a line force or a frame force, any
            number for a coupled force.
        axes: axes of the components.
        symbols: placeholders that it was traced with, by argument name.
        components: result of the law.
        where: file and line of the declaration.
        states: internal states of the law.
        outputs: quantities that it publishes.
        quantities: further quantities that it was traced with.
    """

    kind: LawKind
    name: str
    targets: tuple[str, ...]
    axes: Axes
    symbols: Mapping[str, Any]
    components: tuple[Scalar, ...]
    where: str
    states: tuple[LawState, ...] = ()
    outputs: tuple[LawOutput, ...] = ()
    quantities: tuple[Quantity, ...] = ()


@dataclass(frozen=True)
class ContactDraft:
    """A contact as written; its force law has the same name.

    Attributes:
        name: name of the contact.
        paths: paths of the two frames, in the order in which they were written.
        shapes: the shapes on them.
        law: normal force.
        friction: friction, None for smooth surfaces.
        outputs: quantities that it publishes.
        where: file and line.
        found: collision detection at run time; None if the pair of shapes has a closed form.
    """

    name: str
    paths: tuple[str, str]
    shapes: tuple[Shape, Shape]
    law: NormalLaw | Hard
    friction: FrictionLaw | None
    outputs: tuple[str, ...]
    where: str
    found: FoundTouching | None = None


@dataclass(frozen=True)
class PileDraft:
    """A pile as written; see `Pile`."""

    name: str
    paths: tuple[str, ...]
    shapes: tuple[Shape, ...]
    tables: tuple[CollisionShape, ...]
    law: Hard
    slots: int
    where: str


@dataclass(frozen=True)
class SensorDraft:
    """A sensor as written; `at` are paths or names of what it is mounted on."""

    name: str
    kind: SensorKind
    at: tuple[str, ...]
    where: str


@dataclass(frozen=True)
class LoopDraft:
    """A loop as written; a and b are paths. Length and axis are zero if they do not apply."""

    name: str
    kind: LoopKind
    a: str
    b: str
    axis: tuple[float, float, float]
    length: Scalar
    where: str


@dataclass(frozen=True)
class ConstraintDraft:
    """A traced constraint as written; q and qd are its placeholders by joint name.

    Entries of q may also be components of quaternions, "<body>.qw". If qd is None, it is a
    constraint on positions.
    """

    name: str
    q: Mapping[str, Expr]
    qd: Mapping[str, Expr] | None
    rows: tuple[Scalar, ...]
    unit: str
    where: str


@dataclass(frozen=True)
class CouplingDraft:
    """Joints with proportional motions, as written; see `Coupling`. Factors by path or name."""

    name: str
    kind: CouplingKind
    factors: tuple[tuple[str, Scalar], ...]
    offset: Scalar | None
    where: str

    @property
    def label(self) -> str:
        """Label in messages."""
        return f"{self.kind} {quoted(self.name)}"


@dataclass(frozen=True)
class DriveDraft:
    """A driven joint as written; without a position, it is a live input."""

    joint: str
    position: Scalar | None
    derivatives: Derivatives
    cutoff: float
    where: str


@dataclass(frozen=True)
class IndependentDraft:
    """A joint whose coordinate should be independent."""

    joint: str
    where: str


@dataclass(frozen=True)
class LockDraft:
    """A joint that is held at its current position."""

    name: str
    joint: str
    where: str


@dataclass(frozen=True)
class EventDraft:
    """A traced event as written; see `Event`."""

    name: str
    mode: str
    indicator: Scalar
    direction: Direction
    to: str | None
    impact: str | None
    restitution: Scalar
    row_restitution: tuple[tuple[str, Scalar], ...]
    sets: tuple[tuple[str, Scalar], ...]
    settles_in: str | None
    tolerance: float | None
    quantities: tuple[Quantity, ...]
    where: str


@dataclass(frozen=True)
class FlexibleLinkDraft:
    """A flexible link as written; nodes are names of bodies, root to tip. See `FlexibleLink`."""

    name: str
    nodes: tuple[str, ...]
    along: tuple[float, float, float]
    bends_about: tuple[float, float, float]
    mass_per_length: Scalar
    EI: Scalar
    EA: Scalar | None
    alpha: Scalar
    beta: Scalar
    stiffening: bool
    where: str


@dataclass(frozen=True)
class InputDraft:
    """A joint input (target: a joint) or an external force (target: a point)."""

    name: str
    body: str
    target: str
    where: str


@dataclass(frozen=True)
class ControllerDraft:
    """A controller as written, with its gains as parameters by argument; see `Controller`."""

    name: str
    function: Any
    period: float
    gains: Mapping[str, Parameter]
    where: str


@dataclass(frozen=True)
class Place:
    """A resolved path: the body as written and the pose in its axes."""

    body: str
    pose: Pose


@dataclass
class Draft:
    """Everything written so far, with the mistakes found on the way."""

    name: str
    doc: str
    strict_inertia: bool
    where: str
    graph: Graph = field(default_factory=Graph)
    gravity: Vector3 = ZERO
    bodies: list[BodyDraft] = field(default_factory=list)
    sites: list[SiteDraft] = field(default_factory=list)
    flexible_links: list[FlexibleLinkDraft] = field(default_factory=list)
    parameters: list[Parameter] = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)
    laws: list[LawDraft] = field(default_factory=list)
    stops: set[str] = field(default_factory=set)  # names of the laws that are joint stops
    hard_stops: list[HardStop] = field(default_factory=list)
    contacts: list[ContactDraft] = field(default_factory=list)
    pile: PileDraft | None = None
    sensors: list[SensorDraft] = field(default_factory=list)
    controller: ControllerDraft | None = None
    joint_inputs: list[InputDraft] = field(default_factory=list)
    external_forces: list[InputDraft] = field(default_factory=list)
    loops: list[LoopDraft] = field(default_factory=list)
    constraints: list[ConstraintDraft] = field(default_factory=list)
    couplings: list[CouplingDraft] = field(default_factory=list)
    drives: list[DriveDraft] = field(default_factory=list)
    independent: list[IndependentDraft] = field(default_factory=list)
    started: list[str] = field(default_factory=list)  # joints placed by `start_at`
    locks: list[LockDraft] = field(default_factory=list)
    modes: list[Mode] = field(default_factory=list)
    events: list[EventDraft] = field(default_factory=list)
    membership: dict[str, tuple[str, ...]] = field(default_factory=dict)
    bounded: list[Bounded] = field(default_factory=list)
    mistakes: list[Mistake] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    metadata: dict[str, object] = field(default_factory=dict)
    reading: str = ""
    _body_named: dict[str, BodyDraft] = field(default_factory=dict)
    _joint_named: dict[str, BodyDraft] = field(default_factory=dict)
    _site_at: dict[str, SiteDraft] = field(default_factory=dict)

    @property
    def time(self) -> Expr:
        """The symbol of time [s] in all laws."""
        return self.graph.symbol("t")

    def here(self) -> str:
        """Return the current location: a line of the file being read, or of the user's code."""
        return self.reading or caller_line()

    def intake(self, label: str) -> Intake:
        """Return a reader for an element written at the current location."""
        return Intake(self.mistakes, self.graph, label, self.here(), self.bounded)

    def add_body(self, body: BodyDraft) -> None:
        """Add a body; if a name is used several times, it refers to the first one."""
        self.bodies.append(body)
        self._body_named.setdefault(body.name, body)
        self._joint_named.setdefault(body.joint.name, body)

    def change_joint(self, body: BodyDraft, joint: Joint) -> None:
        """Replace the joint of a body by one of the same name."""
        changed = replace(body, joint=joint)
        self.bodies[next(k for k, known in enumerate(self.bodies) if known is body)] = changed
        for named in (self._body_named, self._joint_named):
            named.update({name: changed for name, known in named.items() if known is body})

    def add_site(self, site: SiteDraft) -> None:
        """Add a point or a frame."""
        self.sites.append(site)
        self._site_at.setdefault(site.path, site)

    def body(self, name: str) -> BodyDraft | None:
        """Return the body of this name."""
        return self._body_named.get(name)

    def site(self, path: str) -> SiteDraft | None:
        """Return the point or frame of this path."""
        return self._site_at.get(path)

    def body_of_joint(self, name: str) -> BodyDraft | None:
        """Return the body moved by the joint of this name, or else the body of this name."""
        return self._joint_named.get(name) or self._body_named.get(name)

    def elements(self) -> Iterator[str]:
        """Yield the names of everything that may be limited to some modes."""
        yield from (law.name for law in self.laws)
        yield from (loop.name for loop in self.loops)
        yield from (item.name for item in self.constraints)
        yield from (item.name for item in self.couplings)
        yield from (lock.name for lock in self.locks)
        yield from (f"drive {drive.joint}" for drive in self.drives)

    def free_name(self, stem: str) -> str:
        """Return an unused name for a law, loop, constraint, coupling or lock."""
        used = set(self.elements())
        name, count = stem, 1
        while name in used:
            count += 1
            name = f"{stem}_{count}"
        return name

    def resolve(self, path: str) -> Place | None:
        """Return what a path such as "crank", "crank.pin" or "crank.com" refers to."""
        if path == GROUND_NAME or path in self._body_named:
            return Place(path, Pose())
        site = self._site_at.get(path)
        if site is not None and (site.body == GROUND_NAME or site.body in self._body_named):
            return Place(site.body, site.pose)
        owner, _, name = path.rpartition(".")
        if owner == GROUND_NAME and name == "origin":
            return Place(owner, Pose())
        body = self._body_named.get(owner)
        if body is None or name not in ("origin", "com"):
            return None
        return Place(owner, Pose(ZERO if name == "origin" else body.com))

    def paths(self) -> Iterator[str]:
        """Yield every path that something can be attached to."""
        yield GROUND_NAME
        yield from self._body_named
        yield from self._site_at


class HasDraft(Protocol):
    """A model that is being written, as seen by the functions that are its methods."""

    _draft: Draft
