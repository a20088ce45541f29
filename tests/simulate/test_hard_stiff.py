"""Hard contacts beside stiff force laws: these are implicit in the same solution."""

from __future__ import annotations

import numpy as np
import pytest
from hard_models import G
from scipy.integrate import solve_ivp

import inloop as il


def oscillator(stiffness: float, restitution: float, limit: float) -> il.Model:
    """2 kg on a spring at 2 m/s, with a stop beside where the spring is relaxed."""
    m = il.Model("oscillator", gravity=(0.0, 0.0, 0.0))
    m.body("mass", on=m.ground, joint=il.prismatic("x", initial=(0.0, 2.0)), mass=2.0)
    m.joint_force("mass", lambda q: -stiffness * q, name="spring")
    m.hard_stop("mass", restitution, limits=(-np.inf, limit), name="stop")
    return m


def bounced(stiffness: float, restitution: float, limit: float, t_end: float) -> np.ndarray:
    """Its place and velocity in closed form, from impact to impact."""
    omega, t, q, v = np.sqrt(stiffness / 2.0), 0.0, 0.0, 2.0
    while True:
        size, phase = np.hypot(q, v / omega), np.arctan2(-v / omega, q)
        turn = (-np.arccos(min(1.0, limit / size)) - phase) % (2 * np.pi)
        turn += 2 * np.pi if turn < 1e-9 else 0.0
        if size <= limit or t + turn / omega > t_end:
            angle = omega * (t_end - t) + phase
            return np.array([size * np.cos(angle), -size * omega * np.sin(angle)])
        t, q = t + turn / omega, limit
        v = -restitution * omega * np.sqrt(size**2 - limit**2)


def test_an_oscillator_between_impacts_is_of_second_order() -> None:
    plant = oscillator(200.0, 0.8, 0.01).compile()
    exact, errors = bounced(200.0, 0.8, 0.01, 5.0), []
    for step in (1e-3, 2.5e-4):
        result = plant.simulate(t_end=5.0, step=step)
        errors.append(np.abs([result.q[-1, 0], result.qd[-1, 0]] - exact).max())
    assert np.count_nonzero(result["stop_high.normal"]) > 8
    assert errors[0] < 1e-5 and errors[1] < 0.2 * errors[0]


def test_a_spring_that_is_much_faster_than_the_step_is_stable() -> None:
    # omega h = 70: explicit steps would grow by a thousand each
    result = oscillator(1e10, 0.5, 1e-6).compile().simulate(t_end=0.1, step=1e-3)
    assert np.abs(result.q).max() < 2e-3
    assert np.abs(result.q[50:]).max() < 1e-5 and np.abs(result.qd[50:]).max() < 0.1


@pytest.mark.thinned(3)
@pytest.mark.parametrize("stiffness", [1e3, 1e6, 1e9])
def test_a_stop_carries_what_a_spring_presses_on_it(stiffness: float) -> None:
    m = il.Model("pressed", gravity=(0.0, 0.0, 0.0))
    first = m.body("first", on=m.ground, joint=il.prismatic("x", initial=(0.01, 0.0)), mass=2.0)
    m.body("second", on=first, joint=il.prismatic("x"), mass=1.0)
    # the second mass is pulled by 50 N, and pulls the first one against its stop
    m.joint_force("second", lambda q, qd: 50.0 - stiffness * q - 2.0 * stiffness**0.5 * qd)
    m.joint_force("first", lambda q: 50.0 + 0.0 * q)
    m.hard_stop("first", 0.5, limits=(-np.inf, 0.01), name="stop")
    result = m.compile().simulate(t_end=1.5, step=1e-3)
    assert result["second.q"][-1] == pytest.approx(50.0 / stiffness, rel=1e-6)
    assert result["stop_high.effort"][-1] == pytest.approx(-50.0, rel=1e-6)
    assert result["first.q"].max() < 0.01 + 1e-9


def test_what_a_stiff_spring_holds_together_is_hit_as_one_body() -> None:
    m = il.Model("dumbbell")
    low = m.body("low", on=m.ground, joint=il.prismatic("z", initial=(0.2, 0.0)), mass=1.0)
    m.body("high", on=low, joint=il.prismatic("z"), mass=3.0)
    m.joint_force("high", lambda q: -1e10 * q, name="spring")
    m.contact(m.ground, il.plane(), low, il.point(), law=il.hard(0.3), name="floor")
    result = m.compile().simulate(t_end=0.25, step=1e-3)
    speed, hit = np.sqrt(2 * G * 0.2), np.sqrt(2 * 0.2 / G)
    assert (result["floor.normal"] * 1e-3).sum() == pytest.approx(1.3 * 4.0 * speed, rel=1e-3)
    assert result.qd[-1, 0] == pytest.approx(0.3 * speed - G * (0.25 - hit), abs=1e-3 * speed)


def bristles(t: float, x: np.ndarray) -> list[float]:
    """2 kg pulled by 5 N against LuGre friction."""
    _, v, z = x
    level = 3.0 + np.exp(-((v / 0.01) ** 2))
    zd = v - 1e4 * abs(v) / level * z
    return [v, 0.5 * (5.0 - 1e4 * z - 30.0 * zd), zd]


def rail(elastic: float) -> il.Plant:
    """The same with a stop after 0.1 m."""
    m = il.Model("rail", gravity=(0.0, 0.0, 0.0))
    m.body("block", on=m.ground, joint=il.prismatic("x", initial=(0.0, 0.5)), mass=2.0)
    bristle = {"stiffness": 1e4, "damping": 30.0, "stribeck": 0.01, "elastic": elastic}
    m.lugre("block", **bristle, coulomb=3.0, static=4.0, name="rub")
    m.joint_force("block", lambda q: 5.0 + 0.0 * q, name="pull")
    m.hard_stop("block", 0.5, limits=(-1.0, 0.1), name="stop")
    return m.compile()


def test_friction_of_a_joint_and_a_stop() -> None:
    plant = rail(elastic=0.0)

    def hits(t: float, x: np.ndarray) -> float:
        return 0.1 - x[0]

    hits.terminal, hits.direction = True, -1.0  # type: ignore[attr-defined]
    t, x, impacts = 0.0, [0.0, 0.5, 0.0], 0
    while t < 0.4:
        found = solve_ivp(bristles, (t, 0.4), x, "LSODA", events=hits, rtol=1e-10, atol=1e-12)
        t, x = found.t[-1], found.y[:, -1]
        if t < 0.4:
            x, impacts = [0.1 - 1e-12, -0.5 * x[1], x[2]], impacts + 1
    assert impacts == 2
    for step, allowed in ((1e-3, 3e-5), (2.5e-4, 6e-6)):
        assert abs(plant.simulate(t_end=0.4, step=step).q[-1, 0] - x[0]) < allowed
    # at rest both carry the pull
    result = rail(elastic=0.7).simulate(t_end=1.5, step=1e-3, sample=0.1)
    assert result["rub.effort"][-1] < -2.0 and np.abs(result.qd[-1]).max() < 1e-12
    carried = result["stop_high.effort"][-1] + result["rub.effort"][-1]
    assert carried == pytest.approx(-5.0, rel=1e-4)


def test_a_flexible_beam_rests_on_a_prop() -> None:
    """Clamped at one end, propped at the other: 3/8 of its weight is on the prop."""
    m = il.Model("beam")
    beam = m.flexible_link(
        "beam", on=m.ground, length=1.0, mass_per_length=2.0, EI=5e3, damping=(0.0, 1e-3)
    )
    m.contact(m.ground, il.plane(), beam.tip, il.point(), law=il.hard(), name="prop")
    result = m.compile().simulate(t_end=0.6, step=1e-3)
    assert result["prop.normal"][-1] == pytest.approx(3 / 8 * 2.0 * G, rel=1e-6)
    assert result["prop.gap"][-1] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(("step", "notes"), [(1e-3, 1), (1e-4, 0)])
def test_a_propped_beam_damped_per_mass_says_that_steps_are_too_long(
    step: float, notes: int
) -> None:
    """This damping is explicit: the prop carries less than its part by up to alpha h / 2."""
    m = il.Model("beam")
    alpha = m.parameter("alpha", 100.0)
    beam = m.flexible_link(
        "beam", on=m.ground, length=1.0, mass_per_length=2.0, EI=50.0, damping=(alpha, 1e-3),
        elements=2,
    )  # fmt: skip
    m.contact(m.ground, il.plane(), beam.tip, il.point(), law=il.hard(), name="prop")
    result = m.compile().simulate(t_end=0.5, step=step)
    assert [note[:39] for note in result.notes] == [
        "damping per mass of flexible link 'beam"
    ] * notes
    missing = 1.0 - result["prop.normal"][-1] / (3 / 8 * 2.0 * G)
    assert 25.0 * step < missing < 50.0 * step
