"""Contact points of two shapes: `il_collision.h` from Python, for analysis and tests."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from inloop.native.library import COUNT, POINTER, REAL, Reals
from inloop.native.mirror import constant, mirror
from inloop.native.runtime_library import load_runtime


@dataclass(frozen=True)
class FoundTouch:
    """A contact point of two shapes, in axes of the first.

    Attributes:
        point: midway between the surfaces [m].
        normal: unit vector from the first shape to the second.
        gap: distance, negative if they overlap [m].
        feature: number of the touching feature, such as a corner of the second shape.
    """

    point: Reals
    normal: Reals
    gap: float
    feature: int


class Collider:
    """Two shapes, prepared for many queries."""

    def __init__(self, a: Any, b: Any) -> None:
        """Prepare two shapes: objects with the fields of il_shape, see `geometry.collision`."""
        self._kept: list[Any] = []
        self.a, self.b = self._shape(a), self._shape(b)
        self._find = load_runtime().function("il_collide", POINTER, POINTER, POINTER, REAL, POINTER)
        self._found = mirror("il_spots")()

    def touches(
        self, p: Sequence[float] | Reals, R: Reals | None = None, margin: float = 0.01
    ) -> tuple[FoundTouch, ...]:
        """Their contact points.

        Args:
            p: p_AB, the origin of the frame of b in that of a [m].
            R: R_AB; None for parallel axes.
            margin: largest gap that is reported [m].
        """
        pose = mirror("il_pose")()
        pose.p[:] = [float(x) for x in p]
        pose.R[:] = [float(x) for x in (np.eye(3) if R is None else np.asarray(R)).ravel()]
        parts = [ctypes.addressof(x) for x in (self.a, self.b, pose, self._found)]
        self._find(*parts[:3], margin, parts[3])
        return tuple(
            FoundTouch(np.array(x.point), np.array(x.normal), x.gap, x.feature)
            for x in self._found.list[: self._found.count]
        )

    def _shape(self, given: Any) -> Any:
        shape = mirror("il_shape")(
            kind=_constant(given), radius=given.radius, half=given.half, tube=given.tube
        )
        shape.axis[:], shape.edges[:] = given.axis, given.edges
        if given.corners is not None:
            shape.corners, shape.corner_count = self._address(given.corners), len(given.corners)
        if given.ground is not None:
            shape.ground = ctypes.addressof(self._ground(given.ground))
        return shape

    def _ground(self, given: Any) -> Any:
        ground = mirror("il_terrain")()
        ground.origin[:], ground.cell[:], ground.cells[:] = given.origin, given.cell, given.cells
        tables = (
            ("heights",)
            if len(given.heights)
            else ("vertices", "triangles", "starts", "members", "firsts")
        )
        for name in tables:
            setattr(ground, name, self._address(getattr(given, name)))
        self._kept.append(ground)
        return ground

    def _address(self, array: Any) -> int:
        kept = np.ascontiguousarray(array)
        self._kept.append(kept)
        return int(kept.ctypes.data)


def collides(a: Any, b: Any) -> bool:
    """Whether there is an algorithm for two shapes, in this order."""
    known = load_runtime().function("il_collides", COUNT, COUNT, returns=ctypes.c_int)
    return bool(known(_constant(a), _constant(b)))


def _constant(shape: Any) -> int:
    return constant(f"IL_{shape.kind.upper()}")
