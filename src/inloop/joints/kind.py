"""A kind of joint: all that makes a revolute joint differ from a prismatic one, in one object.

Whoever works with joints asks their kind, and nobody asks for a kind by its name. What the
equations need follows from `transform`: the motion subspace and its rate are its derivatives
(formalisms/relative_motion.py).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import ClassVar, Self

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
class JointKind(ABC):
    """A kind of joint with one coordinate.

    The fields of a kind are its numbers, such as the pitch of a screw; each may depend on
    parameters, and tells its unit in the metadata of its field.

    Attributes:
        name: in descriptions and messages.
        letter: in the names of the joints of a chain, such as "base_tx".
        dimension: what its coordinate measures.
        turns: whether the body changes its orientation.
        slides: whether the origin of the body moves.
        urdf: its types in URDF files.
    """

    name: ClassVar[str]
    letter: ClassVar[str]
    dimension: ClassVar[Dimension]
    turns: ClassVar[bool]
    slides: ClassVar[bool]
    urdf: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def transform(self, q: Expr) -> Transform:
        """Where the joint puts its body at q; the numbers are expressions of the graph of q."""

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
        return {f.name: (getattr(self, f.name), f.metadata["unit"]) for f in fields(self)}

    def with_numbers(self, values: Mapping[str, Scalar]) -> Self:
        """The same kind with other numbers, by name."""
        return replace(self, **values)

    def __str__(self) -> str:
        return self.name
