"""Linear equations and modes against closed forms and numerical differentiation by hand."""

from __future__ import annotations

import mechanisms as mech
import numpy as np
import pytest
from scipy.linalg import eigh

import inloop as il
from inloop.analysis import eigenmodes, equilibrium, linearize


def test_double_pendulum_in_closed_form() -> None:
    m1, m2, l1, l2 = 1.3, 0.8, 0.7, 0.45
    m = il.Model("twofold")
    upper = m.body("upper", on=m.ground, joint=il.revolute("y", initial=(0.2, 0.0)), mass=m1,
                   com=(0.0, 0.0, -l1))  # fmt: skip
    m.body("lower", on=upper.point("e", (0.0, 0.0, -l1)), joint=il.revolute("y"), mass=m2,
           com=(0.0, 0.0, -l2))  # fmt: skip
    found = eigenmodes(m.compile())
    # absolute angles: M = [[(m1+m2) l1², m2 l1 l2], [., m2 l2²]], K = g diag((m1+m2) l1, m2 l2)
    M = np.array([[(m1 + m2) * l1**2, m2 * l1 * l2], [m2 * l1 * l2, m2 * l2**2]])
    K = mech.G * np.diag([(m1 + m2) * l1, m2 * l2])
    squares, vectors = eigh(K, M)
    np.testing.assert_allclose(found.frequencies, np.sqrt(squares) / (2 * np.pi), rtol=1e-10)
    np.testing.assert_array_equal(found.damping, 0.0)
    relative = np.array([vectors[0], vectors[1] - vectors[0]])
    relative /= relative[np.argmax(np.abs(relative), axis=0), [0, 1]]
    np.testing.assert_allclose(found.shapes, relative, atol=1e-9)
    assert "modes of 'twofold'" in str(found) and "upper 1.000" in str(found)


def test_spring_mass_chain_in_closed_form() -> None:
    n, mass, k = 6, 0.37, 53.0
    m = il.Model("chain", gravity=(0.0, 0.0, 0.0))
    before = m.ground.point("p", (0.0, 0.0, 0.0))
    for i in range(n):
        body = m.body(f"b{i}", on=before, joint=il.prismatic("x"), mass=mass)
        m.joint_force(f"b{i}", lambda q: -k * q)
        before = body
    found = eigenmodes(m.compile())
    j = np.arange(1, n + 1)
    exact = 2 * np.sqrt(k / mass) * np.sin((2 * j - 1) * np.pi / (2 * (2 * n + 1)))
    np.testing.assert_allclose(found.frequencies * 2 * np.pi, exact, rtol=1e-10)


def test_damped_oscillator() -> None:
    mass, k, d = 1.9, 77.0, 3.1
    m = il.Model("cart")
    m.body("cart", on=m.ground, joint=il.prismatic("x"), mass=mass)
    m.body("puck", on=m.ground, joint=il.prismatic("y"), mass=0.6)
    m.joint_force("cart", lambda q, qd: -k * q - d * qd)
    plant = m.compile()
    found = eigenmodes(plant)
    # the puck meets no stiffness
    np.testing.assert_allclose(
        found.frequencies, [0.0, np.sqrt(k / mass) / (2 * np.pi)], rtol=1e-12
    )
    np.testing.assert_allclose(found.damping, [0.0, d / (2 * np.sqrt(k * mass))], rtol=1e-11)
    assert len(eigenmodes(plant, fixed=["puck"])) == 1
    over = il.Model("slow")
    over.body("cart", on=over.ground, joint=il.prismatic("x"), mass=mass)
    over.joint_force("cart", lambda q, qd: -k * q - 90.0 * qd)
    found = eigenmodes(over.compile())
    exact = np.sort(np.abs(np.roots([mass, 90.0, k])))
    np.testing.assert_allclose(np.abs(found.eigenvalues), exact, rtol=1e-10)
    np.testing.assert_allclose(found.damping, 1.0)


def test_held_coordinate_changes_the_inertia() -> None:
    m = il.Model("twofold")
    upper = m.body("upper", on=m.ground, joint=il.revolute("y"), mass=1.3, com=(0.0, 0.0, -0.3))
    m.body("lower", on=upper.point("e", (0.0, 0.0, -0.7)), joint=il.revolute("y"), mass=0.8,
           com=(0.0, 0.0, -0.45))  # fmt: skip
    found = eigenmodes(m.compile(), fixed=["upper"])
    np.testing.assert_allclose(found.frequencies, np.sqrt(mech.G / 0.45) / (2 * np.pi), rtol=1e-11)


def test_pendulum_linearization() -> None:
    m, l, I, d = 1.7, 0.43, 0.041, 0.3
    plant = mech.pendulum(d).compile()
    found = linearize(plant, {"rod": 0.4}, {"rod": -1.2}, inputs=["rod.effort"],
                      outputs=["rod.q", "rod.tip.x", "rod.tip.vz", "rod.qdd"])  # fmt: skip
    J = I + m * l**2
    slope = -m * mech.G * l * np.cos(0.4) / J
    np.testing.assert_allclose(found.A, [[0, 1], [slope, -d / J]], rtol=1e-13)
    np.testing.assert_allclose(found.B, [[0], [1 / J]], rtol=1e-13)
    # tip at 0.9 (-sin q, -cos q), turning with qd
    C = [[1, 0], [-0.9 * np.cos(0.4), 0], [0.9 * np.cos(0.4) * -1.2, 0.9 * np.sin(0.4)],
         [slope, -d / J]]  # fmt: skip
    np.testing.assert_allclose(found.C, C, atol=1e-11)
    np.testing.assert_allclose(found.D, [[0], [0], [0], [1 / J]], atol=1e-11)
    assert found.states == ("rod.q", "rod.qd") and found.error < 1e-9
    f = np.array([0.3, 2.0])
    s = 2j * np.pi * f
    exact = (1 / J) / (s**2 + d / J * s - slope)
    np.testing.assert_allclose(found.response(f)[:, 0, 0], exact, rtol=1e-10)


def four_bar_acceleration(x: np.ndarray, effort: float, branch: float) -> float:
    """Minimal coordinate by hand: I q'' + ½ I' q'² + V' = effort."""
    h = 1e-3

    def slope(f) -> float:
        v = [f(x[0] + s * h) for s in (-2, -1, 1, 2)]
        return (8 * (v[2] - v[1]) - (v[3] - v[0])) / (12 * h)

    I = mech.inertia(x[0], branch)
    dI = slope(lambda a: mech.inertia(a, branch))
    dV = slope(lambda a: mech.potential(a, branch))
    return (effort - 0.5 * dI * x[1] ** 2 - dV) / I


def test_closed_four_bar_against_a_minimal_coordinate() -> None:
    plant = mech.four_bar().compile()
    x, effort = np.array([-0.5, 1.3]), 0.8
    found = linearize(plant, {"crank": x[0]}, {"crank": x[1]}, tau={"crank": effort},
                      inputs=["crank.effort"], outputs=["rocker.q", "coupler.end.vz"])  # fmt: skip
    branch = mech.branch_of(plant, found.q)

    def slope(f, h=2e-3) -> float:
        v = [f(s * h) for s in (-2, -1, 1, 2)]
        return (8 * (v[2] - v[1]) - (v[3] - v[0])) / (12 * h)

    def a(dx, dv, du) -> float:
        return four_bar_acceleration(x + np.array([dx, dv]), effort + du, branch)

    row = [slope(lambda s: a(s, 0, 0)), slope(lambda s: a(0, s, 0))]
    np.testing.assert_allclose(found.A, [[0, 1], row], rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(found.B[:, 0], [0, slope(lambda s: a(0, 0, s))], rtol=1e-7)
    np.testing.assert_allclose(found.rates, [x[1], a(0, 0, 0)], rtol=1e-7)
    rocker = slope(lambda s: mech.tilt(x[0] + s, branch, 2))
    assert found.C[0, 0] == pytest.approx(rocker, rel=1e-8)
    end = slope(lambda s: mech.pins(x[0] + s, branch)[1][1])
    assert found.C[1, 1] == pytest.approx(end, rel=1e-8)
    assert 0.0 < found.error < 1e-8


def test_modes_agree_with_linearization() -> None:
    """Reduced forces and constrained accelerations are two ways to the same eigenvalues."""
    plant = mech.four_bar(damping=mech.DAMPING).compile()
    rest = equilibrium(plant)
    found = eigenmodes(plant, rest.q)
    linear = linearize(plant, rest.q)
    upper = [z for z in linear.eigenvalues if z.imag > 0]
    np.testing.assert_allclose(found.eigenvalues, upper, rtol=1e-8)
    assert 0.001 < found.damping[0] < 1.0
    # shapes of dependent coordinates close the loop
    J = plant.evaluate("constraints", q=rest.q, qd=np.zeros(3))["J"]
    np.testing.assert_allclose(J @ found.shapes, 0.0, atol=1e-12)


def test_base_excitation_through_a_driven_joint() -> None:
    m = il.Model("shaken", gravity=(0.0, 0.0, 0.0))
    base = m.body("base", on=m.ground, joint=il.prismatic("x"), mass=0.4)
    m.body("cart", on=base, joint=il.prismatic("x"), mass=1.9)
    m.joint_force("cart", lambda q, qd: -77.0 * q - 3.1 * qd)
    # a twin that a constraint ties to the cart
    m.body("twin", on=base, joint=il.prismatic("x"), mass=0.5)
    m.constraint("tie", lambda q: q["twin"] - q["cart"])
    m.independent("cart")
    m.drive("base")
    found = linearize(m.compile(), inputs=["base.qdd"], outputs=["cart.q", "base.effort"])
    np.testing.assert_allclose(found.A, [[0, 1], [-77.0 / 2.4, -3.1 / 2.4]], atol=1e-10)
    np.testing.assert_allclose(found.B, [[0], [-1]], atol=1e-11)
    np.testing.assert_allclose(found.D, [[0], [0.4]], atol=1e-10)


def test_unknown_signals() -> None:
    plant = mech.pendulum().compile()
    with pytest.raises(il.InputError, match=r"'rod\.q' is not an input"):
        linearize(plant, inputs=["rod.q"])
    with pytest.raises(il.InputError, match=r"no signal 'rod\.w'"):
        linearize(plant, outputs=["rod.w"])


def test_a_position_that_is_no_equilibrium_is_told() -> None:
    m = il.Model("twofold")
    upper = m.body("upper", on=m.ground, joint=il.revolute("y"), mass=1.3, com=(0.0, 0.0, -0.3),
                   inertia=(0.02, 0.02, 0.01))  # fmt: skip
    m.body("lower", on=upper.point("e", (0.0, 0.0, -0.7)), joint=il.revolute("y"), mass=0.8,
           com=(0.0, 0.0, -0.45))  # fmt: skip
    plant = m.compile()
    q = {"upper": 0.4, "lower": -0.4}
    exact = plant.direct_dynamics(plant.vector(**q), np.zeros(2), np.zeros(2))
    worst = int(np.argmax(np.abs(exact)))
    said = f"'{plant.coordinates[worst]}' accelerates with {abs(exact[worst]):.4g} rad/s²"
    with pytest.warns(UserWarning, match="not an equilibrium") as caught:
        found = eigenmodes(plant, q)
    assert said in str(caught[0].message)
    assert said in found.notes[0] and "plant.equilibrium" in str(found)
    assert said in linearize(plant, q).notes[0]
    # the hand's rounding is none, nor a state that moves, nor efforts that hold it
    assert not eigenmodes(plant, {"upper": 1e-4}).notes
    assert not linearize(plant, {"upper": 0.4}, {"upper": 1.0}).notes
    hold = plant.inverse_dynamics(plant.vector(**q), np.zeros(2), np.zeros(2))
    assert not eigenmodes(plant, q, tau=hold).notes
    assert not linearize(plant, q, tau=hold).notes


def test_a_mass_that_falls_is_no_equilibrium() -> None:
    m = il.Model("drop")
    m.body("stone", on=m.ground, joint=il.prismatic("z"), mass=0.3)
    m.body("cart", on=m.ground, joint=il.prismatic("x"), mass=0.7)
    plant = m.compile()
    with pytest.warns(UserWarning, match=r"'stone' accelerates with 9.81 m/s²"):
        eigenmodes(plant, {"stone": 0.1})
    assert not eigenmodes(plant, {"stone": 0.1}, fixed=["stone"]).notes
    assert not eigenmodes(plant, {"stone": 0.1}, tau={"stone": 0.3 * 9.81}).notes
