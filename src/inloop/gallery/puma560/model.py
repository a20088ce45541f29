"""The PUMA 560, the industrial robot with the most published measurements."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import Reference, gravity_along

SOURCE = "Corke & Armstrong-Hélouvry, as in the Robotics Toolbox for Python"
PEDESTAL = 0.6718  # height of the shoulder [m]
SLIP = 0.01  # speed over which smoothed dry friction changes its sign [rad/s]


@dataclass(frozen=True)
class DhRow:
    """One row of the published Denavit-Hartenberg data, with inertia and friction of the link.

    Standard DH: frame j is at the far end of link j.

    Attributes:
        d: offset along the joint axis [m].
        a: length along x [m].
        alpha: twist about x [rad].
        mass: [kg].
        com: center of mass in frame j [m].
        inertia: principal moments about it, in the axes of frame j [kg·m²].
        rotor: inertia of the motor [kg·m²].
        gear: turns of the motor per turn of the joint.
        viscous: friction of the motor [N·m·s/rad].
        coulomb: dry friction of the motor, forward and backward [N·m].
    """

    d: float
    a: float
    alpha: float
    mass: float
    com: tuple[float, float, float]
    inertia: tuple[float, float, float]
    rotor: float
    gear: float
    viscous: float
    coulomb: tuple[float, float]


RIGHT = math.pi / 2
# fmt: off
DH_TABLE = (
    DhRow(PEDESTAL, 0.0, RIGHT, 0.0, (0.0, 0.0, 0.0), (0.0, 0.35, 0.0),
          200e-6, -62.6111, 1.48e-3, (0.395, -0.435)),
    DhRow(0.0, 0.4318, 0.0, 17.4, (-0.3638, 0.006, 0.2275), (0.13, 0.524, 0.539),
          200e-6, 107.815, 0.817e-3, (0.126, -0.071)),
    DhRow(0.15005, 0.0203, -RIGHT, 4.8, (-0.0203, -0.0141, 0.070), (0.066, 0.086, 0.0125),
          200e-6, -53.7063, 1.38e-3, (0.132, -0.105)),
    DhRow(0.4318, 0.0, RIGHT, 0.82, (0.0, 0.019, 0.0), (1.8e-3, 1.3e-3, 1.8e-3),
          33e-6, 76.0364, 71.2e-6, (11.2e-3, -16.9e-3)),
    DhRow(0.0, 0.0, -RIGHT, 0.34, (0.0, 0.0, 0.0), (0.3e-3, 0.4e-3, 0.3e-3),
          33e-6, 71.923, 82.6e-6, (9.26e-3, -14.5e-3)),
    DhRow(0.0, 0.0, 0.0, 0.09, (0.0, 0.0, 0.032), (0.15e-3, 0.15e-3, 0.04e-3),
          33e-6, 76.686, 36.7e-6, (3.96e-3, -10.5e-3)),
)
# upper triangle of M(q_n) with motor inertia, row by row [kg·m²]
NOMINAL_MASS_MATRIX = (
    3.6593754122, -0.4043612460, 0.1006136478, -0.0025169558, 0.0, 0.0,
    4.4137419336, 0.3508906650, 0.0, 0.0023595131, 0.0,
    0.9378415752, 0.0, 0.0014801664, 0.0,
    0.1925317061, 0.0, 2.82843e-5,
    0.1713484517, 0.0,
    0.1941045057,
)
# fmt: on
POSES = {
    "q_z": (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    "q_r": (0.0, RIGHT, -RIGHT, 0.0, 0.0, 0.0),
    "q_n": (0.0, math.pi / 4, math.pi, 0.0, math.pi / 4, 0.0),
}


def puma560(friction: bool = False) -> il.Model:
    """The arm with its motors; q as in the standard DH convention.

    Body frame j is DH frame j-1 turned by q_j, so that the DH frame j is the frame "end" of
    body j. Link 1 can only turn about the vertical: its inertia is part of the armature, because
    the table gives it no mass.

    Args:
        friction: True adds the measured friction of the motors, dry friction smoothed.
    """
    m = il.Model(
        "puma560",
        gravity=gravity_along("-z"),
        doc=f"PUMA 560 with motor inertia. Data: {SOURCE}.",
        # the measured moments of link 3 slightly violate the triangle inequality
        strict_inertia=False,
    )
    on: Any = m.ground
    for number, (row, start) in enumerate(zip(DH_TABLE, POSES["q_n"], strict=True), start=1):
        on = add_link(m, number, row, on, start)
        if friction:
            m.joint_force(f"joint_{number}", _friction_law(row), name=f"friction_{number}")
    payload = m.parameter("payload", 0.0, unit="kg", range=(0.0, 2.5), doc="mass at the flange")
    m.body("load", on=on, joint=il.fixed(), mass=payload)
    return m


def add_link(m: il.Model, number: int, row: DhRow, on: Any, start: float) -> Any:
    """Add one link to the previous frame; return the frame at its far end.

    Args:
        m: the model.
        number: of the link, from 1.
        row: its data.
        on: the previous frame.
        start: initial q [rad].
    """
    R_BD = _about_x(row.alpha)
    p_BD = np.array([row.a, 0.0, row.d])
    inertia = R_BD @ np.diag(row.inertia) @ R_BD.T
    armature = row.rotor * row.gear**2
    if row.mass == 0.0:
        armature, inertia = armature + inertia[2, 2], np.zeros((3, 3))
    body = m.body(
        f"link_{number}",
        on=on,
        joint=il.revolute("z", name=f"joint_{number}", initial=(start, 0.0), armature=armature),
        mass=row.mass,
        com=tuple(p_BD + R_BD @ row.com) if row.mass else (0.0, 0.0, 0.0),
        inertia=inertia.tolist(),
    )
    if number == len(DH_TABLE):
        body.point("flange", tuple(p_BD))
    return body.frame("end", tuple(p_BD), il.axis_angle("x", row.alpha))


def _about_x(angle: float) -> np.ndarray:
    """Rotation about x by a multiple of a right angle, exactly."""
    C, S = float(round(math.cos(angle))), float(round(math.sin(angle)))
    return np.array([[1.0, 0.0, 0.0], [0.0, C, -S], [0.0, S, C]])


def _friction_law(row: DhRow) -> Callable[..., Any]:
    """Friction of the motor at the joint: G² B qd, and |G| Tc with the sign of qd."""
    forward, backward = (abs(row.gear) * tc for tc in row.coulomb)

    def law(qd: Any) -> Any:
        side = il.tanh(qd / SLIP)
        dry = il.where(side > 0.0, forward * side, -backward * side)
        return -(row.gear**2 * row.viscous * qd + dry)

    return law


def _gravity_torque(pose: str) -> Callable[[il.Plant], np.ndarray]:
    def measure(plant: il.Plant) -> np.ndarray:
        rest = np.zeros(6)
        return plant.inverse_dynamics(POSES[pose], rest, rest)

    return measure


def mass_matrix_nominal(plant: il.Plant) -> np.ndarray:
    """The upper triangle of M(q_n), row by row."""
    return plant.mass_matrix(POSES["q_n"])[np.triu_indices(6)]


def gravity_reference(pose: str, value: tuple[float, ...]) -> Reference:
    """Reference for the torques that hold the arm in a pose [N·m]."""
    return Reference(
        what=f"gravity torques in {pose}",
        value=value,
        unit="N·m",
        tolerance=1e-9,
        source=SOURCE,
        measure=_gravity_torque(pose),
    )
