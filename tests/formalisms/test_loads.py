"""Force laws, links and inputs: each against JᵀF or the gradient of a potential."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from comparing import everything, random_states

import inloop as il
from inloop.formalisms import Derivation
from inloop.symbolic import interpret

N = 4


def arm(
    extend: Callable[[il.Model], object] | None = None, *, name: str = "", at: object = None
) -> il.Model:
    """A branched arm with a slider and a welded tool.

    Args:
        extend: adds what acts on it.
        name: body that gets a frame "whole".
        at: where it sits in the body.
    """
    model = il.Model("loaded", gravity=(0.7, -1.1, -9.3))
    turret = model.body(
        "turret",
        on=model.ground.point("base", (0.1, -0.2, 0.3)),
        joint=il.revolute((0.2, -0.3, 0.9)),
        mass=2.1,
        com=(0.05, 0.11, -0.07),
        inertia=(0.031, 0.042, 0.053, 0.004, -0.003, 0.002),
    )
    shoulder = turret.frame("shoulder", (0.31, 0.12, -0.23), il.rpy(0.4, -0.7, 1.1))
    rail = model.body(
        "rail",
        on=shoulder,
        joint=il.prismatic((0.6, 0.5, -0.4), armature=0.2),
        mass=1.3,
        com=(0.12, -0.06, 0.09),
        inertia=(0.021, 0.017, 0.026),
    )
    wrist = model.body(
        "wrist",
        on=rail.point("end", (-0.14, 0.27, 0.19)),
        joint=il.revolute("-y"),
        mass=0.9,
        com=(0.08, 0.03, -0.16),
        inertia=(0.011, 0.013, 0.009, 0.001, 0.002, -0.001),
    )
    tool = model.body(
        "tool",
        on=wrist.frame("flange", (0.07, -0.05, 0.21), il.rpy(-0.9, 0.5, 0.3)),
        joint=il.fixed(),
        mass=0.4,
        com=(0.02, 0.05, 0.06),
        inertia=(0.002, 0.003, 0.0025),
    )
    branch = model.body(
        "branch",
        on=turret.point("side", (-0.21, 0.17, 0.08)),
        joint=il.revolute("x"),
        mass=0.7,
        com=(0.04, -0.12, 0.05),
        inertia=(0.006, 0.005, 0.007),
    )
    wrist.point("grip", (0.11, 0.23, -0.13))
    tool.point("grip", (0.06, -0.09, 0.17))
    branch.point("tip", (-0.15, 0.22, 0.09))
    model.ground.point("anchor", (0.9, -0.4, 0.6))
    for body in (turret, rail, wrist, branch):
        if body.name == name:
            body.frame("whole", at)
    if extend is not None:
        extend(model)
    return model


def values(model: il.Model, q, qd, x, u=(), t=0.0, sensor="wrist.grip", **options) -> dict:
    derivation = Derivation(model.build(), **options)
    program = everything(derivation, sensor)
    par = [p.default for p in derivation.symbols.parameters]
    return interpret(program, q=q, qd=qd, qdd=x, tau=x, u=u, t=[t], par=par)


@pytest.fixture
def state() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    q, qd, x = (rows[0] for rows in random_states(31, N, 1))
    return q, qd, x


def check_efforts(loaded: dict, bare: dict, expected: np.ndarray, x: np.ndarray) -> None:
    """c and tau fall by what the load does; all three ways to qdd agree with M qdd + c = tau."""
    # the branch feels nothing of what acts on the rest of the arm
    assert np.count_nonzero(np.abs(expected) > 1e-3) >= 3
    size = np.abs(bare["tau"]).max() + np.abs(expected).max()
    for name in ("c", "tau"):
        np.testing.assert_allclose(bare[name] - loaded[name], expected, rtol=0, atol=1e-11 * size)
    qdd = np.linalg.solve(bare["M"], x - loaded["c"])
    for name in ("qdd", "qdd_ltdl", "qdd_aba"):
        np.testing.assert_allclose(loaded[name], qdd, rtol=0, atol=1e-10 * np.abs(qdd).max())
    np.testing.assert_array_equal(loaded["M"], bare["M"])


def by_jacobian(at: dict, f_W: np.ndarray, n_W: np.ndarray) -> np.ndarray:
    return at["Jv"].T @ f_W + at["Jw"].T @ n_W


WRENCH = np.array([3.1, -2.3, 4.7, 0.9, 1.7, -1.3])


@pytest.mark.thinned(4)
@pytest.mark.parametrize(
    ("body", "at", "sensor"),
    [
        ("wrist", None, "wrist.com"),
        ("tool", None, "tool.com"),
        ("wrist", "grip", "wrist.grip"),
        ("tool", "grip", "tool.grip"),
    ],
)
def test_external_force_of_the_model(state, body: str, at: str | None, sensor: str) -> None:
    q, qd, x = state
    loaded = arm(lambda m: m.external_force(body, at))
    bare = values(arm(), q, qd, x, sensor=sensor)
    found = values(loaded, q, qd, x, u=WRENCH, sensor=sensor)
    # components in the axes of the body as written
    R = values(arm(), q, qd, x, sensor=body)["R"]
    check_efforts(found, bare, by_jacobian(bare, R @ WRENCH[:3], R @ WRENCH[3:]), x)


def test_external_forces_on_all_bodies(state) -> None:
    q, qd, x = state
    model = arm()
    mechanism = model.build()
    heavy = [body.name for body in mechanism.bodies]
    u = np.random.default_rng(5).uniform(-4, 4, 6 * len(heavy))
    derivation = Derivation(mechanism, external_forces="all")
    axes = [f"{k}.{a}" for k in ("force", "torque") for a in "xyz"]
    assert derivation.input_names == tuple(f"{b}.{a}" for b in heavy for a in axes)
    bare = values(model, q, qd, x)
    expected = np.zeros(N)
    for k, body in enumerate(mechanism.bodies):
        wrench = u[6 * k : 6 * k + 6]
        # center of mass of the whole, tool included
        there = arm(name=body.name, at=body.com)
        at = values(there, q, qd, x, sensor=f"{body.name}.whole")
        expected += by_jacobian(at, at["R"] @ wrench[:3], at["R"] @ wrench[3:])
    check_efforts(values(model, q, qd, x, u=u, external_forces="all"), bare, expected, x)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("sensor", ["wrist.grip", "tool.grip"])
@pytest.mark.parametrize("frame", ["world", "body"])
def test_force_law(state, sensor: str, frame: str) -> None:
    q, qd, x = state
    t = 0.37

    def law(p, v, t):
        return (
            1.3 * p[1] - 0.4 * v[2] + il.sin(3 * t),
            -0.8 * v[0] + p[2] * p[0],
            0.6 * p[0] * t + 1.1 * v[1],
        )

    bare = values(arm(), q, qd, x, sensor=sensor)
    p, v = bare["p"], bare["v"]
    f = np.array(
        [
            1.3 * p[1] - 0.4 * v[2] + np.sin(3 * t),
            -0.8 * v[0] + p[2] * p[0],
            0.6 * p[0] * t + 1.1 * v[1],
        ]
    )
    if frame == "body":
        f = values(arm(), q, qd, x, sensor=sensor.partition(".")[0])["R"] @ f
    found = values(arm(lambda m: m.force(sensor, law, frame=frame)), q, qd, x, t=t, sensor=sensor)
    check_efforts(found, bare, by_jacobian(bare, f, np.zeros(3)), x)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("body", ["wrist", "tool"])
@pytest.mark.parametrize("frame", ["world", "body"])
def test_torque_law(state, body: str, frame: str) -> None:
    q, qd, x = state
    t = 0.53

    def law(w, R, t):
        return (-0.7 * w[0] + R[0][1], 0.9 * R[2][0] * w[2] + t, -1.2 * w[1] + 2 * R[1][2])

    bare = values(arm(), q, qd, x, sensor=body)
    R = bare["R"]
    w = bare["om"] if frame == "world" else R.T @ bare["om"]
    n = np.array([-0.7 * w[0] + R[0, 1], 0.9 * R[2, 0] * w[2] + t, -1.2 * w[1] + 2 * R[1, 2]])
    n_W = n if frame == "world" else R @ n
    found = values(arm(lambda m: m.torque(body, law, frame=frame)), q, qd, x, t=t, sensor=body)
    expected = by_jacobian(bare, np.zeros(3), n_W)
    # a torque does nothing at the slider
    assert expected[1] == 0.0
    size = np.abs(bare["tau"]).max()
    np.testing.assert_allclose(bare["tau"] - found["tau"], expected, rtol=0, atol=1e-11 * size)
    for name in ("qdd", "qdd_ltdl", "qdd_aba"):
        qdd = np.linalg.solve(bare["M"], x - bare["c"] + expected)
        np.testing.assert_allclose(found[name], qdd, rtol=0, atol=1e-10 * np.abs(qdd).max())


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("a", "b"),
    [("tool.grip", "branch.tip"), ("ground.anchor", "wrist.grip"), ("branch.tip", "ground.anchor")],
)
def test_link_is_the_gradient_of_its_potential(state, a: str, b: str) -> None:
    q, qd, x = state
    k, l0 = 37.0, 0.42

    def distances(q: np.ndarray) -> np.ndarray:
        derivation = Derivation(arm().build())
        p, r = (interpret(derivation.sensor(s)[0], q=q)["p"] for s in (a, b))
        return np.linalg.norm(p - r, axis=-1)

    h = 1e-4
    shifts = h * np.array([-2, -1, 1, 2])[:, None, None] * np.eye(N)
    V = 0.5 * k * (distances((q + shifts).reshape(-1, N)) - l0) ** 2
    V = V.reshape(4, N)
    gradient = (V[0] - 8 * V[1] + 8 * V[2] - V[3]) / (12 * h)
    bare = values(arm(), q, qd, x)
    found = values(arm(lambda m: m.line_force(a, b, lambda l: k * (l - l0))), q, qd, x)
    assert np.abs(gradient).max() > 1.0
    # positive pulls together: the effort is -∂V/∂q, so tau rises by the gradient
    rise = found["tau"] - bare["tau"]
    np.testing.assert_allclose(rise, gradient, rtol=0, atol=1e-8 * np.abs(gradient).max())


def test_damper_takes_the_power_it_should(state) -> None:
    q, qd, x = state
    d = 5.3
    a, b = (values(arm(), q, qd, x, sensor=s) for s in ("tool.grip", "branch.tip"))
    unit = (b["p"] - a["p"]) / np.linalg.norm(b["p"] - a["p"])
    rate = unit @ (b["v"] - a["v"])
    assert abs(rate) > 0.1
    model = arm(lambda m: m.line_force("tool.grip", "branch.tip", lambda ld, t: d * ld * (1 + t)))
    found = values(model, q, qd, x, t=0.5)
    power = qd @ (values(arm(), q, qd, x)["tau"] - found["tau"])
    np.testing.assert_allclose(power, -1.5 * d * rate**2, rtol=1e-10)


def test_joint_laws_add_up(state) -> None:
    q, qd, x = state
    t = 0.61

    def extend(m: il.Model) -> None:
        m.joint_force("wrist", lambda q, qd: -3.1 * q - 0.7 * qd * abs(qd))
        m.joint_force("wrist", lambda t, q: 2.0 * il.cos(t) * q)
        m.joint_force("rail", lambda qd: il.where(qd > 0.0, -1.9 * qd, -0.4 * qd))

    bare, found = values(arm(), q, qd, x), values(arm(extend), q, qd, x, t=t)
    expected = np.zeros(N)
    expected[2] = -3.1 * q[2] - 0.7 * qd[2] * abs(qd[2]) + 2.0 * np.cos(t) * q[2]
    expected[1] = -(1.9 if qd[1] > 0 else 0.4) * qd[1]
    np.testing.assert_allclose(bare["c"] - found["c"], expected, rtol=0, atol=1e-11)
    qdd = np.linalg.solve(bare["M"], x - bare["c"] + expected)
    for name in ("qdd", "qdd_ltdl", "qdd_aba"):
        np.testing.assert_allclose(found[name], qdd, rtol=0, atol=1e-10 * np.abs(qdd).max())


def test_inputs_of_laws(state) -> None:
    q, qd, x = state

    def extend(m: il.Model) -> None:
        pull, twist = m.input("pull", unit="N"), m.input("twist", unit="N*m")
        m.joint_force("wrist", lambda q: 2.5 * twist * q)
        m.line_force("tool.grip", "ground.anchor", lambda l: pull * l)

    u = np.array([4.1, -1.7])
    model = arm(extend)
    assert Derivation(model.build()).input_names == ("pull", "twist")
    bare = values(arm(), q, qd, x, sensor="tool.grip")
    anchor = np.array([0.9, -0.4, 0.6])
    expected = by_jacobian(bare, u[0] * (anchor - bare["p"]), np.zeros(3))
    expected[2] += 2.5 * u[1] * q[2]
    found = values(model, q, qd, x, u=u, sensor="tool.grip")
    np.testing.assert_allclose(bare["tau"] - found["tau"], expected, rtol=0, atol=1e-11 * 50)


def test_joint_input_adds_to_the_effort(state) -> None:
    q, qd, x = state
    model = arm(lambda m: (m.joint_input("wrist"), m.joint_input("rail")))
    assert set(Derivation(model.build()).input_names) == {"wrist.tau", "rail.tau"}
    given = {"wrist.tau": 2.7, "rail.tau": -1.9}
    u = [given[name] for name in Derivation(model.build()).input_names]
    bare, found = values(arm(), q, qd, x), values(model, q, qd, x, u=u)
    expected = np.array([0.0, -1.9, 2.7, 0.0])
    np.testing.assert_allclose(bare["tau"] - found["tau"], expected, rtol=0, atol=1e-12)
    qdd = np.linalg.solve(bare["M"], x + expected - bare["c"])
    for name in ("qdd", "qdd_ltdl", "qdd_aba"):
        np.testing.assert_allclose(found[name], qdd, rtol=0, atol=1e-10 * np.abs(qdd).max())


@pytest.mark.thinned(3)
@pytest.mark.parametrize("taken", ["u_pull", "q_1", "qd_3", "tau_2", "frc_wrist_x"])
def test_any_name_may_be_a_parameter(state, taken: str) -> None:
    q, qd, x = state

    def extend(name: str):
        def add(m: il.Model) -> None:
            stiffness = m.parameter(name, 2.9)
            pull = m.input("pull")
            m.external_force("wrist")
            m.joint_force("wrist", lambda q, qd: -stiffness * q + pull)

        return add

    u = np.array([1.9, *WRENCH])
    expected = values(arm(extend("stiffness")), q, qd, x, u=u)
    found = values(arm(extend(taken)), q, qd, x, u=u)
    for name in ("tau", "qdd"):
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-10)
