"""Proportional-derivative control of each joint, with gravity compensation by the model."""

from __future__ import annotations

import sys
from collections.abc import Mapping

import numpy as np

import inloop as il
from inloop.gallery.robot.controllers.motion import Reals
from inloop.gallery.robot.controllers.program import Wanted, serve

# effective inertia of each joint in the pose q_n [kg·m²], so that kp and kd are the same for all
INERTIAS = np.array([3.66, 4.41, 0.94, 0.19, 0.17, 0.19])


def law(
    model: il.Plant, q: Reals, qd: Reals, wanted: Wanted, settings: Mapping[str, float]
) -> Reals:
    """Efforts of the joints [N·m]."""
    rest = np.zeros(len(q))
    gravity = model.inverse_dynamics(q, rest, rest)
    q_wanted, qd_wanted, _ = wanted
    pull = settings["kp"] * (q_wanted - q) + settings["kd"] * (qd_wanted - qd)
    return np.asarray(gravity + INERTIAS * pull)


if __name__ == "__main__":
    sys.exit(serve(law))
