"""The rover as one mass on wheels that do not slip: closed forms to compare the tests with."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from inloop.gallery.rover import data

WEIGHT = data.TOTAL_MASS * data.GRAVITY  # [N]
MOVED = data.TOTAL_MASS + 6.0 * data.WHEEL_INERTIA[1] / data.RADIUS**2  # effective mass [kg]
PUSH = 6.0 / (data.RADIUS * MOVED)  # acceleration by a torque of 1 N·m on each wheel [m/s²]


def rolled(
    torque: Callable[[float, float, float], float], times: list[float], x: float = 0.0
) -> list[tuple[float, float]]:
    """Positions [m] and speeds [m/s] at times, from rest; torques are held in between.

    Args:
        torque: on each wheel in addition to the holding torque [N·m], as a function of time,
            position and speed.
        times: at which torques change [s].
        x: initial position [m].
    """
    v = 0.0
    passed = [(x, v)]
    for t, later in pairwise(times):
        a, dt = PUSH * torque(t, x, v), later - t
        x, v = x + v * dt + 0.5 * a * dt * dt, v + a * dt
        passed.append((x, v))
    return passed
