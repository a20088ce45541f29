"""A joint as specified by the user: its kind, axis and initial position."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from inloop.joints.kind import JointKind
from inloop.symbolic import Scalar

Axis: TypeAlias = "str | Sequence[float]"
Pair: TypeAlias = tuple[float, float]
# initial q and qd, or q alone; None: not declared
Initial: TypeAlias = "float | tuple[float | None, float | None]"


@dataclass(frozen=True)
class JointSpec:
    """A joint specification; it is checked when a body is attached."""

    kind: JointKind
    axis: Axis = "z"
    name: str | None = None
    limits: Pair | None = None
    initial: Initial | None = None
    armature: Scalar = 0.0
    guess: float | None = None
    effort: float = math.inf  # maximum drive effort: the range of the input [N·m or N]
