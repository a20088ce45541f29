"""The parts of a finished mechanism: frozen, with every name resolved to an index.

Body indices count base to tip from 0; GROUND (-1) stands for the ground. Frames in names:
P parent body, J joint frame at q = 0, B body, F the axes of a body as the user wrote it (which
may have been merged into B), Q a point.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from inloop.geometry import Visual
from inloop.joints import JointKind, quaternion
from inloop.model.geometry import Matrix3, Scalar, Vector3


@dataclass(frozen=True)
class Joint:
    """A joint with one degree of freedom between a body and its parent.

    Attributes:
        name: name of the coordinate.
        kind: type of joint, and what q measures; fixed joints never occur in a Mechanism.
        axis: unit vector, the same in J and in B.
        limits: (minimum, maximum) of q [rad or m], or None.
        initial: initial (q, qd); for joints in loops, q may be a guess.
        armature: reflected inertia of the drive, added to the diagonal of M [kg·m² or kg].
        where: file and line.
        declared: which of the two initial values the user wrote, so that loops must keep them.
        effort: maximum effort of its drive [N·m or N]: the range of its input for sliders; efforts
            set by programs are not limited.
    """

    name: str
    kind: JointKind
    axis: tuple[float, float, float]
    limits: tuple[float, float] | None
    initial: tuple[float, float]
    armature: Scalar
    where: str
    declared: tuple[bool, bool] = (False, False)
    effort: float = math.inf


@dataclass(frozen=True)
class Attachment:
    """Attachment of a body to its parent: joint frame J in parent P.

    Attributes:
        path: the place it is attached to, such as "crank.pin" or "ground".
        p_PJ: position of J in P [m].
        R_PJ: rotation of J in P.
    """

    path: str
    p_PJ: Vector3
    R_PJ: Matrix3


@dataclass(frozen=True)
class Point:
    """A named point Q of a body B: path "tool.tip", position p_BQ [m]."""

    name: str
    path: str
    body: int
    p_BQ: Vector3
    where: str


@dataclass(frozen=True)
class Frame:
    """A named frame F fixed on a body B: position p_BF [m] and rotation R_BF."""

    name: str
    path: str
    body: int
    p_BF: Vector3
    R_BF: Matrix3
    where: str


@dataclass(frozen=True)
class Part:
    """A body as the user wrote it, part of the rigid body B that carries it.

    Attributes:
        name: name given by the user.
        p_BF: origin of the part in B [m].
        R_BF: axes of the part in B.
        p_BC: the part's own center of mass in B [m].
        where: file and line.
    """

    name: str
    p_BF: Vector3
    R_BF: Matrix3
    p_BC: Vector3
    where: str


@dataclass(frozen=True)
class Body:
    """A rigid body, including everything attached to it by fixed joints.

    Attributes:
        name: name given by the user to the body that carries the others.
        index: index in Mechanism.bodies, and of its coordinate in q, qd and tau.
        parent: index of the parent body, or GROUND.
        attachment: joint frame J in the parent.
        joint: the joint to the parent; B coincides with J at q = 0.
        mass: total mass [kg].
        com: center of mass p_BC of all parts [m].
        inertia: about that center of mass, in body axes [kg·m²], symmetric.
        parts: the bodies as written; the first is the carrier itself.
        points: named points, including those of merged bodies.
        frames: named frames, including those of merged bodies.
        visuals: shapes to draw.
        doc: the user's description.
        where: file and line.
    """

    name: str
    index: int
    parent: int
    attachment: Attachment
    joint: Joint
    mass: Scalar
    com: Vector3
    inertia: Matrix3
    parts: tuple[Part, ...]
    points: tuple[Point, ...]
    frames: tuple[Frame, ...]
    visuals: tuple[Visual, ...]
    doc: str
    where: str


@dataclass(frozen=True)
class Attitude:
    """Attitude of a body on a ball joint: unit quaternion of R_JB as (w, x, y, z).

    Attributes:
        name: name of the body.
        bodies: the three bodies for rotations about x, y and z; the last is the body itself.
        first: initial quaternion.
    """

    name: str
    bodies: tuple[int, int, int]
    first: tuple[float, float, float, float]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the four components: "hull.qw", ..."""
        return tuple(f"{self.name}.{component}" for component in quaternion.NAMES)


@dataclass(frozen=True)
class Ground:
    """The ground, including everything attached to it by fixed joints."""

    parts: tuple[Part, ...]
    points: tuple[Point, ...]
    frames: tuple[Frame, ...]
    visuals: tuple[Visual, ...]
