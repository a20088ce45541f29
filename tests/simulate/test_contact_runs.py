"""Contacts in motion: closed forms, quadrature, momentum and energy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

import inloop as il

G = 9.81


# normal force


@pytest.mark.thinned(2)
@pytest.mark.parametrize("exponent", [1.0, 1.5, 2.7])
@pytest.mark.parametrize("law", [il.hunt_crossley, il.power_law])
def test_indentation_at_rest(law: object, exponent: float) -> None:
    m = il.Model("rest")
    m.body("weight", on=m.ground, joint=il.prismatic("z"), mass=0.7)
    k = 2e5
    m.contact(m.ground, il.plane(), "weight", il.sphere(0.03), law=law(k, exponent), name="c")  # type: ignore[operator]
    depth = (0.7 * G / k) ** (1 / exponent)
    plant = m.compile()
    found = plant.equilibrium(q={"weight": 0.03 - 0.7 * depth})
    assert 0.03 - found.q[0] == pytest.approx(depth, rel=1e-8)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("speed", [0.2, 1.5, 4.0])
def test_restitution_of_hunt_crossley(speed: float) -> None:
    """m v dv/dd = -k dᵖ (1 + c v) is separable: c v - ln(1 + c v) is the same before and after."""
    c = 0.3
    m = il.Model("bounce", gravity=(0, 0, 0))
    m.body("ball", on=m.ground, joint=il.prismatic("z"), mass=0.2)
    law = il.hunt_crossley(3e6, 1.5, c)
    m.contact(m.ground, il.plane(), "ball", il.sphere(0.02), law=law, name="c")
    plant = m.compile()
    result = plant.simulate(t_end=2e-2, step=1e-6, q={"ball": 0.0201}, qd={"ball": -speed})
    assert result["c.force"].max() > 1.0
    assert result["c.gap"][-1] > 0.0

    def invariant(v: float) -> float:
        return c * v - math.log1p(c * v)

    rebound = brentq(lambda v: invariant(-v) - invariant(speed), 1e-9, min(speed, (1 - 1e-9) / c))
    assert result.qd[-1, 0] == pytest.approx(rebound, rel=1e-7)
    # and the energy that is lost is the work of the law on the way it went
    depth, force = -result["c.gap"], result["c.force"]
    work = np.trapezoid(force, depth)
    assert 0.1 * speed**2 - 0.1 * rebound**2 == pytest.approx(work, rel=1e-4)


def pressed(law: object, motion: object) -> il.Plant:
    """A weight whose height is prescribed, on a pad at height 0."""
    m = il.Model("pressed", gravity=(0, 0, 0))
    m.body("weight", on=m.ground, joint=il.prismatic("z"), mass=0.7)
    m.drive("weight", motion)  # type: ignore[arg-type]
    m.contact(m.ground, il.plane(), "weight", il.point(), law=law, name="pad")  # type: ignore[arg-type]
    return m.compile()


def test_felt_remembers_through_partial_unloading() -> None:
    """Stulov's hereditary integral, by quadrature, along a depth that goes back and forth."""
    k, p, eps, tau = 4e7, 2.3, 0.35, 5e-3
    a, b, rate = 4e-4, 3e-4, 90.0

    def depth(t: float) -> float:
        return a * (1 - math.cos(15.0 * t)) + b * math.sin(rate * t) ** 2

    plant = pressed(
        il.felt(k, p, eps, tau),
        lambda t: -(a * (1 - il.cos(15.0 * t)) + b * il.sin(rate * t) * il.sin(rate * t)),
    )
    result = plant.simulate(t_end=0.2, step=1e-4, sample=4e-3)
    assert np.ptp(np.sign(np.diff(result["pad.gap"]))) == 2.0
    for t, force in zip(result.t[1:], result["pad.force"][1:], strict=True):
        past, _ = quad(
            lambda s, t=t: max(depth(s), 0.0) ** p * math.exp((s - t) / tau),
            max(0.0, t - 40 * tau),
            t,
            limit=400,
            epsabs=1e-16,
            epsrel=1e-10,
        )
        expected = max(k * (max(depth(t), 0.0) ** p - eps / tau * past), 0.0)
        assert force == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_felt_loses_work_and_never_pulls() -> None:
    plant = pressed(il.felt(4e7, 2.3, 0.35, 5e-3), lambda t: 1e-3 * il.cos(100.0 * t))
    result = plant.simulate(t_end=0.2, step=1e-5)
    force, height = result["pad.force"], result.q[:, 0]
    assert force.min() == 0.0
    assert force.max() > 1.0
    work = -np.trapezoid(force, height)
    # the loop is run through about three times; a part of the work comes back each time
    spent = np.sum(np.maximum(-np.diff(height) * 0.5 * (force[1:] + force[:-1]), 0.0))
    assert 0.05 * spent < work < 0.5 * spent


# action and reaction


SPHERES = (il.sphere(0.1), il.sphere(0.07))
CAPSULES = (il.capsule(0.06, 0.3, "x"), il.capsule(0.05, 0.25, (0.2, 0.9, 0.3)))


@pytest.mark.thinned(4)
@pytest.mark.parametrize("friction", [None, il.coulomb_contact(0.4, 0.01)])
@pytest.mark.parametrize("shapes", [SPHERES, CAPSULES])
def test_momentum_of_two_free_bodies(shapes: tuple[il.Shape, il.Shape], friction: object) -> None:
    m = il.Model("clash", gravity=(0, 0, 0))
    data = {"one": (0.7, (2e-3, 3e-3, 2.5e-3)), "two": (0.4, (1.5e-3, 1e-3, 1.8e-3))}
    for name, (mass, inertia) in data.items():
        m.chain(name, on=m.ground, joints=il.free(angles=True), mass=mass, inertia=inertia)
    law = il.hunt_crossley(2e5, 1.5, 0.2)
    m.contact("one", shapes[0], "two", shapes[1], law=law, friction=friction, name="c")  # type: ignore[arg-type]
    plant = m.compile()
    q = plant.vector(two_tx=0.05, two_tz=0.19, two_ty=0.02, two_rx=0.3, one_ry=0.2)
    qd = plant.vector(two_tz=-1.5, two_ty=0.2, two_rx=3.0, one_tx=0.3, one_rz=2.0, one_ry=-1.0)
    result = plant.simulate(t_end=0.15, step=1e-5, q=q, qd=qd, sample=0.01)

    def momenta(row: int) -> np.ndarray:
        total = np.zeros(6)
        for name, (mass, inertia) in data.items():
            at = result.q[row], result.qd[row]
            p, R = plant.pose(name, at[0])
            v = plant.velocity(name, *at)
            w = plant.motion(name, *at)["om"]
            total[:3] += mass * v
            total[3:] += np.cross(p, mass * v) + R @ np.diag(inertia) @ R.T @ w
        return total

    before, after = momenta(0), momenta(-1)
    assert result["c.force"].max() > 0.5 or result["c.gap"].min() < 0.0
    assert after == pytest.approx(before, abs=1e-9)
    # the contact changed the motion
    change = plant.velocity("one", result.q[-1], result.qd[-1]) - [0.3, 0.0, 0.0]
    assert np.linalg.norm(change) > 0.3
    if friction is None and shapes is SPHERES:
        # smooth spheres exchange no spin
        assert plant.motion("one", result.q[-1], result.qd[-1])["om"] == pytest.approx(
            plant.motion("one", q, qd)["om"], abs=0.2
        )


def energy_with_contact(plant: il.Plant, result: il.Result, k: float, p: float) -> np.ndarray:
    depth = np.maximum(-result["c.gap"], 0.0)
    return np.asarray(result.energy.sum(axis=1) + k * depth ** (p + 1) / (p + 1))


def test_neighbours_in_the_tree() -> None:
    """A forearm that strikes the upper arm it hangs on; without losses the energy stays."""
    m = il.Model("arm")
    upper = m.body(
        "upper", on=m.ground, joint=il.revolute("y"), mass=0.8, com=(0.1, 0, 0),
        inertia=(1e-3, 4e-3, 4e-3),
    )  # fmt: skip
    fore = m.body(
        "fore", on=upper.point("elbow", (0.3, 0, 0)), joint=il.revolute("y"), mass=0.5,
        com=(0.12, 0, 0), inertia=(1e-3, 3e-3, 3e-3),
    )  # fmt: skip
    pad = upper.frame("pad", (0.15, 0, 0.02), il.rpy(0, 0.1, 0))
    m.contact(
        pad, il.plane(), fore.point("hand", (0.2, 0, 0.01)), il.circle(0.02, "y"),
        law=il.hunt_crossley(1e5, 2.0), name="c",
    )  # fmt: skip
    plant = m.compile()
    result = plant.simulate(t_end=1.0, step=1e-5, q={"upper": 0.3, "fore": -2.0},
                            qd={"fore": -4.0}, sample=1e-4)  # fmt: skip
    total = energy_with_contact(plant, result, 1e5, 2.0)
    assert result["c.force"].max() > 10.0
    assert np.ptp(total) < 1e-7 * np.ptp(result.energy[:, 0])


def test_contact_on_a_closed_loop() -> None:
    """A four-bar whose coupler strikes a bumper on the ground, without losses."""
    m = il.Model("four_bar")
    crank = m.body("crank", on=m.ground, joint=il.revolute("y", initial=(-0.5, 0.0)), mass=0.4,
                   com=(0.05, 0, 0), inertia=(1e-4, 3.3e-4, 3.3e-4))  # fmt: skip
    coupler = m.body("coupler", on=crank.point("pin", (0.1, 0, 0)), joint=il.revolute("y"),
                     mass=0.4, com=(0.15, 0, 0), inertia=(1e-4, 3.1e-3, 3.1e-3))  # fmt: skip
    rocker = m.body("rocker", on=m.ground.point("post", (0.28, 0, 0)),
                    joint=il.revolute("y", guess=-1.3), mass=0.4, com=(0.12, 0, 0),
                    inertia=(1e-4, 2.2e-3, 2.2e-3))  # fmt: skip
    m.close(coupler.point("end", (0.3, 0, 0)), rocker.point("end", (0.25, 0, 0)))
    knob = coupler.point("knob", (0.15, 0, -0.02))
    stop = m.ground.point("bumper", (0.1, 0.0, 0.02))
    m.contact(knob, il.circle(0.01, "y"), stop, il.circle(0.03, "y"),
              law=il.hunt_crossley(2e5, 2.0), name="c")  # fmt: skip
    plant = m.compile()
    result = plant.simulate(t_end=1.0, step=2e-5, sample=2e-4)
    total = energy_with_contact(plant, result, 2e5, 2.0)
    assert result["c.force"].max() > 1.0
    assert np.ptp(total) < 1e-6 * np.ptp(result.energy[:, 0])
