"""Set-points: smooth moves between poses, or to the goals of the settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

Reals = npt.NDArray[np.float64]

# the tour if no goals are given [rad]; within the limits of the joints
TOUR = (
    (0.0, 0.7854, -3.1416, 0.0, 0.7854, 0.0),
    (0.8, 1.3, -1.9, 0.5, 0.3, -0.9),
)


class Motion:
    """Fifth-order polynomials from pose to pose, at rest at both ends."""

    def __init__(self, joints: Sequence[str], q: Reals, t: float) -> None:
        self._joints = [f"goal.{joint}" for joint in joints]
        self._from = self._to = np.array(q)
        self._begin, self._span = t, 1.0

    def at(self, t: float, settings: Mapping[str, float]) -> tuple[Reals, Reals, Reals]:
        """Desired position, velocity and acceleration at a time [s]."""
        goal = self._goal(t, settings)
        if not np.array_equal(goal, self._to):
            # from the current reference; an interrupted move causes a jump in velocity
            self._from = self._place(t)[0]
            self._to, self._begin, self._span = goal, t, max(settings["duration"], 1e-3)
        return self._place(t)

    def _goal(self, t: float, settings: Mapping[str, float]) -> Reals:
        turn = int(t // max(settings["duration"] + settings["hold"], 1e-3)) + 1
        pose = TOUR[turn % len(TOUR)]
        if any(name in settings for name in self._joints):
            pose = TOUR[0]
        return np.array([settings.get(n, p) for n, p in zip(self._joints, pose, strict=True)])

    def _place(self, t: float) -> tuple[Reals, Reals, Reals]:
        u = min(max((t - self._begin) / self._span, 0.0), 1.0)
        way = self._to - self._from
        s = u**3 * (10.0 + u * (-15.0 + 6.0 * u))
        sd = 30.0 * u**2 * (1.0 - u) ** 2 / self._span
        sdd = 60.0 * u * (1.0 - u) * (1.0 - 2.0 * u) / self._span**2
        return self._from + s * way, sd * way, sdd * way
