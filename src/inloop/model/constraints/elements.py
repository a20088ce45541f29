"""What restricts the motion of a finished mechanism: loops, constraints, couplings, drives.

Data only: the equations are written by the formalisms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from inloop.model.elements import Frame
from inloop.model.geometry import Scalar
from inloop.model.laws.effects import LawState
from inloop.model.parameters import Input
from inloop.symbolic import Expr

CutKind = Literal["ball", "solid", "hinge", "rod"]  # what m.close takes
LoopKind = Literal["ball", "solid", "hinge", "rod", "disc", "sphere", "knife edge"]
CouplingKind = Literal["coupling", "gear", "rack"]
DriveKind = Literal["time", "input"]
Derivatives = Literal["given", "filtered"]


@dataclass(frozen=True)
class Loop:
    """A kinematic loop, cut between two frames that belong together.

    Attributes:
        name: name of the loop.
        kind: what must hold between the frames A and B: "ball", their origins coincide (3
            rows); "solid", origins and axes coincide (6 rows); "hinge", origins coincide and
            `axis` is parallel (5 rows); "rod", the origins are `length` apart (1 row); "disc",
            "sphere", one about the origin of B rolls on the x, y plane of A (3 rows); "knife
            edge", the origin of B does not move along `axis` (1 row).
        a: frame A; a point stands for a frame with the axes of its body as written.
        b: frame B, on another body or on the ground.
        axis: of a hinge: unit vector, in axes of A and, with the same components, of B; of a disc
            or a knife edge, in axes of B.
        length: of a rod, or the radius of what rolls [m].
        where: file and line.
    """

    name: str
    kind: LoopKind
    a: Frame
    b: Frame
    axis: tuple[float, float, float]
    length: Scalar
    where: str

    @property
    def length_name(self) -> str:
        """What its length is called among live parameters."""
        word = "radius" if self.kind in ("disc", "sphere") else "length"
        return f"{self.name}.{word}"


@dataclass(frozen=True)
class Constraint:
    """A user's constraint h(q, t) = 0, or A(q, t) qd + b(q, t) = 0.

    Attributes:
        name: name of the constraint.
        positions: of each entry of q that it uses, its place in q, and its placeholder.
        velocities: of each joint whose velocity it uses, the index of the body that it moves, and
            the placeholder; empty if the constraint is one on positions.
        t: time [s].
        rows: what must vanish.
        where: file and line.
        unit: unit of the rows, a label.
    """

    name: str
    positions: tuple[tuple[int, Expr], ...]
    velocities: tuple[tuple[int, Expr], ...]
    t: Expr
    rows: tuple[Scalar, ...]
    where: str
    unit: str = "m"

    @property
    def on_velocities(self) -> bool:
        """True if it restricts velocities, and positions not at all."""
        return bool(self.velocities)


@dataclass(frozen=True)
class Coupling:
    """Joints that move in proportion: Σ factor q = offset.

    Attributes:
        name: name of the coupling.
        kind: what the user called it.
        factors: index of the body that each joint moves, and its factor, in the order written.
        offset: what the sum must be; None: what it is when the coupling begins to hold.
        where: file and line.
    """

    name: str
    kind: CouplingKind
    factors: tuple[tuple[int, Scalar], ...]
    offset: Scalar | None
    where: str

    @property
    def reference(self) -> int | None:
        """The first body whose factor is 1: the multiplier is the effort on its joint."""
        return next((k for k, x in self.factors if not isinstance(x, Expr) and x == 1.0), None)


@dataclass(frozen=True)
class Drive:
    """A joint whose motion is prescribed.

    Attributes:
        body: index of the body that the joint moves.
        kind: "time" for a function of time, "input" for a signal from outside.
        t: time [s].
        position: q as an expression of t and parameters or, of an input, of signals from
            outside and states of the filter [rad or m].
        derivatives: of an input: "given", qd and qdd come from outside as well; "filtered",
            they are found from q by a filter, see `live_drives`.
        cutoff: of that filter [Hz].
        where: file and line.
        velocity, acceleration: of an input, as `position`; None: they are derivatives of it.
        inputs: signals from outside.
        states: of the filter.
    """

    body: int
    kind: DriveKind
    t: Expr
    position: Scalar
    derivatives: Derivatives
    cutoff: float
    where: str
    velocity: Scalar | None = None
    acceleration: Scalar | None = None
    inputs: tuple[Input, ...] = ()
    states: tuple[LawState, ...] = ()
