"""Loops that cannot close are told without a long search."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import inloop as il
from inloop.plant.formulation.positions.closure import Closure

STEP = (0.2, 0.03, 0.05)  # from joint to joint [m]
BARS = 5
FAR = np.array([2.0, 0.1, 0.2])  # [m]


def chain(end: np.ndarray, axes: str = "xyzxy") -> il.Model:
    """Bars one after the other, the last one tied to a point of the ground."""
    m = il.Model("tied_chain")
    on: Any = m.ground
    for k, axis in enumerate(axes):
        body = m.body(
            f"bar_{k}", on=on, joint=il.revolute(axis, guess=0.1 + 0.2 * k), mass=1.1,
            com=(0.09, 0.01, 0.02), inertia=(1e-3, 1.1e-2, 1.2e-2),
        )  # fmt: skip
        on = body.point("end", STEP)
    m.close(on, m.ground.point("post", tuple(end)), name="tie")
    return m


def test_a_search_that_creeps_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ends stay apart by the distance less what the bars reach; few positions are tried."""
    tried = 0
    evaluate = Closure.__call__

    def counted(self: Closure, q: np.ndarray) -> Any:
        nonlocal tried
        tried += 1
        return evaluate(self, q)

    monkeypatch.setattr(Closure, "__call__", counted)
    with pytest.raises(il.ModelError, match="loop 'tie' cannot close") as caught:
        chain(FAR).compile()
    words = str(caught.value).split()
    left = float(words[words.index("m") - 1])
    # no chain of these bars is longer than all of them in one line
    assert left >= np.linalg.norm(FAR) - BARS * math.hypot(*STEP) - 1e-3
    assert tried < 1000


def test_a_chain_that_reaches_is_closed_from_afar() -> None:
    """Where the end of a chain is by its own kinematics, a chain from other angles gets to."""
    q = np.array([0.5 - 0.3 * k for k in range(BARS)])
    end = _end_of_chain(q)
    closed = chain(end).compile()
    assert np.abs(_end_of_chain(closed.formulation.positions.first.q) - end).max() < 1e-9


def _end_of_chain(q: np.ndarray) -> np.ndarray:
    """The end of the chain by rotation matrices [m]."""
    R_WB, p_WE = np.eye(3), np.zeros(3)
    for angle, axis in zip(q, "xyzxy", strict=True):
        i = "xyz".index(axis)
        j, k = (i + 1) % 3, (i + 2) % 3
        R = np.eye(3)
        R[j, j] = R[k, k] = math.cos(angle)
        R[k, j], R[j, k] = math.sin(angle), -math.sin(angle)
        R_WB = R_WB @ R
        p_WE = p_WE + R_WB @ np.array(STEP)
    return p_WE


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("q", "held", "told"),
    [
        ([0.1, 0.2], (), r"q has shape \(2,\), model 'tied_chain' needs 5 entries"),
        (["x"] * 5, (), "q cannot be read as real numbers"),
        (np.zeros(5), ["bar_0"], r"held is \['bar_0'\]"),
        (np.zeros(5), [5], r"held is \[5\]"),
    ],
)
def test_what_cannot_be_assembled_is_told(q: Any, held: Any, told: str) -> None:
    plant = chain(np.array([0.5, 0.1, 0.2])).compile()
    with pytest.raises(il.InputError, match=told):
        plant.formulation.assemble(q, held)


def end_of(q: np.ndarray) -> tuple[np.ndarray, Rotation]:
    """Position and orientation of the end of a chain about x, y, z, x, y, z."""
    p, R = np.zeros(3), Rotation.identity()
    for axis, angle in zip("xyzxyz", q, strict=True):
        R = R * Rotation.from_euler(axis, angle)
        p = p + R.apply(STEP)
    return p, R


def test_a_loop_is_not_called_open_where_its_ends_meet() -> None:
    """Steps that cancel the gap creep on the way; those along its curvature arrive."""
    q = np.array([0.39, 0.28, -0.74, -0.77, 0.31, 0.71])
    guess = q + np.array([-0.72, -0.68, 0.52, -0.07, -0.2, -0.36])
    p, R = end_of(q)
    turn = R.as_rotvec()
    m = il.Model("fixed_chain")
    on: Any = m.ground
    for k, axis in enumerate("xyzxyz"):
        joint = il.revolute(axis, guess=float(guess[k]))
        body = m.body(f"bar_{k}", on=on, joint=joint, mass=1.1, com=(0.09, 0.01, 0.02),
                      inertia=(1e-3, 1.1e-2, 1.2e-2))  # fmt: skip
        on = body.frame("end", STEP)
    attitude = il.axis_angle(tuple(turn), float(np.linalg.norm(turn)))
    m.close(on, m.ground.frame("post", tuple(p), attitude), kind="solid", name="tie")
    found, turned = end_of(m.compile().formulation.home())
    np.testing.assert_allclose(found, p, atol=1e-12)
    assert (turned * R.inv()).magnitude() < 1e-12
