"""Sensors in the axes of other frames, and their names."""

from __future__ import annotations

import numpy as np
import pytest

import inloop as il


@pytest.fixture(scope="module")
def plant() -> il.Plant:
    m = il.Model("look")
    a = m.body(
        "a", on=m.ground, joint=il.revolute((0.3, -0.5, 0.8)), mass=1.2, com=(0.1, 0.2, 0.3),
        inertia=(0.02, 0.03, 0.025),
    )  # fmt: skip
    b = m.body(
        "a_b", on=a.point("pin", (0.4, -0.1, 0.2)), joint=il.prismatic((0.6, 0.1, -0.4)), mass=0.7
    )
    a.point("b_c", (0.5, 0.1, -0.3))
    b.point("c", (-0.2, 0.4, 0.1))
    m.ground.frame("camera", position=(1.0, 0.5, 0.2), rotation=il.rpy(0.4, -0.3, 0.9))
    return m.compile(backend="python")


Q, QD, QDD = np.array([0.7, 0.3]), np.array([-1.1, 0.4]), np.array([0.9, -2.2])


def test_points_whose_names_look_alike_are_different(plant: il.Plant) -> None:
    assert np.linalg.norm(plant.position("a.b_c", Q) - plant.position("a_b.c", Q)) > 0.1


def test_positions_relative_to_a_frame(plant: il.Plant) -> None:
    p_WA, R_WA = plant.pose("ground.camera", Q)
    p, R = plant.pose("a_b.c", Q, axes="ground.camera")
    p_W, R_W = plant.pose("a_b.c", Q)
    np.testing.assert_allclose(p_WA + R_WA @ p, p_W, atol=1e-14)
    np.testing.assert_allclose(R_WA @ R, R_W, atol=1e-14)


def test_motion_in_axes_of_a_moving_frame(plant: il.Plant) -> None:
    R_WA = plant.pose("a", Q)[1]
    seen = plant.motion("a_b.c", Q, QD, QDD, axes="a")
    world = plant.motion("a_b.c", Q, QD, QDD)
    for name in ("v", "acc", "om", "omd"):
        np.testing.assert_allclose(R_WA @ seen[name], world[name], atol=1e-13)
    J = plant.jacobian("a_b.c", Q, axes="a")
    np.testing.assert_allclose(J @ QD, np.concatenate([seen["v"], seen["om"]]), atol=1e-13)


def test_many_states(plant: il.Plant) -> None:
    rows = np.array([Q, 2 * Q, -Q])
    found = plant.position("a_b.c", rows, axes="ground.camera")
    for row, position in zip(rows, found, strict=True):
        np.testing.assert_allclose(
            plant.position("a_b.c", row, axes="ground.camera"), position, atol=1e-14
        )
