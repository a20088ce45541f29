"""Reference of the robot: a pose, a point, or a path, with smooth transitions.

After each change the reference continues from its current state: its offset from the new motion
decays like a critically damped oscillator.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np
from scipy.interpolate import CubicSpline

import inloop as il
from inloop.gallery.robot.model import LIMITS, READY
from inloop.gallery.robot.paths import PATHS, Reals

TOOL = "link_6.flange"
QUICK = 5.0  # decay rate of an offset [1/s]
RAMP = 1.0  # time in which a path reaches its speed [s]
KNOTS = 128  # of a path in joint coordinates
LOW, HIGH = np.array(LIMITS).T
TURN_COUNTS = 0.1  # weight of the tool's orientation [m/rad]
Motion = tuple[Reals, Reals, Reals]


class Wanted(Protocol):
    """A motion over time."""

    def at(self, t: float) -> Motion:
        """Position, velocity, acceleration of the joints at a time [s]."""
        ...


class Pose:
    """A constant pose."""

    def __init__(self, q: Reals) -> None:
        self._q, self._still = q, np.zeros(len(q))

    def at(self, t: float) -> Motion:
        """See `Wanted`."""
        return self._q, self._still, self._still


class Round:
    """Repeated motion around a closed path, from rest."""

    def __init__(self, joints: CubicSpline, t: float, seconds: float) -> None:
        self._joints, self._begin, self._seconds = joints, t, seconds

    def at(self, t: float) -> Motion:
        """See `Wanted`; the speed along the path rises as 3u² - 2u³."""
        since = max(t - self._begin, 0.0)
        u = min(since / RAMP, 1.0)
        run = RAMP * (u**3 - 0.5 * u**4) + max(since - RAMP, 0.0)
        speed, growth = u * u * (3.0 - 2.0 * u), 6.0 * u * (1.0 - u) / RAMP
        # s: fraction of the path; q(s(t)) by the chain rule
        s, sd, sdd = (x / self._seconds for x in (run, speed, growth))
        s %= 1.0
        dq, ddq = self._joints(s, 1), self._joints(s, 2)
        return self._joints(s), dq * sd, ddq * sd * sd + dq * sdd


class Guide:
    """The reference of a controller.

    Args:
        model: of the robot.
        q: its current positions.
        qd: its current velocities.
        t: time [s].
    """

    def __init__(self, model: il.Plant, q: Reals, qd: Reals, t: float) -> None:
        self._model = model
        self._upright = model.pose(TOOL, np.array(READY))[1]
        # before anything moves, because it takes as long as a hundred steps
        self._rounds = [self._round(path) for path in PATHS.values()]
        self.begin(q, qd, t)

    def begin(self, q: Reals, qd: Reals, t: float) -> None:
        """Restart from the current state of the robot."""
        self._wanted: Wanted = Pose(np.array(q))
        self._offset, self._drift, self._since = np.zeros(len(q)), np.array(qd), t
        self._command: tuple[float, ...] = ()

    def at(self, t: float, settings: Mapping[str, float]) -> Motion:
        """Desired position, velocity and acceleration of the joints at a time [s]."""
        command = self._order(settings)
        if command != self._command:
            before = self._reference(t)
            self._command, self._wanted = command, self._motion(t, command)
            q, qd, _ = self._wanted.at(t)
            self._offset, self._drift, self._since = before[0] - q, before[1] - qd, t
        return self._reference(t)

    def tool(self, q: Reals) -> Reals:
        """Position of the tool in a pose [m]."""
        return np.asarray(self._model.pose(TOOL, q)[0])

    def _order(self, settings: Mapping[str, float]) -> tuple[float, ...]:
        """All numbers that determine the motion."""
        path = int(settings["path"])
        if path > 0:
            return path, settings["seconds"]
        if path < 0:
            return path, *(settings[f"target.{axis}"] for axis in "xyz")
        return 0, *(settings[f"goal.joint_{k + 1}"] for k in range(len(READY)))

    def _motion(self, t: float, command: tuple[float, ...]) -> Wanted:
        kind, *numbers = command
        if kind > 0:
            number = min(int(kind), len(PATHS))
            return Round(self._rounds[number - 1], t, max(numbers[0], 0.5))
        if kind < 0:
            return Pose(self._reach(np.array(numbers), self._reference(t)[0]))
        return Pose(np.clip(np.array(numbers), LOW, HIGH))

    def _reference(self, t: float) -> Motion:
        """The desired motion plus the decaying offset e(t) = (e0 + c t) exp(-w t)."""
        q, qd, qdd = self._wanted.at(t)
        since, w = max(t - self._since, 0.0), QUICK
        c = self._drift + w * self._offset
        fade = np.exp(-w * since)
        e = (self._offset + c * since) * fade
        ed = c * fade - w * e
        edd = -w * c * fade - w * ed
        return q + e, qd + ed, qdd + edd

    def _round(self, path: Callable[[float], Reals]) -> CubicSpline:
        """A path in joint coordinates, once around."""
        shares = np.linspace(0.0, 1.0, KNOTS + 1)
        q, rows = np.array(READY), []
        for share in shares[:-1]:
            q = self._reach(path(share), q)
            rows.append(q)
        return CubicSpline(shares, np.array([*rows, rows[0]]), bc_type="periodic")

    def _reach(self, point: Reals, q: Reals) -> Reals:
        """Joints that bring the tool to a point, if possible with the orientation of pose `ready`.

        Damped least squares, within the limits of the joints; in the end only the point counts.
        """
        for k in range(60):
            weight = TURN_COUNTS if k < 40 else 1e-3
            error, J = self._miss(point, q, weight)
            damping = 1e-6 + 0.02 * float(error @ error)
            move = J.T @ np.linalg.solve(J @ J.T + damping * np.eye(6), error)
            q = np.clip(q + move / max(1.0, float(np.abs(move).max()) / 0.3), LOW, HIGH)
            if k < 40 and float(np.abs(move).max()) < 1e-10:
                break
        return q

    def _miss(self, point: Reals, q: Reals, weight: float) -> tuple[Reals, Any]:
        """Errors of the tool's position and orientation, and their Jacobian."""
        p, R = self._model.pose(TOOL, q)
        J = np.array(self._model.jacobian(TOOL, q))
        # sine of the angle between both orientations, about its axis, in world axes
        turn = 0.5 * sum(np.cross(R[:, k], self._upright[:, k]) for k in range(3))
        J[3:] *= weight
        return np.concatenate([point - p, weight * turn]), J
