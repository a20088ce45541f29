"""Inertial parameters of a plant by name, and the regressor that they stand behind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from inloop.formalisms.recursions.regressor import INERTIAL, PARAMETERS, REGRESSOR, rigid_bodies
from inloop.model import Body
from inloop.plant.engine import Array

if TYPE_CHECKING:
    from inloop.plant.bare_plant import BarePlant

UNITS = {"mass": "kg", "mc": "kg·m", "J": "kg·m²"}


@dataclass(frozen=True)
class InertialParameters:
    """π of a plant as its parameters are now.

    Attributes:
        bodies: those that have an inertia, ten parameters each.
        names: "<body>.mass", "<body>.mc.x" … (first moment), "<body>.J.xx" … (about the origin of
            the body frame, in its axes, as matrix entries).
        units: of each.
        values: of each.
        armature: of each joint [kg·m² or kg].
    """

    bodies: tuple[Body, ...]
    names: tuple[str, ...]
    units: tuple[str, ...]
    values: Array
    armature: Array


def inertial_parameters(plant: BarePlant) -> InertialParameters:
    """The inertial parameters of a plant."""
    bodies = rigid_bodies(plant.mechanism)
    found = plant.evaluate(PARAMETERS, q=np.zeros(plant.nq))
    return InertialParameters(
        bodies,
        tuple(f"{body.name}.{each}" for body in bodies for each in INERTIAL),
        tuple(UNITS[each.split(".")[0]] for _ in bodies for each in INERTIAL),
        found["pi"],
        found["armature"],
    )


def regressor_of(plant: BarePlant, q: Array, qd: Array, qdd: Array) -> Array:
    """Y of tau = Y π, shape (n, 10 bodies) or (N, n, 10 bodies)."""
    return plant.evaluate(REGRESSOR, q=q, qd=qd, qdd=qdd)["Y"]
