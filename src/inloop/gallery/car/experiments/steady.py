"""Initial state of the car rolling straight ahead, and its wheel angle."""

from __future__ import annotations

import numpy as np

import inloop as il
from inloop.gallery.car.model import CORNERS


def rolling_start(plant: il.Plant, speed: float) -> tuple[dict[str, float], dict[str, float]]:
    """Independent coordinates at rest on the tyres, and velocities with rolling wheels [SI]."""
    # nothing holds it along a level road
    q = plant.equilibrium(fixed=["chassis_tx", "chassis_ty", "chassis_rz"]).q
    known = set(plant.formulation.independent)
    at = {name: float(x) for name, x in zip(plant.coordinates, q, strict=True) if name in known}
    spins = {
        f"spin_{corner.name}": speed / float(plant.position(f"wheel_{corner.name}", q)[2])
        for corner in CORNERS
    }
    return at, {"chassis_tx": speed, **spins}


def wheel_angle(plant: il.Plant, q: np.ndarray) -> float:
    """Mean angle of the front wheels relative to the chassis, seen from above [rad]."""
    ahead = _heading(plant, "chassis", q)
    turned = [_heading(plant, f"wheel_front_{side}", q) - ahead for side in ("left", "right")]
    return float(np.mean(turned))


def _heading(plant: il.Plant, body: str, q: np.ndarray) -> float:
    # direction of the body's y axis, less a right angle
    R_WB = plant.pose(body, q)[1]
    return float(np.arctan2(-R_WB[0, 1], R_WB[1, 1]))
