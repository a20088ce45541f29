"""Joints with limits: what a run tells when one leaves them."""

from __future__ import annotations

import numpy as np
import pytest

import inloop as il

LENGTH, START, LIMIT = 0.8, 0.9, 0.35


def pendulum(*, stop: bool = False, limits: tuple[float, float] = (-LIMIT, 1.2)) -> il.Model:
    m = il.Model("limited")
    rod = m.body(
        "rod", on=m.ground, joint=il.revolute("y", limits=limits, initial=(START, 0.0)),
        mass=1.0, com=(0.0, 0.0, -LENGTH),
    )  # fmt: skip
    if stop:
        m.joint_stop(rod, 2e3, 5.0)
    return m


def test_a_joint_that_leaves_its_limits_is_told() -> None:
    run = pendulum().compile().simulate(t_end=2.0, step=1e-3)
    (note,) = run.notes
    # it swings to -START, half a period after the start
    low = np.flatnonzero(run["rod.q"] < -LIMIT)
    period = 2.0 * float(run.t[int(np.argmin(run["rod.q"]))])
    assert note.startswith(f"t = {run.t[low[0]]:g} s: joint 'rod' leaves its limits (-0.35, 1.2)")
    assert f"by {START - LIMIT:.4g} rad" in note
    assert f"at t = {period / 2.0:g} s" in note
    assert note.endswith("it has no joint_stop")
    assert note in str(run)


@pytest.mark.parametrize("options", [{"stop": True}, {"limits": (-1.0, 1.2)}])
def test_joints_that_stay_or_are_stopped_are_not(options: dict) -> None:
    assert pendulum(**options).compile().simulate(t_end=2.0, step=1e-3).notes == ()


def test_a_drive_beyond_the_limits_is_told() -> None:
    m = il.Model("driven")
    slider = m.body("slider", on=m.ground, joint=il.prismatic("x", limits=(-0.1, 0.2)), mass=1.2)
    m.drive(slider, lambda t: 0.3 * il.sin(np.pi * t))
    (note,) = m.compile().simulate(t_end=1.0, step=1e-2).notes
    assert "'slider' leaves its limits (-0.1, 0.2) m, by 0.1 m" in note
    assert note.endswith("its drive moves it there")


def test_modes_tell_it_too_and_each_joint_once() -> None:
    m = pendulum()
    up, down = m.mode("up"), m.mode("down")
    m.event("falls", lambda q: q["rod"], mode=up, to=down, direction="falls")
    m.event("rises", lambda q: q["rod"], mode=down, to=up, direction="rises")
    with m.during(up):
        m.joint_stop("rod", 2e3, 5.0, limits=(-LIMIT, 1.2), name="stop")
    run = m.compile().simulate(t_end=2.0, step=1e-3)
    (note,) = [note for note in run.notes if "limits" in note]
    assert "joint 'rod' leaves its limits (-0.35, 1.2)" in note
    assert f"by {START - LIMIT:.3g}" in note
