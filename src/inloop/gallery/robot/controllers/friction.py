"""Friction of the motors as the controllers feed it forward."""

from __future__ import annotations

import numpy as np

from inloop.gallery.puma560.model import DH_TABLE
from inloop.gallery.robot.paths import Reals

DRY = np.array([0.5 * sum(abs(row.gear * tc) for tc in row.coulomb) for row in DH_TABLE])  # [N·m]
VISCOUS = np.array([row.gear**2 * row.viscous for row in DH_TABLE])  # [N·m·s/rad]
SLOW = 0.01  # speed over which smoothed dry friction changes its sign [rad/s]


def friction(qd_wanted: Reals, share: float) -> Reals:
    """Efforts against a fraction of the friction along a desired motion [N·m]."""
    return np.asarray(share * (DRY * np.tanh(qd_wanted / SLOW) + VISCOUS * qd_wanted))
