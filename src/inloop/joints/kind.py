"""A kind of joint: all that makes a revolute joint differ from a prismatic one, in one object.

Whoever works with joints asks their kind, and nobody asks for a kind by its name. What the
equations need follows from `transform`: the motion subspace and its rate are its derivatives
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
    """Where a joint puts its body: frame C after the joint in frame J before it, z along the axis.

    Attributes:
        rotations: R_JC as rotations in a row, each about an axis X, Y or Z by an angle [rad].
        shift: position p_JC of C's origin in J [m].
    """

    rotations: tuple[tuple[int, Expr], ...]
    shift: tuple[Expr, Expr, Expr]


@dataclass(frozen=True)
class Traced:
    """A function of q that a person wrote, as expressions of a placeholder for q."""

    q: Expr
    values: tuple[Scalar, ...]


@dataclass(frozen=True)
class JointKind(ABC):
    """A kind of joint with one coordinate.

    The fields of a kind are numbers, such as the pitch of a screw, whose metadata tells their
    `unit`, and functions of q, whose metadata tells how many `components` they return. Both may
    depend on parameters.

    Attributes:
        name: in descriptions and messages.
        letter: in the names of the joints of a chain, such as "base_tx".
        urdf: its types in URDF files.
    """

    name: ClassVar[str]
    letter: ClassVar[str]
    urdf: ClassVar[tuple[str, ...]] = ()

    @property
    def part(self) -> int | None:
        """Which of the three turns of a ball joint it is; None for a joint of its own.

        The three parts of a ball joint share one frame, whose attitude is a unit quaternion: no
        order of turns in a row would be free of singular positions.
        """
        return None

    @property
    def attitude(self) -> tuple[float, float, float, float] | None:
        """The unit quaternion of a ball joint at the start; None for other joints."""
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
        """Where the joint puts its body at q; the fields are expressions of the graph of q."""

    @property
    def moves(self) -> bool:
        """False for a weld, which has no coordinate."""
        return self.dimension is not NOTHING

    @property
    def hinges(self) -> bool:
        """True if the body turns about a place that stays where it is."""
        return self.turns and not self.slides

    def numbers(self) -> dict[str, tuple[Scalar, str]]:
        """Value and unit of each of its numbers, by name."""
        return {
            f.name: (getattr(self, f.name), f.metadata["unit"])
            for f in fields(self)
            if "unit" in f.metadata
        }

    def functions(self) -> dict[str, tuple[Any, int]]:
        """Each of its functions and the number of its components, by name."""
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
