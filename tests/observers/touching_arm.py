"""The PUMA that runs into a wall, under impedance control from estimates of its encoders alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import inloop as il
from inloop.gallery.puma560.model import DH_TABLE, puma560

JOINTS = tuple(f"joint_{k}" for k in range(1, 7))
FLANGE = "link_6.flange"
START = np.array([0.3, 0.8, 3.0, 0.2, 0.7, 0.1])
PERIOD, STEPS = 1e-3, 4  # [s], of the truth within a period
AHEAD = np.array([1.0, 0.0, 0.0])
COUNT = 2.0 * np.pi / 2**17 / np.abs([row.gear for row in DH_TABLE])  # 17 bits, at the motors [rad]
TORQUE = 0.05  # what torques are off by, new at each sample [N·m]
SPEED, STIFFNESS, DAMPING = 0.25, 2e4, 60.0  # at which it meets the wall [m/s], [N/m], [N s/m]


def arm_with_touch() -> il.Plant:
    """The arm as its observer knows it: a force that nobody tells may act on its flange."""
    m = puma560()
    touch = [m.input(f"touch_{axis}", "N") for axis in "xyz"]
    m.force(FLANGE, lambda: tuple(touch), name="touch")
    return m.compile()


def arm_before_wall(wall: float) -> il.Plant:
    """The truth: a wall at x, with friction; outputs tell what it pushes with."""
    m = puma560()

    def push(p: object, v: object) -> object:
        depth = il.max0(p[0] - wall)
        f = il.where(depth > 0.0, il.max0(STIFFNESS * depth + DAMPING * v[0]), 0.0)
        slides = il.sqrt(v[1] * v[1] + v[2] * v[2] + 1e-4)
        return -f, -0.2 * f * v[1] / slides, -0.2 * f * v[2] / slides

    m.force(FLANGE, push, name="wall")
    return m.compile()


@dataclass
class Touch:
    """What happened: times, true forces, estimated ones, time of the first contact."""

    t: np.ndarray
    true: np.ndarray
    felt: np.ndarray
    impact: float

    def errors(self, since: float, until: float) -> np.ndarray:
        """Of the force, in parts of the true one, from and up to times after the impact."""
        at = (self.t >= self.impact + since) & (self.t <= self.impact + until)
        return np.linalg.norm(self.felt - self.true, axis=1)[at] / np.linalg.norm(
            self.true[at], axis=1
        )


def run_into_wall(
    observer: il.observers.Observer,
    felt: Callable[[il.observers.Estimate], np.ndarray],
    seconds: float,
    seed: int,
    count: np.ndarray = COUNT,
) -> Touch:
    """Estimated forces beside those of the simulation.

    Args:
        observer: of a plant with the joints of the arm.
        felt: estimate → force at the flange.
        seconds: of the run.
        seed: of the noise of the torques.
        count: steps of the encoders [rad].
    """
    arm = observer.plant
    first = arm.position(FLANGE, START)
    truth = arm_before_wall(float(first[0]) + 0.02)
    stepper = truth.stepper(step=PERIOD / STEPS, q=dict(zip(JOINTS, START, strict=True)))
    draw, u = np.random.default_rng(seed), np.zeros(len(observer.inputs))
    rows, impact = [], np.nan
    for k in range(round(seconds / PERIOD)):
        q, qd = np.array([[stepper[f"{j}.{kind}"] for j in JOINTS] for kind in ("q", "qd")])
        true = wall_force(truth, q, qd, float(first[0]) + 0.02)
        impact = k * PERIOD if np.isnan(impact) and true.any() else impact
        observer.update(np.round(q / count) * count, u)
        estimate = observer.estimate
        rows.append((k * PERIOD, *true, *felt(estimate)))
        u[:6] = impedance(arm, estimate, first + SPEED * k * PERIOD * AHEAD)
        stepper.hold(u[:6] + TORQUE * draw.normal(size=6))
        for _ in range(STEPS):
            stepper.step()
    found = np.array(rows)
    return Touch(found[:, 0], found[:, 1:4], found[:, 4:7], impact)


def wall_force(truth: il.Plant, q: np.ndarray, qd: np.ndarray, wall: float) -> np.ndarray:
    """The force of the wall, written down a second time."""
    p, v = truth.position(FLANGE, q), truth.velocity(FLANGE, q, qd)
    if p[0] <= wall:
        return np.zeros(3)
    f = max(STIFFNESS * (p[0] - wall) + DAMPING * v[0], 0.0)
    slides = np.sqrt(v[1] ** 2 + v[2] ** 2 + 1e-4)
    return np.array([-f, -0.2 * f * v[1] / slides, -0.2 * f * v[2] / slides])


def impedance(arm: il.Plant, estimate: il.observers.Estimate, goal: np.ndarray) -> np.ndarray:
    """Torques of a spring and a damper at the flange, weight held, from estimates."""
    q, qd = estimate.q, estimate.qd
    J = arm.jacobian(FLANGE, q)[:3]
    pull = 3000.0 * (goal - arm.position(FLANGE, q)) + 200.0 * (SPEED * AHEAD - J @ qd)
    tau = J.T @ pull + arm.inverse_dynamics(q, np.zeros(6), np.zeros(6)) - 2.0 * qd
    tau[3:] += 200.0 * (START - q)[3:] - 10.0 * qd[3:]
    return tau
