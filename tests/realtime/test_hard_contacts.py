"""Hard contacts against the clock: bits of a batch run, snapshots that hold their forces."""

from __future__ import annotations

import numpy as np
from realtime_arm import do_steps

import inloop as il


def test_a_block_that_hits_the_ground_repeats_a_batch_run_to_the_bit(name: str) -> None:
    m = il.Model("plank")
    x = m.body("x", on=m.ground, joint=il.prismatic("x", initial=(0.0, 0.4)))
    z = m.body("z", on=x, joint=il.prismatic("z", initial=(0.13, -0.5)))
    turn = il.revolute("y", initial=(0.3, 2.0))
    plank = m.body("plank", on=z, joint=turn, mass=1.3, inertia=(0.01, 0.02, 0.03))
    for k, side in enumerate((-0.15, 0.2)):
        end = plank.point(f"end_{k}", (side, 0.0, -0.03))
        m.contact(m.ground, il.plane(), end, il.point(), law=il.hard(0.3, 0.4), name=f"touch_{k}")
    plant = m.compile()
    whole = plant.simulate(t_end=0.4, step=1e-3)
    forces = np.array([whole[f"touch_{k}.normal"] for k in range(2)])
    # both come and go, and rest in the end
    assert (np.diff((forces > 0.0).astype(int), axis=1) < 0).any(axis=1).all()
    assert (forces[:, -1] > 0.0).all()
    with il.start(plant, name=name, rate=1000.0, paused=True, clock=il.ScriptedClock()) as loop:
        box = loop.mailbox
        middle = do_steps(box, 250)
        end = do_steps(box, 150)
        assert np.array_equal(end.q, whole.q[-1]) and np.array_equal(end.qd, whole.qd[-1])
        for k in range(2):
            assert end[f"touch_{k}.normal"] == whole[f"touch_{k}.normal"][-1]
            assert end[f"touch_{k}.residual"] <= 1e-8
        box.restore(middle.snapshot)
        assert np.array_equal(do_steps(box, 150).values, end.values)


def test_a_contact_that_nothing_can_move_is_told(name: str) -> None:
    m = il.Model("press")
    piston = m.body("piston", on=m.ground, joint=il.prismatic("z"), mass=1.0)
    m.drive("piston", lambda t: 0.01 - 0.2 * t)
    m.body("arm", on=piston, joint=il.revolute("y"), mass=0.5, com=(0.1, 0.0, 0.0))
    m.contact(m.ground, il.plane(), piston, il.point(), law=il.hard(), name="floor")
    plant = m.compile()
    with il.start(plant, name=name, rate=1000.0, paused=True, clock=il.ScriptedClock()) as loop:
        assert do_steps(loop.mailbox, 45).status_name == "OK"
        # the drive leads through the floor
        record = do_steps(loop.mailbox, 20)
        assert record.status_name == "CONTACT_INEXACT" and record["floor.residual"] > 0.1
        statistics = loop.mailbox.statistics()
        assert 10 <= statistics["inexact_contacts"] <= 20 and statistics["failed"] == 0
        told = str(loop.report())
        assert "impulses of hard contacts were not found" in told


def test_a_ball_on_terrain_repeats_a_batch_run_to_the_bit(name: str) -> None:
    m = il.Model("hopping")
    start = il.free(position=(-0.8, 0.0, 0.25), velocity=(1.0, 0.1, 0.0))
    ball = m.body("ball", on=m.ground, joint=start, mass=1.3, inertia=(0.005,) * 3)
    ground = il.terrain(lambda x, y: 0.05 * np.sin(6.0 * x), size=(4.0, 2.0), cell=0.1)
    m.contact(ball, il.sphere(0.1), m.ground, ground, law=il.hard(0.5, 0.4), name="touch")
    plant = m.compile()
    whole = plant.simulate(t_end=0.6, step=1e-3)
    # it comes and goes
    assert np.count_nonzero(np.diff((whole["touch.force"] > 0.0).astype(int))) > 4
    with il.start(plant, name=name, rate=1000.0, paused=True, clock=il.ScriptedClock()) as loop:
        box = loop.mailbox
        middle = do_steps(box, 350)
        end = do_steps(box, 250)
        assert np.array_equal(end.q, whole.q[-1, :6]) and np.array_equal(end.qd, whole.qd[-1])
        for quantity in ("force", "gap", "touch_1_normal_x", "touch_1_point_x"):
            assert end[f"touch.{quantity}"] == whole[f"touch.{quantity}"][-1]
        box.restore(middle.snapshot)
        assert np.array_equal(do_steps(box, 250).values, end.values)


def test_a_slider_crank_that_hits_a_stop_repeats_a_batch_run_to_the_bit(name: str) -> None:
    m = il.Model("slider_crank")
    turn = il.revolute("y", initial=(0.9, -8.0))
    crank = m.body("crank", on=m.ground, joint=turn, mass=0.8, com=(0.1, 0, 0), inertia=(0.01,) * 3)
    hinge = il.revolute("y", guess=-1.2)
    rod = m.body("rod", on=crank.point("pin", (0.2, 0.0, 0.0)), joint=hinge, mass=0.5,
                 com=(0.25, 0.0, 0.0), inertia=(0.02,) * 3)  # fmt: skip
    slider = m.body("slider", on=m.ground, joint=il.prismatic("x", guess=0.6), mass=1.2)
    m.close(rod.point("end", (0.5, 0.0, 0.0)), slider.point("pin", (0.0, 0.0, 0.0)), name="loop")
    m.joint_force("crank", lambda q, qd: -3e3 * q - 0.1 * qd, name="spring")
    m.hard_stop("slider", 0.7, limits=(-np.inf, 0.66), name="stop")
    plant = m.compile()
    whole = plant.simulate(t_end=0.1, step=1e-3)
    assert whole["stop_high.hit"].sum() >= 1.0
    with il.start(plant, name=name, rate=1000.0, paused=True, clock=il.ScriptedClock()) as loop:
        end = do_steps(loop.mailbox, 100)
        assert np.array_equal(end.q, whole.q[-1]) and np.array_equal(end.qd, whole.qd[-1])
