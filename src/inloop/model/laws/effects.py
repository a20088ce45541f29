"""What acts on a finished mechanism: traced force laws and inputs from outside.

Every traced law holds the placeholder symbols it was traced with, so that a formalism can put
its own expressions in their place. `t` is the time [s] and is the same symbol in all laws.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from inloop.model.elements import Frame, Point
from inloop.model.geometry import Matrix3, Scalar, Vector3
from inloop.model.modes.elements import Quantity
from inloop.symbolic import Expr

Axes = Literal["world", "body"]
Symbols3: TypeAlias = tuple[Expr, Expr, Expr]
Symbols33: TypeAlias = tuple[Symbols3, Symbols3, Symbols3]


@dataclass(frozen=True)
class LawState:
    """An internal state of a law, integrated with the motion.

    Attributes:
        name: "<law>.<state>".
        symbol: placeholder for its value.
        initial: value at the start.
        rate: its time derivative, an expression of the law's placeholders.
    """

    name: str
    symbol: Expr
    initial: float
    rate: Scalar


@dataclass(frozen=True)
class LawOutput:
    """A quantity that a law makes known, such as a gap or a contact force.

    Attributes:
        name: "<law>.<output>".
        unit: label.
        value: an expression of the law's placeholders and states.
    """

    name: str
    unit: str
    value: Scalar


@dataclass(frozen=True, kw_only=True)
class Effect:
    """What the effects of all laws have.

    Attributes:
        name: of the law.
        t: placeholder for the time [s].
        where: file and line.
        states: internal states of the law.
        outputs: what it makes known.
        quantities: what else it was traced with: multipliers, efforts, outputs of other laws.
    """

    name: str
    t: Expr
    where: str
    states: tuple[LawState, ...] = ()
    outputs: tuple[LawOutput, ...] = ()
    quantities: tuple[Quantity, ...] = ()


@dataclass(frozen=True, kw_only=True)
class JointForce(Effect):
    """Effort of a joint, positive drives q up [N or N·m].

    Traced with q, qd, t, and, in the rates of its states only, with `radial`: the size of the
    force that the joint transmits across its axis [N]. `stop` is True for elastic stops at the
    limits of the joint.
    """

    body: int
    q: Expr
    qd: Expr
    radial: Expr
    effort: Scalar
    stop: bool = False

    @property
    def value(self) -> tuple[Scalar, ...]:
        """All that the law returned."""
        return (self.effort,)


@dataclass(frozen=True, kw_only=True)
class CoupledForce(Effect):
    """Efforts of several joints by one law of all their coordinates, each positive drives q up.

    Attributes:
        bodies: indices of the bodies that the joints move.
        q: placeholders for their coordinates [rad or m].
        qd: placeholders for their velocities.
        efforts: one per joint [N or N·m].
    """

    bodies: tuple[int, ...]
    q: tuple[Expr, ...]
    qd: tuple[Expr, ...]
    efforts: tuple[Scalar, ...]

    @property
    def value(self) -> tuple[Scalar, ...]:
        """All that the law returned."""
        return self.efforts


@dataclass(frozen=True, kw_only=True)
class Force(Effect):
    """Force on a body at a point Q [N].

    Attributes:
        at: the point Q, on body at.body.
        axes: axes of `components`: "world", or "body" for the axes F of the body as written.
        R_BF: those axes F in the carrying body B.
        p: placeholders for the position p_WQ [m].
        v: placeholders for the velocity of Q in world axes [m/s].
        components: the force.
    """

    at: Point
    axes: Axes
    R_BF: Matrix3
    p: Symbols3
    v: Symbols3
    components: Vector3

    @property
    def value(self) -> tuple[Scalar, ...]:
        """All that the law returned."""
        return self.components


@dataclass(frozen=True, kw_only=True)
class Torque(Effect):
    """Pure torque on a body [N·m].

    Attributes:
        body: index of the body B.
        axes: axes of `components` and `w`: "world", or "body" for F.
        R_BF: axes F of the body as written in B.
        w: placeholders for the angular velocity in those axes [rad/s].
        R: placeholders for R_WF.
        components: the torque.
    """

    body: int
    axes: Axes
    R_BF: Matrix3
    w: Symbols3
    R: Symbols33
    components: Vector3

    @property
    def value(self) -> tuple[Scalar, ...]:
        """All that the law returned."""
        return self.components


@dataclass(frozen=True, kw_only=True)
class LineForce(Effect):
    """Force along the line between two points, positive pulls them together [N].

    Attributes:
        a: first point.
        b: second point, on another body or on the ground.
        l: placeholder for the distance [m].
        ld: placeholder for its rate [m/s].
        force: the pull.
    """

    a: Point
    b: Point
    l: Expr
    ld: Expr
    force: Scalar

    @property
    def value(self) -> tuple[Scalar, ...]:
        """All that the law returned."""
        return (self.force,)


@dataclass(frozen=True, kw_only=True)
class FrameForce(Effect):
    """Force [N] and torque [N·m] between two frames A and B, in axes of A.

    Both act on the body of B at the origin of B; the opposite force and torque act on the body
    of A at the same point.

    Attributes:
        a: frame A.
        b: frame B, on another body or on the ground.
        p: placeholders for the position p_AB [m].
        v: placeholders for its rate in A [m/s].
        r: placeholders for the small rotation ½ vee(R_AB - R_ABᵀ) [rad].
        w: placeholders for the angular velocity of B in A [rad/s].
        R: placeholders for R_AB.
        force: the force.
        torque: the torque.
    """

    a: Frame
    b: Frame
    p: Symbols3
    v: Symbols3
    r: Symbols3
    w: Symbols3
    R: Symbols33
    force: Vector3
    torque: Vector3

    @property
    def value(self) -> tuple[Scalar, ...]:
        """All that the law returned."""
        return (*self.force, *self.torque)


AnyLaw: TypeAlias = JointForce | CoupledForce | Force | Torque | LineForce | FrameForce


@dataclass(frozen=True)
class ExternalForce:
    """Force and torque that come from outside, six inputs.

    Attributes:
        name: the inputs are called "<name>.force" and "<name>.torque".
        at: where the force acts: center of mass of the body as written, or a named point.
        R_BF: axes of all six components in the carrying body: those of the body as written.
        where: file and line.
    """

    name: str
    at: Point
    R_BF: Matrix3
    where: str


@dataclass(frozen=True)
class JointInput:
    """Effort of a joint that comes from outside, called "<joint>.tau" [N or N·m]."""

    name: str
    body: int
    where: str
