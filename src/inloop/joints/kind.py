"""Base class of joint kinds: everything that distinguishes e.g. a revolute from a prismatic joint.

Code that works with joints calls these methods and never compares the name of a kind. The equations
need only `transform`: the motion subspace and its rate are its derivatives
(formalisms/relative_motion.py).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self

from inloop.joints.dimension import NOTHING, Dimension
from inloop.symbolic import Expr, Scalar

X, Y, Z = range(3)


@dataclass(frozen=True)
class Transform:
    """Pose of the body: frame C after the joint in frame J before it, z along the axis.

    Attributes:
        rotations: R_JC as a sequence of rotations, each about an axis X, Y or Z by an angle [rad].
        shift: position p_JC of C's origin in J [m].
    """

    rotations: tuple[tuple[int, Expr], ...]
    shift: tuple[Expr, Expr, Expr]


@dataclass(frozen=True)
class Traced:
    """A user-written function of q, traced with a placeholder for q."""

    q: Expr
    values: tuple[Scalar, ...]


@dataclass(frozen=True)
class JointKind(ABC):
    """A kind of joint with one coordinate.

    The fields of a kind are numbers, such as the pitch of a screw, whose metadata holds their
    `unit`, and functions of q, whose metadata holds the number of `components` they return. Both
    may depend on parameters.

    Attributes:
        name: name in descriptions and messages.
        letter: letter in the joint names of a chain, such as "base_tx".
        urdf: corresponding types in URDF files.
    """

    name: ClassVar[str]
    letter: ClassVar[str]
    urdf: ClassVar[tuple[str, ...]] = ()

    @property
    def part(self) -> int | None:
        """Index among the three parts of a ball joint; None for a joint of its own.

        The three parts of a ball joint share one frame, whose attitude is a unit quaternion: any
        sequence of three rotations would have singular positions.
        """
        return None

    @property
    def attitude(self) -> tuple[float, float, float, float] | None:
        """The initial unit quaternion of a ball joint; None for other joints."""
        return None

    @property
    @abstractmethod
    def dimension(self) -> Dimension:
        """What the coordinate measures."""

    @property
    @abstractmethod
    def turns(self) -> bool:
        """Whether the body changes its orientation."""

    @property
    @abstractmethod
    def slides(self) -> bool:
        """Whether the origin of the body moves."""

    @abstractmethod
    def transform(self, q: Expr) -> Transform:
        """Pose of the body at q; the fields are expressions of the graph of q."""

    @property
    def moves(self) -> bool:
        """False for a weld, which has no coordinate."""
        return self.dimension is not NOTHING

    @property
    def hinges(self) -> bool:
        """True if the body rotates about a fixed point."""
        return self.turns and not self.slides

    def numbers(self) -> dict[str, tuple[Scalar, str]]:
        """Value and unit of each numeric field, by name."""
        return {
            f.name: (getattr(self, f.name), f.metadata["unit"])
            for f in fields(self)
            if "unit" in f.metadata
        }

    def functions(self) -> dict[str, tuple[Any, int]]:
        """Each function field and the number of its components, by name."""
        return {
            f.name: (getattr(self, f.name), f.metadata["components"])
            for f in fields(self)
            if "components" in f.metadata
        }

    def with_values(self, values: Mapping[str, object]) -> Self:
        """The same kind with other numbers and functions, by name."""
        return replace(self, **values)

    def __str__(self) -> str:
        return self.name
