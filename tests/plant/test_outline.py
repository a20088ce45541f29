"""Corners of bodies for drawings, against the plant's own sensors."""

from __future__ import annotations

import numpy as np
import pytest

import inloop as il


def test_corners_are_where_sensors_say() -> None:
    m = il.Model("crane")
    length = m.parameter("length", 1.3, unit="m")
    boom = m.body("boom", on=m.ground.point("foot", (0.1, 0.2, 0.3)), joint=il.revolute("y"),
                  mass=3.0, com=(0.4, 0.0, 0.1))  # fmt: skip
    tip = boom.point("tip", (length, 0.0, 0.2))
    m.body("hook", on=tip, joint=il.revolute("x"), mass=1.0, com=(0.0, 0.1, -0.7))
    m.spring(tip, m.ground.point("far", (2.0, 0.0, 0.0)), 10.0, free_length=0.5, name="rope")
    plant = m.compile(backend="python")
    plant.parameters["length"] = 1.7
    q = np.array([[0.3, -0.4], [1.1, 0.6]])
    shown = plant.outline(q)
    # origin, the named point, and where the hook hangs
    assert shown.bodies["boom"].shape == (2, 3, 3)
    for k in range(2):
        corners = shown.bodies["boom"][k]
        assert corners[0] == pytest.approx(plant.position("boom", q[k]), abs=1e-14)
        assert corners[1] == pytest.approx(plant.position("boom.tip", q[k]), abs=1e-14)
        assert corners[2] == pytest.approx(plant.position("hook", q[k]), abs=1e-14)
        # a body without points reaches to its center of mass
        assert shown.bodies["hook"][k, 1] == pytest.approx(
            plant.position("hook.com", q[k]), abs=1e-14
        )
        assert shown.line_forces["rope"][k, 0] == pytest.approx(corners[1], abs=1e-14)
        assert shown.line_forces["rope"][k, 1] == pytest.approx([2.0, 0.0, 0.0])
    assert [0.1, 0.2, 0.3] in shown.ground.tolist()
    assert plant.outline(q[0]).bodies["boom"].shape == (1, 3, 3)
