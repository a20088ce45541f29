"""The visible state of a plant at one moment: poses of its bodies, forces at its contacts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from inloop.native.library import Reals
from inloop.plant.drawn.poses import Poses, quaternions
from inloop.realtime.mailboxes.layout import Layout
from inloop.studio.drawing.anatomy import empty_anatomy, fill_anatomy
from inloop.studio.drawing.cockpit import fit_cockpit
from inloop.studio.drawing.scene import empty_scene, make_scene
from inloop.studio.drawing.sketch import ContactSketch
from inloop.studio.drawing.stage import Stage
from inloop.studio.messaging.frames import no_arrows, poses_frame
from inloop.studio.plants.sources import Moment

LEAST_FORCE = 1e-6  # [N]: no arrow below
AT_REST = np.concatenate([np.zeros(3), np.eye(3).ravel()])  # pose of the ground


class Show:
    """Converts outputs of the loop to frames.

    Attributes:
        scene: scene for the page, with the current parameters.
        anatomy: structure of the mechanism, likewise.
        cockpit: cameras, instruments and levers; None if the exhibit has none.
    """

    def __init__(self, stage: Stage, layout: Layout) -> None:
        self._stage = stage
        self._poses: Poses | None = None
        self.scene: dict[str, Any] = empty_scene()
        self.anatomy = empty_anatomy()
        self.cockpit = fit_cockpit(stage, layout)
        told = self.cockpit["signals"] if self.cockpit is not None else []
        self._told = np.array([layout.index[name] for name in told], dtype=np.int64)
        if stage.library is None or stage.sketch is None:
            return
        if not stage.library.fits(layout.index, len(layout.coordinates)):
            return  # a different plant of the same name
        self._poses = Poses(stage.library)
        self._q = np.array([layout.index[name] for name in stage.library.positions])
        self._contacts = _Contacts(stage.sketch.contacts, layout)
        self.set_parameters({})

    def set_parameters(self, values: Mapping[str, float]) -> bool:
        """Update parameters; True if scene or anatomy have changed."""
        if self._poses is None or self._stage.sketch is None:
            return False
        self._poses.set_parameters(values)
        self._contacts.place(self._poses.points)
        before = self.scene, self.anatomy
        self.scene = make_scene(self._stage.sketch, self._poses)
        if self.cockpit is not None and self.cockpit["cameras"]:
            self.scene |= {"planar": None, "up": "z"}  # onboard cameras need a 3D view
        if self._stage.anatomy is not None:
            self.anatomy = fill_anatomy(self._stage.anatomy, self._poses.points)
        return before != (self.scene, self.anatomy)

    def frame(self, moment: Moment) -> bytes:
        """Poses, arrows and signals of the cockpit at one moment."""
        told = moment.values[self._told]
        if self._poses is None:
            nothing = np.zeros((0, 7))
            return poses_frame(moment.sequence, moment.stamp, moment.t, nothing, no_arrows(), told)
        X = self._poses.at(moment.values[self._q])
        arrows = self._contacts.arrows(X, moment.values)
        return poses_frame(moment.sequence, moment.stamp, moment.t, quaternions(X), arrows, told)


class _Contacts:
    """Contacts with signals for point and force, each in axes of a frame F of a body."""

    def __init__(self, contacts: Sequence[ContactSketch], layout: Layout) -> None:
        told = [c for c in contacts if all(name in layout.index for name in c.signals)]
        self._bodies = np.array([c.body for c in told], dtype=np.int64)
        self._origins = np.array([c.origin for c in told], dtype=np.int64)
        self._turns = np.array([c.turn for c in told], dtype=np.int64)
        columns = [[layout.index[name] for name in c.signals] for c in told]
        self._columns = np.array(columns, dtype=np.int64).reshape(-1, 6)
        self._p_BF, self._R_BF = np.zeros((0, 3)), np.zeros((0, 3, 3))

    def place(self, points: Reals) -> None:
        """Compute the poses of the frames F on their bodies, for the current parameters."""
        self._p_BF = points[self._origins]
        columns = self._turns[:, None] + np.arange(3)
        self._R_BF = points[columns].transpose(0, 2, 1)

    def arrows(self, X: Reals, values: Reals) -> Reals:
        """Point and force in the world of the active contacts, shape (active, 6)."""
        found = values[self._columns]
        touching = np.abs(found[:, 3:]).max(axis=1, initial=0.0) > LEAST_FORCE
        if not touching.any():
            return no_arrows()
        R_BF, bodies, found = self._R_BF[touching], self._bodies[touching], found[touching]
        p_B = self._p_BF[touching] + np.einsum("nij,nj->ni", R_BF, found[:, :3])
        force_B = np.einsum("nij,nj->ni", R_BF, found[:, 3:])
        # the ground is index -1: the last row
        X_W = np.vstack([X, AT_REST])[bodies]
        p_WB, R_WB = X_W[:, :3], X_W[:, 3:].reshape(-1, 3, 3)
        p_W = p_WB + np.einsum("nij,nj->ni", R_WB, p_B)
        return np.hstack([p_W, np.einsum("nij,nj->ni", R_WB, force_B)])
