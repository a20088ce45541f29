"""Poses without a compiler are those of the compiled plant."""

from __future__ import annotations

import numpy as np

import inloop as il
from inloop import gallery
from inloop.plant.drawn.evaluated_poses import EvaluatedPoses


def test_poses_of_all_bodies_at_many_positions() -> None:
    plant = gallery.get("puma560").build().compile()
    q = np.random.default_rng(2).uniform(-2.0, 2.0, (7, plant.n))
    found = EvaluatedPoses(plant.mechanism).over(q)
    assert found.shape == (7, len(plant.mechanism.bodies), 12)
    for k, row in enumerate(q):
        for body in plant.mechanism.bodies:
            p_WB, R_WB = plant.pose(body.name, row)
            np.testing.assert_allclose(found[k, body.index, :3], p_WB, atol=1e-12)
            np.testing.assert_allclose(found[k, body.index, 3:].reshape(3, 3), R_WB, atol=1e-12)


def test_points_and_poses_follow_parameters() -> None:
    m = il.Model("arm")
    length = m.parameter("length", 0.3, unit="m")
    heavy = {"mass": 1.0, "inertia": (1, 1, 1)}
    upper = m.body("upper", on=m.ground, joint=il.revolute("z"), **heavy)
    m.body("lower", on=upper.point("tip", (length, 0, 0)), joint=il.revolute("z"), **heavy)
    mechanism = m.build()
    (tip,) = mechanism.bodies[0].points
    poses = EvaluatedPoses(mechanism, [tip.p_BQ], parameters={"length": 0.7})
    np.testing.assert_allclose(poses.points, [(0.7, 0, 0)])
    X = poses.over(np.array([[np.pi / 2, 0.1]]))
    np.testing.assert_allclose(X[0, 1, :3], (0, 0.7, 0), atol=1e-15)
