"""Bodies with six coordinates each that roll, lock, hit stops and are caught by loops."""

from __future__ import annotations

import os

import numpy as np
import pytest

import inloop as il
from inloop import gallery
from inloop.gallery.four_bar import four_bar
from inloop.gallery.rolling_disc import AFTER_3_S

POST = (-1.9, 0.1, -0.9)  # [m]


def gate() -> il.Model:
    """Two links in space: an elbow that rebounds and locks, and a rod that catches the tip."""
    m = il.Model("gate", gravity=(0.0, 0.0, -9.81))
    upper = m.body("upper", on=m.ground, joint=il.revolute("y", initial=(0.5, 0.0)), mass=1.3,
                   com=(0.02, 0.03, -0.4), inertia=(0.02, 0.03, 0.025))  # fmt: skip
    lower = m.body("lower", on=upper.point("elbow", (0.0, 0.0, -0.8)),
                   joint=il.revolute((0.1, 1.0, 0.2), initial=(0.4, -0.5)), mass=0.7,
                   com=(0.05, 0.02, -0.3), inertia=(0.02, 0.013, 0.017))  # fmt: skip
    tip = lower.point("tip", (0.03, 0.01, -0.5))
    post = m.ground.point("post", POST)
    free, held, caught = m.mode("free"), m.mode("held"), m.mode("caught")
    with m.during(held):
        m.lock(lower, name="elbow")
    with m.during(caught):
        m.close(tip, post, kind="rod", length=1.8, name="tether")
    m.event("stop", lambda q: q["lower"] - 0.35, mode=free, impact=held, restitution=0.6)
    m.event("grip", lambda t: 0.2 - t, mode=free, to=held)
    m.event(
        "catch",
        lambda p: 1.8 - il.sqrt(sum((p["lower.tip"][k] - POST[k]) ** 2 for k in range(3))),
        mode=held,
        to=caught,
    )
    return m


@pytest.fixture(scope="module")
def swinging() -> il.Plant:
    return gate().compile(formulation="redundant")


def test_events_keep_the_order_of_the_method(swinging: il.Plant) -> None:
    plant, reduced = swinging, gate().compile()
    expected = reduced.simulate(t_end=1.0, step=0.1, tolerance=1e-11)
    assert [event.name for event in expected.events] == ["stop", "grip", "catch"]
    far, near = (plant.simulate(t_end=1.0, step=h, sample=0.1) for h in (4e-4, 2e-4))
    for found in (far, near):
        assert [event.name for event in found.events] == ["stop", "grip", "catch"]
        assert found.violation.max() < 1e-9
        assert not found.notes
    errors = [
        np.abs(np.concatenate([run.q[-1] - expected.q[-1], run.qd[-1] - expected.qd[-1]])).max()
        for run in (far, near)
    ]
    assert errors[1] < 1e-5
    assert 3.6 < errors[0] / errors[1] < 4.4
    for found, known in zip(near.events, expected.events, strict=True):
        assert abs(found.t - known.t) < 1e-6
        assert abs(found.energy_lost - known.energy_lost) < 1e-5
        for row, impulse in known.impulses.items():
            assert abs(found.impulses[row] - impulse) < 1e-5


def test_a_stepper_gives_the_bits_of_a_run_through_an_event(swinging: il.Plant) -> None:
    step, steps = 7e-4, 200
    expected = swinging.simulate(t_end=steps * step, step=step)
    (event,) = expected.events
    before = int(event.t / step)
    assert before * step + step != (before + 1) * step  # the clock decides where the rest ends
    stepper = swinging.stepper(step=step)
    for _ in range(steps):
        stepper.step()
    np.testing.assert_array_equal(stepper.look().qd[-1], expected.qd[-1])


def test_events_of_steps_chosen_by_a_tolerance(swinging: il.Plant) -> None:
    expected = gate().compile().simulate(t_end=1.0, step=0.1, tolerance=1e-11)
    found = swinging.simulate(t_end=1.0, step=0.1, tolerance=1e-8)
    assert found.method == "alpha"
    assert [event.name for event in found.events] == ["stop", "grip", "catch"]
    assert max(abs(a.t - b.t) for a, b in zip(found.events, expected.events, strict=True)) < 1e-5
    assert np.abs(found.q[-1] - expected.q[-1]).max() < 1e-4
    assert found.violation.max() < 1e-9


def test_snapshots_hold_modes_and_histories(swinging: il.Plant) -> None:
    stepper = swinging.stepper(step=1e-3)
    for _ in range(100):
        stepper.step()
    taken, ends = stepper.snapshot(), []
    for _ in range(2):
        stepper.restore(taken)
        for _ in range(500):
            stepper.step()
        ends.append(stepper.look().q[-1])
    np.testing.assert_array_equal(*ends)
    whole = swinging.simulate(t_end=0.6, step=1e-3)
    assert np.abs(ends[0] - whole.q[-1]).max() < 1e-9


def test_divided_steps_are_told_in_all_hosts() -> None:
    """A force of 1e5 N begins within a step: Newton's method finds no end of it."""
    m = il.Model("drop", gravity=(0.0, 0.0, -9.81))
    m.body("ball", on=m.ground, joint=il.prismatic("z", initial=(0.2, -30.0)), mass=0.1)
    m.joint_force("ball", lambda q, qd: il.where(q < 0.0, 1e5, 0.0))
    m.event("late", lambda t: 1.0 - t)
    plant = m.compile(formulation="redundant")
    told = "1 step was divided, as Newton's method did not converge there"
    assert told in plant.simulate(t_end=0.01, step=1e-3).notes
    stepper = plant.stepper(step=1e-3)
    for _ in range(10):
        stepper.step()
    assert told in stepper.notes
    clock = il.ScriptedClock()
    with il.start(plant, name=f"divided-{os.getpid()}", rate=1e3, clock=clock) as loop:
        loop.clock.advance(0.01 + 1e-9)
        report = loop.close()
    assert told in report.notes
    assert not any("independent coordinates" in line for line in report.sentences())


@pytest.mark.long
def test_a_disc_rolls() -> None:
    """Against its equations written by hand, integrated elsewhere."""
    plant = gallery.get("rolling_disc").build().compile(formulation="redundant")
    ends = []
    for step in (1e-3, 5e-4):
        run = plant.simulate(t_end=3.0, step=step)
        ends.append(np.array([run[f"{k}.q"][-1] for k in ("yaw", "lean", "spin", "x", "y")]))
        # velocities of results fit: those of joints do so to the order of the method alone
        assert run.violation.max() < 1e-12
    errors = [np.abs(end - AFTER_3_S).max() for end in ends]
    assert 3.8 < errors[0] / errors[1] < 4.2
    assert np.abs((4.0 * ends[1] - ends[0]) / 3.0 - AFTER_3_S).max() < 1e-7


@pytest.fixture(scope="module")
def linkage() -> il.Plant:
    return four_bar(2).compile(formulation="redundant")


@pytest.mark.long
def test_many_runs_start_where_they_are_told(linkage: il.Plant) -> None:
    """Loops are closed with what was given, and runs go as in the reduced equations."""
    given = {"q": {"bar_0": np.array([0.9, 1.2])}, "qd": {"bar_0": np.array([-0.4, 0.3])}}
    found = linkage.simulate_many(t_end=0.1, step=1e-3, **given)
    expected = four_bar(2).compile().simulate_many(t_end=0.1, step=1e-3, **given)
    assert np.abs(found.q[:, 0] - expected.q[:, 0]).max() < 1e-9
    assert np.abs(found.q[:, -1] - expected.q[:, -1]).max() < 1e-6


R, ANGLE = 0.2, 0.9  # of the crank [m, rad]


@pytest.fixture(scope="module")
def crank() -> il.Plant:
    """A slider crank whose rod has a live length."""
    m = il.Model("crank")
    length = m.parameter("length", 0.5, unit="m")
    crank = m.body("crank", on=m.ground, joint=il.revolute("y", initial=ANGLE), mass=0.8)
    pin = crank.point("pin", (R, 0.0, 0.0))
    rod = m.body("rod", on=pin, joint=il.revolute("y", guess=-1.2), mass=0.5, inertia=(0.02,) * 3)
    slider = m.body("slider", on=m.ground, joint=il.prismatic("x", guess=0.6), mass=1.2)
    m.close(rod.point("end", (length, 0.0, 0.0)), slider.point("pin", (0.0, 0.0, 0.0)))
    return m.compile(formulation="redundant")


def test_many_runs_with_other_lengths_start_with_velocities_that_fit_them(crank: il.Plant) -> None:
    """x = r cos a + sqrt(l² - r² sin² a), and its rate, for each length l."""
    lengths, speed = np.array([0.45, 0.5, 0.6]), 3.0
    given = {"parameters": {"length": lengths}, "qd": {"crank": speed}}
    run = crank.simulate_many(t_end=0.01, step=1e-3, **given)
    height, along = R * np.sin(ANGLE), np.sqrt(lengths**2 - (R * np.sin(ANGLE)) ** 2)
    rate = -speed * height * (1.0 + R * np.cos(ANGLE) / along)
    assert run["slider.q"][:, 0] == pytest.approx(R * np.cos(ANGLE) + along, abs=1e-12)
    assert run["slider.qd"][:, 0] == pytest.approx(rate, abs=1e-12)


def test_a_length_that_closes_nowhere_near_is_refused_and_the_last_good_state_stays(
    crank: il.Plant,
) -> None:
    """A rod of 50 mm would close with the crank about a radian from where it is."""
    names = [f"{c}.{of}" for c in crank.coordinates for of in ("q", "qd")]
    steppers = [crank.stepper(step=1e-3) for _ in range(2)]
    for stepper in steppers:
        for _ in range(20):
            stepper.step()
    told, untold = steppers
    told.parameters["length"] = 0.05
    with pytest.raises(il.SimulationError, match="LOOP_OPEN"):
        told.step()
    told.parameters["length"] = 0.5
    assert [told[name] for name in names] == [untold[name] for name in names]
    # another one that it can reach
    told.parameters["length"] = 0.47
    told.step()
    a, x = told["crank.q"], told["slider.q"]
    assert x == pytest.approx(R * np.cos(a) + np.sqrt(0.47**2 - (R * np.sin(a)) ** 2), abs=1e-10)
