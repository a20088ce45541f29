"""A joint as a person writes it: its kind, its axis, and where it starts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from inloop.joints.kind import JointKind
from inloop.symbolic import Scalar

Axis: TypeAlias = "str | Sequence[float]"
Pair: TypeAlias = tuple[float, float]
# q and qd at the start, or q alone; None: not declared
Initial: TypeAlias = "float | tuple[float | None, float | None]"


@dataclass(frozen=True)
class JointSpec:
    """A joint as written; it is read and checked when a body is hung on it."""

    kind: JointKind
    axis: Axis = "z"
    name: str | None = None
    limits: Pair | None = None
    initial: Initial | None = None
    armature: Scalar = 0.0
    guess: float | None = None
    effort: float = math.inf  # largest that a drive gives: the range of the input [N·m or N]
