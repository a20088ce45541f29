"""Computed torque: the inverse dynamics of the model make each joint a double integrator."""

from __future__ import annotations

import sys
from collections.abc import Mapping

import numpy as np

import inloop as il
from inloop.gallery.robot.controllers.motion import Reals
from inloop.gallery.robot.controllers.program import Wanted, serve


def law(
    model: il.Plant, q: Reals, qd: Reals, wanted: Wanted, settings: Mapping[str, float]
) -> Reals:
    """Efforts of the joints [N·m]."""
    q_wanted, qd_wanted, qdd_wanted = wanted
    pull = settings["kp"] * (q_wanted - q) + settings["kd"] * (qd_wanted - qd)
    return np.asarray(model.inverse_dynamics(q, qd, qdd_wanted + pull))


if __name__ == "__main__":
    sys.exit(serve(law))
