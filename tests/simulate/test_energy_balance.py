"""The energy balance of runs: they gain the work of all that acts, less what events take."""

from __future__ import annotations

import math

import numpy as np
import pytest
from unstable_models import ball, oscillator

import inloop as il
from inloop import gallery


def test_a_mass_on_a_spring_keeps_its_energy() -> None:
    """The spring's own energy is its work: the error is that of the method, of fourth order."""
    plant, omega = oscillator(50.0), 5.0
    drifts = []
    for step in (4e-3, 2e-3, 1e-3):
        run = plant.simulate(t_end=3.0, step=step)
        stored = 25.0 * (run["mass.q"] - 1.0) ** 2
        assert run.work == pytest.approx(stored[0] - stored, abs=1e-6)
        drifts.append(run.energy_drift())
    assert run["mass.q"] == pytest.approx(1.0 + 0.3 * np.cos(omega * run.t), abs=1e-8)
    assert 0.0 < drifts[2] < 1e-9
    assert np.log2(drifts[0] / drifts[1]) > 3.5 and np.log2(drifts[1] / drifts[2]) > 3.5


def test_a_damper_takes_what_the_oscillation_loses() -> None:
    """m x'' + d x' + k x = 0: all work is in the kinetic energy of the closed form."""
    m, d, k = 2.0, 3.0, 50.0
    run = oscillator(k, d, mass=m).simulate(t_end=2.0)
    a, w = d / (2.0 * m), math.sqrt(k / m - (d / (2.0 * m)) ** 2)
    speed = -0.3 * np.exp(-a * run.t) * (w + a * a / w) * np.sin(w * run.t)
    assert run.work == pytest.approx(0.5 * m * speed**2, abs=1e-8)
    assert run.energy_drift() < 1e-8


def test_drives_do_the_work_of_their_motion() -> None:
    m = il.Model("lift")
    m.body("cage", on=m.ground, joint=il.prismatic("z"), mass=3.0)
    m.drive("cage", lambda t: 0.4 * il.sin(2.0 * t))
    run = m.compile().simulate(t_end=2.0)
    z, zd = 0.4 * np.sin(2.0 * run.t), 0.8 * np.cos(2.0 * run.t)
    gained = 1.5 * (zd**2 - zd[0] ** 2) + 3.0 * 9.81 * z
    assert np.ptp(gained) > 5.0
    assert run.work == pytest.approx(gained, abs=1e-8)
    assert run.energy_drift() < 1e-9


def test_inputs_and_efforts_do_work() -> None:
    m = il.Model("cart", gravity=(0, 0, 0))
    m.body("cart", on=m.ground, joint=il.prismatic("x"), mass=2.0)
    push = m.joint_input("cart")
    plant = m.compile()
    run = plant.simulate(t_end=1.5, inputs={push: lambda t: 3.0 * il.cos(t)}, tau={"cart": 0.7})
    # x'' = (3 cos t + 0.7) / 2
    speed = (3.0 * np.sin(run.t) + 0.7 * run.t) / 2.0
    assert run["cart.qd"] == pytest.approx(speed, abs=1e-10)
    assert run.work == pytest.approx(speed**2, abs=1e-8)


def test_moving_constraints_do_work() -> None:
    """A bead on a rod that is carried along x: the rod's force alone moves it."""
    m = il.Model("carried", gravity=(0, 0, 0))
    cart = m.body("x", on=m.ground, joint=il.prismatic("x"), mass=0.5)
    m.body("y", on=cart, joint=il.prismatic("y", initial=(0.0, 0.3)), mass=1.5)
    m.constraint("carry", lambda q, t: q["x"] - 0.2 * il.sin(3.0 * t))
    run = m.compile().simulate(t_end=1.0)
    kinetic = (0.6 * np.cos(3.0 * run.t)) ** 2  # of 2 kg; y keeps its own
    assert run.work == pytest.approx(kinetic - kinetic[0], abs=1e-7)
    assert run.energy_drift() < 1e-7


def test_what_impacts_take_is_known() -> None:
    exhibit = gallery.get("bouncing_ball")
    run = exhibit.build().compile().simulate(t_end=exhibit.seconds, step=exhibit.step)
    lost = sum(event.energy_lost for event in run.events)
    assert len(run.events) > 5 and lost > 0.5 * run.energy[:, 0].max()
    assert run.energy_drift() < 1e-9


def test_impacts_of_a_mass_on_a_spring() -> None:
    """Half an oscillation between impacts, each of which takes 1 - e² of the kinetic energy."""
    m = il.Model("bouncer", gravity=(0, 0, 0))
    body = m.body("mass", on=m.ground, joint=il.prismatic("x", initial=(0.5, 0.0)), mass=2.0)
    m.torsion_spring(body, 50.0, name="coil")
    free, held = m.mode("free"), m.mode("held")
    with m.during(held):
        m.lock(body, name="wall")
    m.event("hit", lambda q: q["mass"], mode=free, impact=held, restitution=0.8, settles_in=held)
    run = m.compile().simulate(t_end=1.5)
    assert [event.t for event in run.events] == pytest.approx(np.pi / 5.0 * np.array([0.5, 1.5]))
    left = 6.25 * np.cumprod([0.64, 0.64])
    assert [event.energy_after for event in run.events] == pytest.approx(left, rel=1e-6)
    assert run.energy_drift() < 1e-4
    assert np.abs(run.work).max() > 6.0


@pytest.mark.parametrize("dissipation", [0.0, 0.2])
def test_soft_contacts_give_back_what_they_store(dissipation: float) -> None:
    """The error falls with the step until the kink at touch-down decides."""
    plant = ball(il.hunt_crossley(1e5, 1.5, dissipation))
    drifts = [plant.simulate(t_end=1.0, step=h, method="rk4").energy_drift() for h in (1e-3, 1e-4)]
    assert drifts[0] < 5e-3 and drifts[1] < 0.05 * drifts[0]


@pytest.mark.parametrize("axial", [None, 2e3])
def test_flexible_links_with_damping(axial: float | None) -> None:
    m = il.Model("whip")
    hub = m.body("hub", on=m.ground, joint=il.revolute("y", initial=(0.3, 2.0)), mass=1.0,
                 inertia=(0.01, 0.02, 0.03))  # fmt: skip
    m.flexible_link("rod", on=hub, length=1.0, mass_per_length=0.6, EI=20.0, EA=axial, elements=2,
                    damping=(0.0, 1e-3), bends_about="y")  # fmt: skip
    bent = {"rod_1_w": 0.03, "rod_1_r": 0.1, "rod_2_w": 0.1, "rod_2_r": 0.12}
    run = m.compile().simulate(t_end=1.0, step=1e-4, method="rk4", q=bent)
    assert run.work[-1] < -0.05 * run.energy[:, 0].max()
    assert np.all(np.diff(run.work) <= 0.0)
    assert run.energy_drift() < 2e-5


def test_samples_far_apart_say_that_they_cannot_tell() -> None:
    plant = oscillator(50.0)
    assert plant.simulate(t_end=3.0, sample=0.01).energy_drift() < 1e-5
    assert math.isnan(plant.simulate(t_end=3.0, sample=0.5).energy_drift())
    # a contact between two samples is seen all the same, unless there are too many steps to keep
    soft = ball(il.hunt_crossley(1e5, 1.5, 0.2))
    run = soft.simulate(t_end=1.0, step=1e-4, sample=0.1, method="rk4")
    every = soft.simulate(t_end=1.0, step=1e-4, method="rk4")
    np.testing.assert_array_equal(run.q, every.q[::1000])
    np.testing.assert_array_equal(run.work, every.work[::1000])
    assert run.energy_drift() < 1e-3
    assert math.isnan(soft.simulate(t_end=0.6, step=2e-6, sample=0.1, method="rk4").energy_drift())


def test_two_samples_alone_do_not_tell() -> None:
    """A run that is right to nine digits, of which only both ends are kept."""
    m, d, k = 2.0, 3.0, 50.0
    run = oscillator(k, d, mass=m).simulate(t_end=2.0, step=1e-3, sample=2.0)
    a, w = d / (2.0 * m), math.sqrt(k / m - (d / (2.0 * m)) ** 2)
    expected = 1.0 + 0.3 * math.exp(-2.0 * a) * (math.cos(2.0 * w) + a / w * math.sin(2.0 * w))
    assert abs(run["mass.q"][-1] - expected) < 1e-9
    assert len(run.t) == 2 and not run.doubts and not run.notes
    assert np.isnan(run.work).all()


def test_the_audit_agrees_with_the_balance() -> None:
    plant = oscillator(50.0, 3.0)
    run = plant.simulate(t_end=1.0)
    audit = plant.energy_audit(run)
    assert audit.work["laws"] == pytest.approx(run.work, abs=1e-8)
