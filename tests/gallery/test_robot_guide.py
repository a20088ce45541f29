"""How the robot is led: on its paths, within its limits, without a bump between them."""

from __future__ import annotations

import numpy as np
import pytest

from inloop import gallery
from inloop.gallery.robot.controllers.guide import HIGH, LOW, Guide
from inloop.gallery.robot.controllers.settings import GUIDED
from inloop.gallery.robot.model import READY
from inloop.gallery.robot.paths import PATHS

AT_REST = np.zeros(6)
SHOULDER, REACH = np.array([0.0, 0.0, 0.6718]), 0.88  # [m]


@pytest.fixture(scope="module")
def guide() -> Guide:
    model = gallery.get("puma560").build().compile()
    return Guide(model, np.array(READY), AT_REST, 0.0)


@pytest.mark.parametrize("number", range(1, len(PATHS) + 1))
def test_the_tool_is_on_the_path(guide: Guide, number: int) -> None:
    path = list(PATHS.values())[number - 1]
    guide.begin(np.array(READY), AT_REST, 0.0)
    settings = {**GUIDED, "path": float(number), "seconds": 4.0}
    guide.at(0.0, settings)
    for t in np.linspace(6.0, 10.0, 23):
        q, _, _ = guide.at(t, settings)
        # at its speed after a second, in which it has got half as far
        share = (t - 0.5) / 4.0
        assert np.linalg.norm(guide.tool(q) - path(share % 1.0)) < 1e-5
        assert ((q >= LOW) & (q <= HIGH)).all()


def test_velocities_and_accelerations_are_those_of_the_positions(guide: Guide) -> None:
    guide.begin(np.array(READY), np.full(6, 0.1), 0.0)
    settings, h = {**GUIDED, "path": 3.0}, 1e-5
    guide.at(0.0, settings)
    for t in (0.02, 0.4, 0.93, 1.7, 5.2):
        before, now, after = (guide.at(t + k * h, settings) for k in (-1, 0, 1))
        for k in (1, 2):
            slope = (after[k - 1] - before[k - 1]) / (2.0 * h)
            np.testing.assert_allclose(now[k], slope, atol=1e-7)


def test_nothing_jumps_when_it_is_told_something_else(guide: Guide) -> None:
    guide.begin(np.array(READY), np.full(6, -0.2), 0.0)
    told = [
        {"path": 1.0},
        {"path": -1.0, "target.x": 0.6, "target.y": 0.1, "target.z": 0.8},
        {"path": 0.0, "goal.joint_1": 0.4, "goal.joint_5": 99.0},  # beyond its limit
        {"path": 2.0, "seconds": 3.0},
    ]
    settings, t = {**GUIDED, "path": 3.0}, 0.0
    for words in told:
        t += 0.7
        q, qd, _ = guide.at(t, settings)
        settings |= words
        q_new, qd_new, _ = guide.at(t, settings)
        np.testing.assert_allclose(q_new, q, atol=1e-12)
        np.testing.assert_allclose(qd_new, qd, atol=1e-12)


def test_it_reaches_for_points_as_far_as_the_arm_is_long(guide: Guide) -> None:
    guide.begin(np.array(READY), AT_REST, 0.0)

    def reached(*point: float) -> np.ndarray:
        words = {f"target.{axis}": x for axis, x in zip("xyz", point, strict=True)}
        settings = {**GUIDED, "path": -1.0, **words}
        guide.at(0.0, settings)
        return guide.tool(guide.at(20.0, settings)[0])

    near = (0.55, 0.05, 0.85)
    np.testing.assert_allclose(reached(*near), near, atol=1e-4)
    far = np.array([3.0, 0.5, 1.2])
    tip = reached(*far)
    assert np.linalg.norm(tip - SHOULDER) < REACH
    # stretched towards it
    along = (tip - SHOULDER) @ (far - SHOULDER)
    assert along > 0.97 * np.linalg.norm(tip - SHOULDER) * np.linalg.norm(far - SHOULDER)
