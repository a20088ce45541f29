"""A mechanism as displayed: its studio scene, and the poses of its bodies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from inloop.geometry import ConvexHull, Heightfield, Mesh, MeshFile, Visual
from inloop.geometry.sizes import is_symbolic
from inloop.model import Mechanism
from inloop.plant import Array
from inloop.plant.drawn.evaluated_poses import EvaluatedPoses
from inloop.studio.drawing.scene import make_scene
from inloop.studio.drawing.sketch import make_sketch
from inloop.studio.drawing.visuals import corners_of

GROUND = -1
HEAVY = (Mesh, MeshFile, ConvexHull, Heightfield)


class Shown:
    """Drawable content of a mechanism.

    Args:
        mechanism: the frozen model.
        parameters: values by name, in place of the declared ones.
        plane: "xy", "xz" or "yz" for a side view.
        looks: visuals by name of the body or "ground", in place of the model's own visuals.
        meshes: whether mesh files are read; without them, bodies that have nothing else are drawn
            from their points.

    Attributes:
        scene: scene data as sent to the studio's page.
        meshes: packed meshes that the scene refers to.
        start: coordinates at the start [rad or m].
    """

    def __init__(
        self,
        mechanism: Mechanism,
        parameters: Mapping[str, float] | None = None,
        *,
        plane: str = "",
        looks: Mapping[str, Sequence[Visual]] | None = None,
        meshes: bool = True,
    ) -> None:
        chosen = _changed(mechanism, partial(_placed, mechanism, parameters or {}))
        chosen = chosen if meshes else _changed(chosen, _without_meshes)
        parts, found, shelf = make_sketch(chosen, plane, looks)
        self._poses = EvaluatedPoses(chosen, found.points, found.turns, parameters)
        self.scene: dict[str, Any] = make_scene(parts, self._poses)
        self.meshes: Mapping[str, bytes] = shelf.blocks
        self.start: Array = np.array(parts.start)

    def poses(self, q: Array) -> Array:
        """p_WB [m] and the rows of R_WB of all bodies at positions q, shape (N, bodies, 12)."""
        return self._poses.over(q)

    def corners(self, X: Array) -> Array:
        """Corners of bounding boxes of everything that moves [m, world], shape (N, corners, 3).

        Args:
            X: poses, shape (N, bodies, 12).
        """
        found = [np.zeros((len(X), 0, 3))]
        for k, body in enumerate(self.scene["bodies"]):
            boxes = [corners_of(look) for look in body["shapes"]]
            corners = np.vstack(boxes) if boxes else np.zeros((1, 3))
            R_WB = X[:, k, 3:].reshape(-1, 3, 3)
            found.append(X[:, k, None, :3] + np.einsum("nij,cj->nci", R_WB, corners))
        return np.concatenate(found, axis=1)

    @property
    def ground_corners(self) -> Array:
        """Corners of bounding boxes of ground visuals [m], shape (corners, 3)."""
        return np.vstack([np.zeros((0, 3)), *map(corners_of, self.scene["ground"])])


def _changed(
    mechanism: Mechanism, change: Callable[[Sequence[Visual]], tuple[Visual, ...]]
) -> Mechanism:
    """The same mechanism with changed visuals."""
    bodies = tuple(replace(body, visuals=change(body.visuals)) for body in mechanism.bodies)
    ground = replace(mechanism.ground, visuals=change(mechanism.ground.visuals))
    return replace(mechanism, bodies=bodies, ground=ground)


def _without_meshes(visuals: Sequence[Visual]) -> tuple[Visual, ...]:
    return tuple(look for look in visuals if not isinstance(look.shape, HEAVY))


def _placed(
    mechanism: Mechanism, parameters: Mapping[str, float], visuals: Sequence[Visual]
) -> tuple[Visual, ...]:
    """The visuals, rotated where their rotation depends on parameters."""
    free = [look for look in visuals if any(is_symbolic(x) for row in look.rotation for x in row)]
    if not free:
        return tuple(visuals)
    found = EvaluatedPoses(mechanism, [], [look.rotation for look in free], parameters)
    turns = iter(found.points.reshape(-1, 3, 3))
    return tuple(
        replace(look, rotation=next(turns).T.tolist()) if look in free else look for look in visuals
    )
