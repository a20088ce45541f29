"""What there is to see of a plant at one moment: poses of its bodies, forces at its contacts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from inloop.native.library import Reals
from inloop.plant.poses import Poses, quaternions
from inloop.realtime.layout import Layout
from inloop.studio.draft import GROUND
from inloop.studio.frames import no_arrows, poses_frame
from inloop.studio.scene import empty_scene, make_scene
from inloop.studio.sources import Moment
from inloop.studio.stage import Stage

LEAST_FORCE = 1e-6  # [N]: less is no arrow


class Show:
    """Turns outputs of the loop into frames.

    Attributes:
        scene: for the page, with the parameters as they are.
    """

    def __init__(self, stage: Stage, layout: Layout) -> None:
        self._stage = stage
        self._poses: Poses | None = None
        self._contacts: list[_Contact] = []
        self.scene: dict[str, Any] = empty_scene()
        if stage.library is None or stage.draft is None:
            return
        names = tuple(c.name for c in layout.coordinates)
        if names != stage.library.coordinates:
            return  # another plant of the same name
        self._poses = Poses(stage.library)
        self._q = slice(layout.cuts[0], layout.cuts[1])
        for contact in stage.draft.contacts:
            if all(name in layout.index for name in contact.signals):
                columns = [layout.index[name] for name in contact.signals]
                self._contacts.append(_Contact(contact.body, contact.origin, contact.turn, columns))
        self.set_parameters({})

    def set_parameters(self, values: Mapping[str, float]) -> bool:
        """Take over parameters; True if the scene looks different now."""
        if self._poses is None or self._stage.draft is None:
            return False
        self._poses.set_parameters(values)
        points = self._poses.points
        for contact in self._contacts:
            contact.place(points)
        before, self.scene = self.scene, make_scene(self._stage.draft, self._poses)
        return before != self.scene

    def frame(self, moment: Moment) -> bytes:
        """Poses and arrows at one moment."""
        if self._poses is None:
            nothing = np.zeros((0, 7))
            return poses_frame(moment.sequence, moment.stamp, moment.t, nothing, no_arrows())
        X = self._poses.at(moment.values[self._q])
        found = [c.arrow(X, moment.values) for c in self._contacts]
        shown = [arrow for arrow in found if arrow is not None]
        arrows = np.array(shown) if shown else no_arrows()
        return poses_frame(moment.sequence, moment.stamp, moment.t, quaternions(X), arrows)


class _Contact:
    """A contact whose signals are its point and its force, in axes of a frame F."""

    def __init__(self, body: int, origin: int, turn: int, columns: list[int]) -> None:
        self._body, self._origin, self._turn = body, origin, turn
        self._point, self._force = columns[:3], columns[3:]
        self._p_BF, self._R_BF = np.zeros(3), np.eye(3)

    def place(self, points: Reals) -> None:
        """Where F is on its body, with the parameters as they are."""
        self._p_BF = points[self._origin]
        self._R_BF = points[self._turn : self._turn + 3].T

    def arrow(self, X: Reals, values: Reals) -> Reals | None:
        """Point and force in the world; None if nothing touches."""
        force_F = values[self._force]
        if not np.any(np.abs(force_F) > LEAST_FORCE):
            return None
        p_B = self._p_BF + self._R_BF @ values[self._point]
        force_B = self._R_BF @ force_F
        if self._body == GROUND:
            return np.concatenate((p_B, force_B))
        p_WB, R_WB = X[self._body, :3], X[self._body, 3:].reshape(3, 3)
        return np.concatenate((p_WB + R_WB @ p_B, R_WB @ force_B))
