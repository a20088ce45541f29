"""The fixed joint: a weld. It never occurs in a finished mechanism."""

from __future__ import annotations

from dataclasses import dataclass

from inloop.joints.dimension import NOTHING
from inloop.joints.kind import JointKind, Transform
from inloop.joints.spec import JointSpec
from inloop.symbolic import Expr


@dataclass(frozen=True)
class Fixed(JointKind):
    """R_JC = 1, p_JC = 0."""

    name = "fixed"
    letter = "f"
    dimension = NOTHING
    turns = False
    slides = False
    urdf = ("fixed",)

    def transform(self, q: Expr) -> Transform:
        """Always the identity."""
        zero = q.graph.zero
        return Transform((), (zero, zero, zero))


def fixed(*, name: str | None = None) -> JointSpec:
    """Weld a body on: it is merged into its parent."""
    return JointSpec(Fixed(), name=name)
