"""Exhibits that bump: pendulum at a wall, woodpecker, gripper, robot at a block; beside others."""

from __future__ import annotations

import math

import numpy as np
import pytest
from bouncing_pendulum import BouncingPendulum
from exhibit_plants import plant_of
from pecking import pecking

from inloop import gallery
from inloop.gallery.gripper import exhibit as gripper
from inloop.gallery.gripper import model as gripper_model
from inloop.gallery.robot_obstacle import exhibit as robot_obstacle
from inloop.gallery.wall_pendulum import exhibit as wall_pendulum
from inloop.gallery.wall_pendulum import model as pendulum_model
from inloop.gallery.woodpecker import exhibit as woodpecker
from inloop.gallery.woodpecker import model as toy


def test_the_pendulum_bounces_as_an_event_driven_solution_does() -> None:
    w, m, end = wall_pendulum, pendulum_model, 2.0
    known = BouncingPendulum(m.UPPER, m.LOWER, m.ELBOW, m.TIP, m.WALL - m.BALL, m.RESTITUTION)
    hits, x = known.solved(np.array([m.START[0], sum(m.START), 0.0, 0.0]), end)
    # the figures of the exhibit are those of this solution
    for name, times in hits.items():
        assert times == pytest.approx(w.HITS[name][: len(times)], abs=1e-9)
        assert len(times) == 2
    errors = []
    for step in (1e-3, 5e-4):
        run = plant_of("wall_pendulum").simulate(t_end=end, step=step)
        errors.append(float(np.abs(np.cumsum(run.q[-1]) - x[:2]).max()))
        for name, times in hits.items():
            assert w.impacts(run, name) == pytest.approx(times, abs=1.001 * step)
    # of order 2 through four impacts
    assert errors[1] < 0.3 * errors[0] < 3e-5


def test_the_woodpecker_pecks_as_a_solution_in_numpy_does() -> None:
    end, h = 0.1, 2e-5
    q = np.array([toy.TOP, toy.jammed(), toy.BIRD_ANGLE])
    v = np.array([toy.SPEEDS[0], 0.0, toy.SPEEDS[1]])
    times, heights = pecking(q, v, end, h, linear=False)
    run = plant_of("woodpecker").simulate(t_end=end, step=h)
    row = int(np.argmin(np.abs(run.t - times[0])))
    assert woodpecker.pecks(run)[:1] == pytest.approx(times, abs=1e-4)
    assert run["slide.q"][row] == pytest.approx(heights[0], abs=2e-4)
    assert toy.TOP - heights[0] > 5e-3


def test_the_woodpecker_climbs_down_in_equal_cycles() -> None:
    figures = gallery.get("woodpecker").experiment("climb").figures
    assert figures["time between pecks [s]"] == pytest.approx(woodpecker.PERIOD, abs=2e-4)
    assert figures["descent per cycle [m]"] == pytest.approx(woodpecker.DROP, abs=1e-4)


@pytest.mark.parametrize(("share", "lifts"), [(1.04, True), (0.99, False)])
def test_the_ball_is_lifted_by_more_than_half_its_weight_over_mu(share: float, lifts: bool) -> None:
    g = gripper
    run = g.lifted(plant_of("gripper"), share * g.NEEDED)
    assert run.status == "OK" and not run.doubts
    held = 2.0 * g.FRICTION * share * g.NEEDED
    if lifts:
        # the servo of the hoist gives way under it, for 1.8 % of g at most
        assert g.slipped(run) < 1e-3
        assert run["ball_tz.q"][-1] > 0.2
        assert run["left_pad.friction"][-1] == pytest.approx(0.5 * g.MASS * g.G, abs=1e-5)
        # the fingers do not move: they press with their grip when the ball leaves the table, too
        closed = run.t > 0.3
        assert run["left_pad.normal"][closed] == pytest.approx(share * g.NEEDED, rel=1e-4)
    else:
        assert run["ball_tz.q"][-1] == pytest.approx(gripper_model.RADIUS, abs=1e-6)
        assert run["table.force"][-1] == pytest.approx(g.MASS * g.G - held, abs=1e-6)
        assert run["left_pad.friction"][-1] == pytest.approx(0.5 * held, abs=1e-6)


def test_a_grip_that_loosens_lets_the_ball_fall_as_friction_lets_it() -> None:
    g, plant = gripper, plant_of("gripper")
    up = g.lifted(plant, 1.2 * g.NEEDED)
    plant.parameters["grip"] = 0.6 * g.NEEDED
    later = 0.15
    run = plant.simulate(t_end=g.END + later, step=g.STEP, start=up, inputs={"lift": g.HEIGHT})
    fallen = float(run["ball_tz.q"][0] - run["ball_tz.q"][-1])
    # m g - 2 μ F is left over; the pads hardly move meanwhile
    assert fallen == pytest.approx(0.5 * 0.4 * g.G * later**2, rel=0.03)


def test_known_figures_of_the_robot_do_not_come_from_the_plant() -> None:
    """Kinematics and weight by the DH table agree with the plant, and are not the same code."""
    r, plant = robot_obstacle, plant_of("robot_obstacle")
    for q in (r.NOMINAL, r.BACK):
        assert plant.position("tool.buffer", q) == pytest.approx(r.tool_place(q), abs=1e-12)
    rest = np.zeros(6)
    force, pose = r.pressed()
    assert force > 20.0 and float(np.abs(pose - r.FORWARD).max()) > 0.01
    held = gallery.get("puma560").build().compile().inverse_dynamics(pose, rest, rest)
    assert r.gravity_torques(pose) == pytest.approx(held, abs=1e-7)


def test_joints_of_the_robot_stop_hard_at_their_limits() -> None:
    plant = plant_of("robot_obstacle")
    plant.parameters.update({"kp": 0.0, "kd": 0.0})
    run = plant.simulate(t_end=1.2, step=1e-3, qd={"joint_3": 6.0})
    high = run["joint_3.q"].max()
    assert high == pytest.approx(math.radians(45.0), abs=1e-6)
    assert run["stop_3_high.effort"].min() < 0.0


@pytest.mark.parametrize("name", ["wall_pendulum", "woodpecker", "gripper", "robot_obstacle"])
def test_references_are_met(name: str) -> None:
    for comparison in gallery.get(name).compare(plant_of(name)):
        assert comparison.ok, comparison
