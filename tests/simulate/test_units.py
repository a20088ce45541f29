"""No unit hides in a run: lengths, masses and times of any size give the same motion, scaled."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

import inloop as il

ADAPTIVE = [{"method": "dopri", "tolerance": 1e-8}, {"method": "rodas", "tolerance": 1e-8}]


@dataclass(frozen=True)
class Units:
    """What stands for 1 m, 1 kg and 1 s."""

    m: float = 1.0
    kg: float = 1.0
    s: float = 1.0

    @property
    def newton(self) -> float:
        return self.kg * self.m / self.s**2


SI = Units()
OTHERS = {
    "nanometers": Units(m=1e-9),
    "megameters": Units(m=1e6),
    "micrograms": Units(kg=1e-9),
    "kilotons": Units(kg=1e6),
    "microseconds": Units(s=1e-6),
    "weeks": Units(s=1e6),
    "resonator": Units(m=1e-6, kg=1e-9, s=1e-6),
    "moons": Units(m=1e6, kg=1e6, s=1e6),
}
every_unit = pytest.mark.parametrize("unit", list(OTHERS.values()), ids=list(OTHERS))


@functools.cache
def compiled(model: Callable[[Units], il.Model], u: Units) -> il.Plant:
    """A plant in some units, the same for all tests: runs leave nothing behind in it."""
    return model(u).compile()


def bouncing_ball(u: Units) -> il.Model:
    m = il.Model("ball", gravity=(0.0, 0.0, -9.81 * u.m / u.s**2))
    flight, rest = m.mode("flight"), m.mode("rest")
    m.body("ball", on=m.ground, joint=il.prismatic("z", initial=(1.0 * u.m, 0)), mass=0.2 * u.kg)
    with m.during(rest):
        m.lock("ball", name="floor")
    m.event("hit", lambda q: q["ball"], mode=flight, impact=rest, restitution=0.5, settles_in=rest)
    m.event("lift_off", lambda force: force["floor"], mode=rest, to=flight)
    return m


@pytest.mark.thinned(12)
@every_unit
@pytest.mark.parametrize("how", [{"method": "rk4"}, *ADAPTIVE], ids=["rk4", "dopri", "rodas"])
def test_a_ball_bounces_and_comes_to_rest(unit: Units, how: dict) -> None:
    """Closed form: flights of e^k (2 first), all over after first (1 + e)/(1 - e)."""
    found = compiled(bouncing_ball, unit).simulate(t_end=2.0 * unit.s, step=1e-3 * unit.s, **how)
    first = np.sqrt(2.0 / 9.81)
    exact = first * (2.0 * np.cumsum(0.5 ** np.arange(10)) - 1.0)
    times = np.array([event.t for event in found.events]) / unit.s
    np.testing.assert_allclose(times[:10], exact, rtol=0, atol=1e-9)
    assert found.events[-1].settled
    assert times[-1] == pytest.approx(3.0 * first, abs=1e-4)
    assert abs(found.q[-1, 0]) < 1e-8 * unit.m


def stick_slip(u: Units) -> il.Model:
    """A block that a spring pulls with constant speed; it sticks, slips, and sticks again."""
    m = il.Model("block", gravity=(0.0, 0.0, 0.0))
    m.body(
        "block", on=m.ground, joint=il.prismatic("x", initial=(0.05 * u.m, 0.0)), mass=1.0 * u.kg
    )
    pull = m.input("pull")
    m.joint_force("block", lambda q: 200.0 * u.newton / u.m * (0.05 * u.m + pull - q))
    m.lugre("block", stiffness=1e5 * u.newton / u.m, damping=600.0 * u.newton * u.s / u.m,
            coulomb=1.0 * u.newton, static=1.5 * u.newton, stribeck=5e-3 * u.m / u.s,
            name="f")  # fmt: skip
    return m


def pulled(u: Units, **how: object) -> il.Result:
    plant = compiled(stick_slip, u)
    speed = 0.02 * u.m / u.s
    return plant.simulate(
        t_end=1.0 * u.s, step=1e-3 * u.s, inputs={"pull": lambda t: speed * t}, **how
    )


@pytest.mark.thinned(12)
@every_unit
@pytest.mark.parametrize(
    "how",
    [{"method": "implicit"}, {"method": "rodas"}, ADAPTIVE[1]],
    ids=["implicit", "rodas", "own"],
)
def test_a_block_sticks_and_slips(unit: Units, how: dict) -> None:
    expected, found = pulled(SI, **how), pulled(unit, **how)
    assert np.ptp(expected.q) > 5e-3
    np.testing.assert_allclose(found.q / unit.m, expected.q, rtol=0, atol=1e-6)
    np.testing.assert_allclose(found.t / unit.s, expected.t, rtol=1e-9)


def spring_pendulum(u: Units) -> il.Model:
    m = il.Model("spring_pendulum", gravity=(0.0, -9.81 * u.m / u.s**2, 0.0))
    inertia = 4e-3 * u.kg * u.m**2
    arm = m.body("arm", on=m.ground, joint=il.revolute("z", initial=(0.4, 0.0)), mass=0.3 * u.kg,
                 com=(0.2 * u.m, 0, 0), inertia=(0, inertia, inertia))  # fmt: skip
    m.body("bob", on=arm, joint=il.prismatic("x", initial=(0.5 * u.m, 0.0)), mass=0.7 * u.kg)
    k, d = 120.0 * u.newton / u.m, 0.3 * u.newton * u.s / u.m
    m.joint_force("bob", lambda q, qd: -k * (q - 0.45 * u.m) - d * qd)
    return m


@pytest.mark.thinned(12)
@every_unit
@pytest.mark.parametrize(
    "how", [{}, {"method": "implicit"}, *ADAPTIVE], ids=["default", "implicit", "dopri", "rodas"]
)
def test_a_pendulum_on_a_spring_swings(unit: Units, how: dict) -> None:
    runs = []
    for u in (SI, unit):
        plant = compiled(spring_pendulum, u)
        runs.append(plant.simulate(t_end=2.0 * u.s, step=1e-3 * u.s, **how))
    expected, found = runs
    assert np.ptp(expected.q, axis=0).min() > 0.1
    assert len(found.notes) == len(expected.notes)
    np.testing.assert_allclose(found.q / [1.0, unit.m], expected.q, rtol=0, atol=1e-6)


@pytest.mark.thinned(3)
@every_unit
def test_steps_are_as_many_in_all_units(unit: Units) -> None:
    """Closed form: x = x0 cos(w t); the error is that of the tolerance, in all units."""
    m = il.Model("oscillator", gravity=(0.0, 0.0, 0.0))
    m.body("mass", on=m.ground, joint=il.prismatic("x", initial=(0.3 * unit.m, 0.0)),
           mass=2.0 * unit.kg)  # fmt: skip
    m.joint_force("mass", lambda q: -50.0 * unit.newton / unit.m * q)
    plant = m.compile()
    for how in ADAPTIVE:
        found = plant.simulate(t_end=3.0 * unit.s, step=0.01 * unit.s, **how)
        exact = 0.3 * np.cos(5.0 * found.t / unit.s)
        np.testing.assert_allclose(found.q[:, 0] / unit.m, exact, rtol=0, atol=2e-6)


def marble(u: Units) -> il.Model:
    """A marble that drops into a bowl and rubs along it."""
    m = il.Model("marble", gravity=(0.0, 0.0, -9.81 * u.m / u.s**2))
    joints = [("x", 0.03), ("y", 0.01), ("z", -0.055)]
    on = m.ground
    for axis, at in joints[:2]:
        on = m.body(f"to_{axis}", on=on, joint=il.prismatic(axis, initial=(at * u.m, 0.0)))
    m.body("ball", on=on, joint=il.prismatic("z", initial=(joints[2][1] * u.m, 0.0)),
           mass=0.05 * u.kg)  # fmt: skip
    law = il.hunt_crossley(2e4 * u.newton / u.m, 1.0, 2.0 * u.s / u.m)
    rub = il.lugre_contact(0.2, stiffness=2e3 / u.m, damping=1.0 * u.s / u.m,
                           stribeck=1e-2 * u.m / u.s)  # fmt: skip
    m.contact(m.ground, il.sphere(0.1 * u.m, hollow=True), "ball", il.sphere(0.02 * u.m),
              law=law, friction=rub, name="bowl")  # fmt: skip
    return m


@pytest.mark.thinned(8)
@every_unit
def test_a_marble_rubs_in_a_bowl(unit: Units, monkeypatch: pytest.MonkeyPatch) -> None:
    if unit == OTHERS["megameters"]:  # with other rounding the control of the error gives up
        monkeypatch.delenv("INLOOP_CFLAGS", raising=False)
    runs = []
    for u in (SI, unit):
        how = {"method": "rodas", "tolerance": 1e-7}
        runs.append(compiled(marble, u).simulate(t_end=0.3 * u.s, step=1e-3 * u.s, **how))
    expected, found = runs
    assert np.ptp(expected.q, axis=0).min() > 5e-3
    np.testing.assert_allclose(found.q / unit.m, expected.q, rtol=0, atol=2e-5)
    friction = expected["bowl.friction"]
    assert friction.max() > 0.01
    np.testing.assert_allclose(
        found["bowl.friction"] / unit.newton, friction, atol=2e-2 * friction.max()
    )


@pytest.mark.thinned(3)
@every_unit
def test_rest_and_small_motions(unit: Units) -> None:
    """Closed form at rest: k (x - x0) = -m g sin; and frequencies scale with time."""
    expected, found = (compiled(spring_pendulum, u) for u in (SI, unit))
    rests = [plant.equilibrium(q={"arm": -1.2}) for plant in (expected, found)]
    np.testing.assert_allclose(rests[0].q, [-np.pi / 2, 0.45 + 0.7 * 9.81 / 120.0], rtol=1e-9)
    np.testing.assert_allclose(rests[1].q / [1.0, unit.m], rests[0].q, rtol=1e-9)
    values = [
        plant.eigenmodes(rest.q).eigenvalues
        for plant, rest in zip((expected, found), rests, strict=True)
    ]
    np.testing.assert_allclose(values[1] * unit.s, values[0], rtol=1e-6)
    held = found.equilibrium(q={"arm": 0.4}, unknowns=["arm.effort", "bob"])
    reach = 0.45 - 0.7 * 9.81 * np.sin(0.4) / 120.0
    effort = 9.81 * np.cos(0.4) * (0.3 * 0.2 + 0.7 * reach)
    assert held.q[1] / unit.m == pytest.approx(reach, rel=1e-9)
    assert held.tau[0] / (unit.newton * unit.m) == pytest.approx(effort, rel=1e-9)
