"""Friction pressed by multipliers, drives and other laws, against equations written by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import inloop as il
from inloop.plant.formulation import partition_code

R, L = 0.11, 0.29  # crank and rod [m]
CRANK, ROD, ROD_INERTIA, SLIDER = 0.013, 0.8, 0.0061, 1.4  # [kg m², kg, kg m², kg]
MU, V0 = 0.35, 0.02
START = (0.4, 11.0)
FROM = {"q": {"crank": START[0]}, "qd": {"crank": START[1]}}


def slider_crank(normal: Any, lag: float = 1e-3, spring: float = 0.0) -> il.Model:
    """In the x-z plane without weight, so that the guide carries what the pin does across."""
    m = il.Model("slider_crank", gravity=(0.0, 0.0, 0.0))
    crank = m.body("crank", on=m.ground, joint=il.revolute("-y"),
                   inertia=(0.01, CRANK, 0.01), mass=0.5)  # fmt: skip
    rod = m.body("rod", on=crank.point("pin", (R, 0.0, 0.0)), joint=il.revolute("-y"), mass=ROD,
                 com=(L / 2, 0.0, 0.0), inertia=(0.001, ROD_INERTIA, 0.006))  # fmt: skip
    slider = m.body("slider", on=m.ground, joint=il.prismatic("x"), mass=SLIDER)
    m.close(rod.point("end", (L, 0.0, 0.0)), slider, name="pin")
    m.independent(crank)
    m.coulomb(slider, coulomb=MU, velocity=V0, normal=normal, reaction_time=lag,
              reaction_start=guide_force(*START), name="guide")  # fmt: skip
    if spring:
        m.torsion_spring(slider, spring, rest=0.3)
    return m


def pressed_by_pin(force: Any) -> Any:
    return il.absolute(force["pin.z"])


def motion(phi: float, phid: float, friction: bool = True) -> np.ndarray:
    """Accelerations of crank, rod (x, z, angle) and slider, and forces in both pins.

    Newton's and Euler's equations of the three bodies. Friction is -mu |N| tanh(v/v0), so the
    equations are linear for either sign of N, the force across the guide.
    """
    psi = math.asin(-R * math.sin(phi) / L)
    s, c, sp, cp = math.sin(phi), math.cos(phi), math.sin(psi), math.cos(psi)
    psid = -R * c * phid / (L * cp)
    v = -R * s * phid - L * sp * psid
    drag = MU * math.tanh(v / V0) if friction else 0.0
    h = L / 2
    for sign in (1.0, -1.0):
        A, b = np.zeros((9, 9)), np.zeros(9)
        # unknowns: phidd, xdd, zdd, psidd of the rod, xdd of the slider, ax, az, bx, bz
        A[0, [0, 5, 6]] = CRANK, -R * s, R * c
        A[1, [1, 5, 7]] = ROD, -1.0, -1.0
        A[2, [2, 6, 8]] = ROD, -1.0, -1.0
        A[3, [3, 5, 6, 7, 8]] = ROD_INERTIA, -h * sp, h * cp, h * sp, -h * cp
        A[4, [4, 7, 8]] = SLIDER, 1.0, sign * drag
        A[5, [1, 0, 3]], b[5] = (1.0, R * s, h * sp), -R * c * phid**2 - h * cp * psid**2
        A[6, [2, 0, 3]], b[6] = (1.0, -R * c, -h * cp), -R * s * phid**2 - h * sp * psid**2
        A[7, [4, 0, 3]], b[7] = (1.0, R * s, L * sp), -R * c * phid**2 - L * cp * psid**2
        A[8, [0, 3]], b[8] = (R * c, L * cp), R * s * phid**2 + L * sp * psid**2
        x = np.linalg.solve(A, b)
        if sign * x[8] >= 0.0:
            return x
    raise AssertionError("no sign of the guide's force fits")


def guide_force(phi: float, phid: float) -> float:
    return abs(float(motion(phi, phid)[8]))


T_END = 0.5


@pytest.fixture(scope="module")
def exact() -> np.ndarray:
    """Crank and its rate at the end, with friction that follows the force at once."""
    return by_scipy(True)


def by_scipy(friction: bool) -> np.ndarray:
    found = solve_ivp(lambda t, x: [x[1], motion(*x, friction)[0]], (0.0, T_END), START,
                      rtol=1e-10, atol=1e-12)  # fmt: skip
    return np.asarray(found.y[:, -1])


def test_a_guide_pressed_by_a_multiplier(exact: np.ndarray) -> None:
    """The filter is late by its time constant: what that does falls with it, to nothing."""
    ends = []
    for lag in (2e-3, 1e-3, 5e-4):
        plant = slider_crank(pressed_by_pin, lag).compile()
        run = plant.simulate(t_end=T_END, step=1e-4, **FROM)
        ends.append(np.array([run["crank.q"][-1], run["crank.qd"][-1]]))
    errors = [np.abs(end - exact)[0] for end in ends]
    without = abs(by_scipy(False)[0] - exact[0])
    assert without > 0.1 and errors[0] < 0.03 * without
    assert errors[1] == pytest.approx(errors[0] / 2.0, rel=0.15)
    assert errors[2] == pytest.approx(errors[1] / 2.0, rel=0.15)
    limit = 2.0 * ends[2] - ends[1]
    assert abs(limit - exact)[0] < 0.1 * errors[2]


@pytest.mark.thinned(2)
@pytest.mark.parametrize("method", ["rk4", "implicit"])
def test_the_joints_own_reaction_and_the_pins_are_one(method: str) -> None:
    """What the pin carries across is what the guide transmits."""
    step = {"t_end": 0.2, "step": 2e-4, "method": method, **FROM}
    a, b = (slider_crank(normal).compile().simulate(**step)
            for normal in ("reaction", pressed_by_pin))  # fmt: skip
    assert a["crank.q"] == pytest.approx(b["crank.q"], abs=1e-9)
    assert a["guide.normal"] == pytest.approx(b["guide.normal"], rel=1e-6)
    assert np.ptp(b["guide.normal"]) > 1.0


def test_large_mechanisms(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops that the runtime solves hand their multipliers to the rates as well."""
    small = slider_crank(pressed_by_pin).compile().simulate(t_end=0.1, step=1e-3, **FROM)
    monkeypatch.setattr(partition_code, "UNROLLED_UP_TO", 0)
    large = slider_crank(pressed_by_pin).compile().simulate(t_end=0.1, step=1e-3, **FROM)
    assert large["guide.normal"] == pytest.approx(small["guide.normal"], rel=1e-9)


def test_at_rest_the_normal_force_is_exact() -> None:
    """A rod without load along it carries along its axis: N = F tan(psi)."""
    stiffness, torque = 900.0, -2.0
    plant = slider_crank(pressed_by_pin, spring=stiffness).compile()
    found = plant.equilibrium(q={"crank": 0.9}, tau={"crank": torque})
    push = stiffness * (found["slider"] - 0.3)
    psi = math.asin(-R * math.sin(found["crank"]) / L)
    # virtual work of torque and spring
    dx = -R * math.sin(found["crank"]) + R * math.cos(found["crank"]) * math.tan(psi)
    assert torque == pytest.approx(push * dx, rel=1e-9)
    assert found["guide.N"] == pytest.approx(abs(push * math.tan(psi)), rel=1e-9)
    assert found["guide.N"] > 1.0


def test_a_block_pressed_by_a_spring() -> None:
    """m v' = -mu N(t) with the spring's force, at once: v falls by mu/m times its integral."""
    k, free, mass = 350.0, 0.6, 2.0
    m = il.Model("block", gravity=(0.0, 0.0, 0.0))
    m.body("block", on=m.ground, joint=il.prismatic("x", initial=(0.0, 9.0)), mass=mass)
    pad = m.body("pad", on=m.ground, joint=il.prismatic("z"), mass=0.3)
    m.drive(pad, lambda t: 0.3 + 0.1 * il.sin(4.0 * t))
    m.spring(pad, m.ground, k, free_length=free, name="press")
    m.coulomb("block", coulomb=MU, velocity=0.01, normal=lambda out: -out["press.force"], name="f")
    run = m.compile().simulate(t_end=0.4, step=1e-3)
    pressed = k * (free - 0.3 - 0.1 * np.sin(4.0 * run.t))
    impulse = k * ((free - 0.3) * run.t - 0.1 * (1.0 - np.cos(4.0 * run.t)) / 4.0)
    assert run["f.normal"] == pytest.approx(pressed, rel=1e-12)
    assert run["block.qd"] == pytest.approx(9.0 - MU * impulse / mass, abs=1e-9)
    assert not m.build().states


def test_a_spring_that_pulls_does_not_press() -> None:
    m = il.Model("loose", gravity=(0.0, 0.0, 0.0))
    m.body("block", on=m.ground, joint=il.prismatic("x", initial=(0.0, 2.0)), mass=1.0)
    pad = m.body("pad", on=m.ground, joint=il.prismatic("z"), mass=0.3)
    m.drive(pad, lambda t: 0.8 + 0.0 * t)
    m.spring(pad, m.ground, 350.0, free_length=0.6, name="press")
    m.lugre("block", stiffness=1e3, damping=3.0, coulomb=0.3,
            normal=lambda out: -out["press.force"], name="f")  # fmt: skip
    run = m.compile().simulate(t_end=0.1, step=1e-3)
    assert run["block.qd"] == pytest.approx(2.0, abs=1e-12) and not run["f.normal"].any()


def test_pressed_by_the_effort_of_a_drive() -> None:
    """A drive holds a weight; what it presses comes after it as 1 - exp(-t/lag)."""
    weight, lag = 1.7 * 9.81, 0.02
    m = il.Model("brake", gravity=(0.0, 0.0, -9.81))
    lift = m.body("lift", on=m.ground, joint=il.prismatic("z"), mass=1.7)
    m.drive(lift, lambda t: 0.2 + 0.0 * t)
    m.body("block", on=m.ground, joint=il.prismatic("x", initial=(0.0, 3.0)), mass=2.0)
    m.coulomb("block", coulomb=MU, velocity=0.01, normal=lambda effort: effort["lift"],
              reaction_time=lag, name="f")  # fmt: skip
    run = m.compile().simulate(t_end=0.1, step=1e-4)
    decay = np.exp(-run.t / lag)
    assert run["f.normal"] == pytest.approx(weight * (1.0 - decay), abs=1e-9)
    impulse = weight * (run.t - lag * (1.0 - decay))
    assert run["block.qd"] == pytest.approx(3.0 - MU * impulse / 2.0, abs=1e-9)


def test_pressed_by_a_lock_in_one_mode() -> None:
    """While a latch holds the weight, it presses; afterwards the law is not there."""
    m = il.Model("latch", gravity=(0.0, 0.0, -9.81))
    m.body("lift", on=m.ground, joint=il.prismatic("z"), mass=1.7)
    m.body("block", on=m.ground, joint=il.prismatic("x", initial=(0.0, 3.0)), mass=2.0)
    held, free = m.mode("held"), m.mode("free")
    with m.during(held):
        m.lock("lift", name="latch")
        m.coulomb("block", coulomb=MU, velocity=0.01, normal=lambda force: force["latch"],
                  reaction_time=1e-3, reaction_start=1.7 * 9.81, name="f")  # fmt: skip
    m.event("open", lambda t: 0.05 - t, mode=held, to=free)
    run = m.compile().simulate(t_end=0.1, step=1e-4)
    slowed = MU * 1.7 * 9.81 / 2.0 * np.minimum(run.t, 0.05)
    assert run["block.qd"] == pytest.approx(3.0 - slowed, abs=1e-9)


def friction(m: il.Model, normal: Any) -> None:
    m.coulomb("slider", coulomb=0.1, velocity=0.1, normal=normal, name="f")


def test_mistakes() -> None:
    m = slider_crank(3.0)
    friction(m, lambda out: out["nothing.force"])
    m.coulomb("slider", coulomb=0.1, velocity=0.1, normal=lambda force: force["pen.x"], name="g")
    m.coulomb("slider", coulomb=0.1, velocity=0.1, normal=lambda effort: effort["rod"], name="h")
    m.joint_force("rod", lambda force: force["pin.x"], name="at_once")
    m.joint_force("rod", lambda out: (0.0, {"y": out["b.y"]}), "a", outputs={"y": "N"})
    m.joint_force("rod", lambda out: (0.0, {"y": out["a.y"]}), "b", outputs={"y": "N"})
    with pytest.raises(il.ModelError) as error:
        m.build()
    text = str(error.value)
    assert "joint_force 'f': there is no output of a law 'nothing.force'" in text
    assert "joint_force 'g': there is no constraint 'pen.x'" in text
    assert "joint_force 'h': there is no driven joint 'rod'" in text
    assert "'at_once': only the rates of its states may use force['pin.x']" in text
    assert "depends on itself through other laws" in text


def test_forces_that_are_not_there() -> None:
    m = slider_crank(lambda force: force["pin"])
    with pytest.raises(il.InputError, match=r"'pin', which has several rows.*pin\.x"):
        m.compile()
    m = slider_crank(lambda force: force["pin.w"])
    with pytest.raises(il.InputError, match=r"'guide' uses force\['pin.w'\].*pin\.x"):
        m.compile()
    # the mechanism is planar: nothing tells what the pin carries out of the plane
    m = slider_crank(lambda force: force["pin.y"])
    with pytest.raises(il.InputError, match=r"'pin.y', which is redundant"):
        m.compile()
