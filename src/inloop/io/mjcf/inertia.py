"""Mass, center of mass and inertia of MJCF bodies, by MuJoCo's rules."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from inloop.geometry import MassProperties, total
from inloop.io.mjcf.geoms import Geom
from inloop.io.mjcf.poses import read_pose
from inloop.io.mjcf.settings import Settings
from inloop.io.values import number_attribute, numbers
from inloop.io.xml import Element
from inloop.model import Pose

Array = npt.NDArray[np.float64]
NOTHING = MassProperties(0.0, np.zeros(3), np.zeros((3, 3)))


def body_mass(
    inertial: Element | None, X_BF: Pose, geoms: Sequence[Geom], settings: Settings
) -> MassProperties:
    """Return mass properties of a body, in body axes.

    Args:
        inertial: <inertial> of the body, if any.
        X_BF: pose of the frame in which <inertial> is written.
        geoms: geoms of the body.
        settings: settings of the file.
    """
    found = NOTHING
    solids = [geom.mass for geom in geoms if geom.mass is not None and geom.mass.mass > 0.0]
    if inertial is not None:
        found = _read_inertial(inertial, X_BF, settings)
    if solids and (inertial is None or settings.inertiafromgeom == "true"):
        found = total(solids)
    return _corrected(found, settings)


def scaled_to(bodies: Sequence[MassProperties], total_mass: float) -> list[MassProperties]:
    """Return the bodies with masses and inertias scaled to a total mass [kg]."""
    mass = sum(body.mass for body in bodies)
    if mass <= 0.0:
        return list(bodies)
    factor = total_mass / mass
    return [MassProperties(factor * b.mass, b.com, factor * b.inertia) for b in bodies]


def _read_inertial(element: Element, X_BF: Pose, settings: Settings) -> MassProperties:
    mass = number_attribute(element, "mass")
    X_BC = X_BF @ read_pose(element, settings)
    if "fullinertia" in element.attributes:
        text = element.attributes["fullinertia"]
        xx, yy, zz, xy, xz, yz = numbers(element, text, "fullinertia of <inertial>", count=6)
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    else:
        text = element.attribute("diaginertia")
        inertia = np.diag(numbers(element, text, "diaginertia of <inertial>", count=3))
    if mass < 0.0:
        element.fail(f"the mass of a body is {mass:g}", "A mass is not negative.")
    R_BC = np.array(X_BC.R, dtype=np.float64)
    return MassProperties(mass, np.array(X_BC.p, dtype=np.float64), R_BC @ inertia @ R_BC.T)


def _corrected(body: MassProperties, settings: Settings) -> MassProperties:
    """Apply bounds of mass and inertia; balance impossible inertias to those of spheres."""
    mass = max(body.mass, settings.least_mass)
    moments, axes = np.linalg.eigh(body.inertia)
    bounded = np.maximum(moments, settings.least_inertia)
    a, b, c = bounded
    # ascending order: only the last may exceed the sum of the others
    if settings.balance and a + b < c:
        bounded = np.full(3, bounded.mean())
    if np.array_equal(bounded, moments):
        return MassProperties(mass, body.com, body.inertia)
    return MassProperties(mass, body.com, axes @ np.diag(bounded) @ axes.T)
