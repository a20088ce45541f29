"""Small mechanisms with general numbers, for the tests of this folder."""

from __future__ import annotations

import numpy as np

import inloop as il

G = 9.81
# a four-bar in the x-z plane: crank, coupler, rocker, ground from (0, 0) to (D, H)
A, B, C, D, H = 0.31, 0.83, 0.57, 0.94, 0.07
MASSES = (0.9, 1.7, 1.3)
STIFFNESS, FREE_LENGTH, DAMPING = 61.0, 0.45, 0.7


def four_bar(*, spring: bool = True, drive: bool = False, damping: float = 0.0) -> il.Model:
    """Slender rods; the crank is independent; a spring leads from its tip to the rocker's foot."""
    m = il.Model("four_bar")
    rods = []
    starts = (m.ground.point("O", (0.0, 0.0, 0.0)), None, m.ground.point("P", (D, 0.0, H)))
    for k, (name, length, initial) in enumerate(
        (("crank", A, -0.9), ("coupler", B, 0.5), ("rocker", C, -1.4))
    ):
        inertia = MASSES[k] * length**2 / 12.0
        on = starts[k] if starts[k] is not None else rods[0].point("tip", (A, 0.0, 0.0))
        rods.append(
            m.body(
                name, on=on, joint=il.revolute("y", guess=initial), mass=MASSES[k],
                com=(length / 2.0, 0.0, 0.0), inertia=(0.0, inertia, inertia),
            )
        )  # fmt: skip
    m.close(rods[1].point("end", (B, 0.0, 0.0)), rods[2].point("end", (C, 0.0, 0.0)), name="loop")
    if spring:
        k = m.parameter("k", STIFFNESS, unit="N/m")
        m.spring(rods[0].point("s", (A, 0.0, 0.0)), m.ground.point("R", (D, 0.0, H)), k,
                 damping, free_length=FREE_LENGTH)  # fmt: skip
    if drive:
        m.drive("crank")
    else:
        m.independent("crank")
    return m


def pins(angle: float, branch: float) -> np.ndarray:
    """Tip of the crank and end of the coupler in x-z, by plane geometry; q turns x towards -z."""
    tip = A * np.array([np.cos(angle), -np.sin(angle)])
    foot = np.array([D, H])
    line = foot - tip
    l = np.hypot(*line)
    along = (l**2 + B**2 - C**2) / (2.0 * l)
    off = branch * np.sqrt(B**2 - along**2)
    return np.array([tip, tip + along * line / l + off * np.array([-line[1], line[0]]) / l])


def centers(angle: float, branch: float) -> np.ndarray:
    tip, end = pins(angle, branch)
    return np.array([tip / 2.0, (tip + end) / 2.0, (np.array([D, H]) + end) / 2.0])


def potential(angle: float, branch: float, k: float = STIFFNESS) -> float:
    """Gravity and the spring, by hand [J]."""
    tip, _ = pins(angle, branch)
    stretch = np.hypot(*(np.array([D, H]) - tip)) - FREE_LENGTH
    weights = G * np.array(MASSES) @ centers(angle, branch)[:, 1]
    return float(weights + 0.5 * k * stretch**2)


def inertia(angle: float, branch: float, h: float = 1e-4) -> float:
    """Reduced inertia about the crank, from velocities of the pins [kg·m²]."""

    def slope(f, *args):
        d1 = (f(angle + h, *args) - f(angle - h, *args)) / (2 * h)
        d2 = (f(angle + 2 * h, *args) - f(angle - 2 * h, *args)) / (4 * h)
        return (4 * d1 - d2) / 3

    v, total = slope(centers, branch), 0.0
    w = [slope(tilt, branch, k) for k in range(3)]
    for k, length in enumerate((A, B, C)):
        total += MASSES[k] * (v[k] @ v[k] + length**2 / 12.0 * w[k] ** 2)
    return float(total)


def tilt(angle: float, branch: float, rod: int) -> float:
    tip, end = pins(angle, branch)
    d = (tip, end - tip, end - np.array([D, H]))[rod]
    return float(np.arctan2(-d[1], d[0]))


def branch_of(plant: il.Plant, q: np.ndarray) -> float:
    end = plant.position("coupler.end", q)[[0, 2]]
    k = plant.coordinates.index("crank")
    return min((1.0, -1.0), key=lambda s: np.hypot(*(pins(q[k], s)[1] - end)))


def pendulum(damping: float = 0.0) -> il.Model:
    m = il.Model("pendulum", gravity=(0.0, 0.0, -G))
    m.body(
        "rod", on=m.ground, joint=il.revolute("y"), mass=1.7, com=(0.0, 0.0, -0.43),
        inertia=(0.03, 0.041, 0.02),
    ).point("tip", (0.0, 0.0, -0.9))  # fmt: skip
    if damping:
        m.joint_force("rod", lambda qd: -damping * qd)
    return m
