"""Plants as expressions of CasADi: against Lagrange's equations, other formalisms and our runs."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from bridged_plants import CART, OFFSET, PITCH, POLE, cart_pole, crane, four_bar

import inloop as il
from inloop import gallery

RNG = np.random.default_rng(7)


def lagrange() -> ca.Function:
    """xd of the cart with its pole, from the energies alone."""
    q, qd, force = ca.SX.sym("q", 2), ca.SX.sym("qd", 2), ca.SX.sym("f")
    mass = ca.SX.sym("m")
    center = ca.vertcat(q[0] + OFFSET * ca.sin(q[1]), OFFSET * ca.cos(q[1]))
    v = ca.jtimes(center, q, qd)
    kinetic = 0.5 * (CART * qd[0] ** 2 + mass * ca.dot(v, v) + PITCH * qd[1] ** 2)
    potential = 9.81 * mass * center[1]
    momenta = ca.gradient(kinetic, qd)
    right = ca.vertcat(force, 0) + ca.gradient(kinetic - potential, q) - ca.jtimes(momenta, q, qd)
    qdd = ca.solve(ca.jacobian(momenta, qd), right)
    x = ca.vertcat(q, qd)
    return ca.Function("xd", [x, force, mass], [ca.vertcat(qd, qdd)])


def integrated(system: object, method: str, t_end: float) -> tuple[np.ndarray, np.ndarray]:
    """x and z at the end, by an integrator of SUNDIALS."""
    options = {"abstol": 1e-11, "reltol": 1e-11, "max_num_steps": 100_000}
    run = ca.integrator("run", method, system.dae, 0.0, t_end, options)
    end = run(x0=system.x0, z0=system.z0, u=system.u0, p=system.p0)
    return np.array(end["xf"]).ravel(), np.array(end["zf"]).ravel()


def test_rates_are_those_of_lagrange() -> None:
    system = cart_pole().to_casadi(inputs=["rail.tau"], parameters=["pole.mass"])
    assert system.states == ("rail.q", "hinge.q", "rail.qd", "hinge.qd")
    assert (system.algebraic, system.inputs, system.parameters) == (
        (), ("rail.tau",), ("pole.mass",),
    )  # fmt: skip
    assert system.x0 == pytest.approx([0, 0.2, 0, 0.1]) and system.p0 == pytest.approx([POLE])
    oracle = lagrange()
    for _ in range(5):
        x, u, p = RNG.normal(size=4), RNG.normal(), RNG.uniform(0.2, 0.6)
        expected = np.array(oracle(x, u, p)).ravel()
        assert np.array(system.rates(x, [], u, p, 0)).ravel() == pytest.approx(expected, abs=1e-12)


def test_first_and_second_derivatives_are_those_of_lagrange() -> None:
    system, oracle = (
        cart_pole().to_casadi(inputs=["rail.tau"], parameters=["pole.mass"]),
        lagrange(),
    )
    x, u, p = ca.SX.sym("x", 4), ca.SX.sym("u"), ca.SX.sym("p")
    weight = ca.DM(RNG.normal(size=4))
    variables = ca.vertcat(x, u, p)
    found = []
    for xd in (system.rates(x, [], u, p, 0), oracle(x, u, p)):
        cost = ca.dot(weight, xd)
        hessian, gradient = ca.hessian(cost, variables)
        found.append(ca.Function("f", [variables], [hessian, gradient]))
    at = RNG.normal(size=6) * 0.3 + [0, 0, 0, 0, 0, 0.5]
    for a, b in zip(found[0](at), found[1](at), strict=True):
        assert np.array(a) == pytest.approx(np.array(b), abs=1e-10)
        assert np.abs(np.array(b)).max() > 0.5


def test_compiled_rates_have_first_and_second_derivatives() -> None:
    system = cart_pole().to_casadi(inputs=["rail.tau"], parameters=["pole.mass"])
    compiled, oracle = system.compiled_rates(order=2), lagrange()
    assert compiled.name_in() == ["x", "z", "u", "p", "t"]
    x, weight = ca.MX.sym("x", 4), ca.DM(RNG.normal(size=4))
    found = []
    for xd in (compiled(x, [], 0.7, 0.4, 0), oracle(x, 0.7, 0.4)):
        hessian, gradient = ca.hessian(ca.dot(weight, xd), x)
        found.append(ca.Function("f", [x], [xd, gradient, hessian]))
    at = RNG.normal(size=4)
    for a, b in zip(found[0](at), found[1](at), strict=True):
        assert np.array(a) == pytest.approx(np.array(b), abs=1e-10)
    with pytest.raises(il.InputError, match="order is '3'"):
        system.compiled_rates(order=3)


def test_jacobian_of_a_robot_is_that_of_the_recursion() -> None:
    plant = gallery.get("puma560").build().compile()
    system = plant.to_casadi()
    x, u = RNG.normal(size=12), RNG.normal(size=6)
    J = np.array(system.rates.factory("J", ["x", "z", "u", "p", "t"], ["jac:xd:x", "jac:xd:u"])(
        x, [], u, [], 0)[0])  # fmt: skip
    exact = plant.direct_dynamics_derivatives(x[:6], x[6:], u)
    scale = np.abs(exact["dqdd_dq"]).max()
    assert J[6:, :6] == pytest.approx(exact["dqdd_dq"], abs=1e-9 * scale)
    assert J[6:, 6:] == pytest.approx(exact["dqdd_dqd"], abs=1e-9 * scale)


def test_laws_with_states_tables_inputs_and_time() -> None:
    plant = crane()
    system = plant.to_casadi(inputs=["push"])
    assert len(system.states) == 5
    x, push, t = np.array([0.15, 0.4, 0.02, -0.3, 4e-3]), 0.8, 0.35
    at = {"q": x[:2], "qd": x[2:4], "tau": np.zeros(2), "z": x[4:], "u": [push], "t": t}
    expected = plant.evaluate("direct_dynamics", **at)
    found = np.array(system.rates(x, [], push, [], t)).ravel()
    assert found == pytest.approx([*x[2:4], *expected["qdd"], *expected["zd"]], rel=1e-12)
    # beyond the ends of the table, and over its pieces
    for place in (-1.4, -0.7, 0.1, 0.8, 1.3):
        x[0] = place
        qdd = plant.evaluate("direct_dynamics", **at | {"q": x[:2]})["qdd"]
        assert np.array(system.rates(x, [], push, [], t)).ravel()[2:4] == pytest.approx(qdd)


def test_runs_of_sundials_are_our_runs() -> None:
    plant = cart_pole()
    x, _ = integrated(plant.to_casadi(), "cvodes", 1.0)
    run = plant.simulate(t_end=1.0, step=5e-4, method="rk4")
    assert x == pytest.approx([*run.q[-1], *run.qd[-1]], abs=1e-7)


def test_a_loop_is_an_algebraic_equation() -> None:
    plant = four_bar()
    system = plant.to_casadi()
    assert len(system.states) == 2 and len(system.algebraic) == 2
    assert np.abs(np.array(system.closure(system.x0, system.z0, system.u0, [], 0))).max() < 1e-9
    x, z = integrated(system, "idas", 0.7)
    run = plant.simulate(t_end=0.7, step=5e-4, method="rk4")
    assert x == pytest.approx([run["crank.q"][-1], run["crank.qd"][-1]], abs=1e-6)
    assert z == pytest.approx([run[name][-1] for name in system.algebraic], abs=1e-6)
    assert abs(run["crank.q"][-1] - run["crank.q"][0]) > 0.3


def test_a_driven_loop_has_no_states_and_follows_time() -> None:
    plant = four_bar(driven=True)
    system = plant.to_casadi()
    assert system.states == () and "crank.tau" not in system.inputs
    h = system.closure([], system.z0, system.u0, [], 0.4)
    assert np.abs(np.array(h)).max() > 1e-3
    z = plant.formulation.close(plant.vector(crank=0.9 + 0.3 * np.sin(0.8)), 0.4)
    z = [z[plant.coordinates.index(name.removesuffix(".q"))] for name in system.algebraic]
    assert np.abs(np.array(system.closure([], z, system.u0, [], 0.4))).max() < 1e-9


def test_a_ball_joint_turns_its_quaternion() -> None:
    plant = gallery.get("heavy_top").build().compile()
    system = plant.to_casadi()
    x, _ = integrated(system, "cvodes", 0.2)
    run = plant.simulate(t_end=0.2, step=1e-4, method="rk4")
    assert x[3:6] == pytest.approx(run.qd[-1], rel=1e-6)
    assert x[6:] == pytest.approx(run.q[-1, 3:], abs=1e-7)


def test_where_a_point_is() -> None:
    system = cart_pole().to_casadi()
    x = [0.3, 0.4, 0.0, 0.0]
    expected = [
        0.3 + 0.03 * np.cos(0.4) + 0.9 * np.sin(0.4),
        0,
        0.9 * np.cos(0.4) - 0.03 * np.sin(0.4),
    ]
    found = system.position("pole.tip")(x, [], system.u0, [], 0)
    assert np.array(found).ravel() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"inputs": ["rail.tua"]}, "has no input 'rail.tua'"),
        ({"parameters": ["cart.mass"]}, "has no live parameter 'cart.mass'"),
    ],
)
def test_names_are_checked(arguments: dict, words: str) -> None:
    with pytest.raises(il.InputError, match=words):
        cart_pole().to_casadi(**arguments)


def test_what_is_not_smooth_is_refused() -> None:
    with pytest.raises(il.InputError, match="has modes"):
        gallery.get("bouncing_ball").build().compile().to_casadi()


def test_a_table_of_two_variables_is_refused() -> None:
    m = il.Model("chart")
    m.body("cart", on=m.ground, joint=il.prismatic("x"), mass=1.0)
    grid = np.arange(3.0)
    m.joint_force("cart", lambda q, qd: il.table2(q, qd, grid, grid, np.outer(grid, grid)))
    with pytest.raises(il.InputError, match="table of two variables"):
        m.compile().to_casadi()


def test_a_system_is_told_in_a_line() -> None:
    m = il.Model("slide")
    m.body("mass", on=m.ground, joint=il.prismatic("x", name="rail"), mass=1.3)
    system = m.compile().to_casadi()
    assert repr(system) == "<CasadiSystem 'slide': 2 states, 1 inputs>"
