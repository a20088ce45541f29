"""Runs against closed forms, conserved quantities, orders of convergence and another integrator."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import inloop as il


def double_pendulum() -> il.Model:
    model = il.Model("double_pendulum")
    upper = model.body(
        "upper", on=model.ground, joint=il.revolute("y", initial=(0.9, 0.3)), mass=1.3,
        com=(0.05, 0.0, -0.31), inertia=(0.02, 0.031, 0.015),
    )  # fmt: skip
    model.body(
        "lower", on=upper.point("elbow", (0.02, 0.0, -0.63)),
        joint=il.revolute("y", initial=(-0.5, 0.7)), mass=0.8, com=(-0.03, 0.0, -0.22),
        inertia=(0.011, 0.017, 0.009),
    )  # fmt: skip
    return model


@pytest.fixture(scope="module")
def pendulum() -> il.Plant:
    return double_pendulum().compile(backend="c")


def reference(plant: il.Plant, t_end: float, tau=0.0) -> np.ndarray:
    """The last state by an integrator of another house, nearly exact."""
    n = plant.n
    initial = [body.joint.initial for body in plant.mechanism.bodies]
    start = np.array([*(q for q, _ in initial), *(qd for _, qd in initial)])
    efforts = np.zeros(n) + tau

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[n:], plant.direct_dynamics(y[:n], y[n:], efforts, t=t)])

    found = solve_ivp(rate, (0.0, t_end), start, method="DOP853", rtol=1e-13, atol=1e-13)
    return found.y[:, -1]


@pytest.mark.parametrize(("method", "order"), [("rk4", 4), ("euler", 1)])
def test_order_of_convergence(pendulum: il.Plant, method: str, order: int) -> None:
    exact = reference(pendulum, 1.0)
    errors = []
    for step in (0.004, 0.002, 0.001):
        run = pendulum.simulate(t_end=1.0, step=step, method=method)
        assert run.t[-1] == pytest.approx(1.0, abs=1e-12)
        last = np.concatenate([run.q[-1], run.qd[-1]])
        errors.append(np.abs(last - exact).max())
    ratios = np.array(errors[:-1]) / errors[1:]
    np.testing.assert_allclose(ratios, 2.0**order, rtol=0.12)


def test_energy_drift_falls_with_the_fourth_power(pendulum: il.Plant) -> None:
    drifts = []
    for step in (0.008, 0.004):
        run = pendulum.simulate(t_end=4.0, step=step)
        # the motion is no small one
        assert np.ptp(run["energy.kinetic"]) > 1.0
        total = run["energy.total"]
        drifts.append(np.abs(total - total[0]).max())
        assert run.energy_drift() == pytest.approx(drifts[-1] / run.energy[:, 0].max(), rel=1e-12)
    assert drifts[1] > 1e-10
    # 16 for a drift that wanders; a steady loss falls with the fifth power
    assert 14.0 < drifts[0] / drifts[1] < 36.0


def test_symplectic_euler_keeps_the_energy_bounded() -> None:
    model = il.Model("swing")
    model.body(
        "rod", on=model.ground, joint=il.revolute("y", initial=(1.1, 0.0)), mass=1.2,
        com=(0.0, 0.0, -0.4), inertia=(0.01, 0.02, 0.01),
    )  # fmt: skip
    run = model.compile(backend="c").simulate(t_end=400.0, step=0.005, method="euler")
    error = np.abs(run["energy.total"] - run["energy.total"][0])
    early, late = error[run.t < 10.0].max(), error[run.t > 300.0].max()
    assert early > 1e-3
    assert late < 1.05 * early
    assert np.ptp(run["rod.q"][run.t > 300.0]) > 2.0


def test_momentum_is_conserved() -> None:
    """Three bodies adrift in a plane without gravity: linear and angular momentum stay."""
    model = il.Model("adrift", gravity=(0.0, 0.0, 0.0))
    base = model.chain(
        "base", on=model.ground, joints=il.planar("xy"), mass=2.3, com=(0.04, 0.07, 0.02),
        inertia=(0.03, 0.04, 0.05),
    )  # fmt: skip
    left = model.body(
        "left", on=base.point("l", (0.31, 0.12, 0.05)), joint=il.revolute("z"), mass=0.9,
        com=(0.21, -0.05, 0.01), inertia=(0.01, 0.012, 0.014),
    )  # fmt: skip
    right = model.body(
        "right", on=base.point("r", (-0.27, 0.09, -0.03)), joint=il.prismatic((1.0, 0.4, 0.0)),
        mass=0.6, com=(0.02, 0.03, 0.04), inertia=(0.003, 0.004, 0.005),
    )  # fmt: skip
    model.line_force(left.com_point, right.com_point, lambda l, ld: 40.0 * (l - 0.5) + 0.6 * ld)
    plant = model.compile(backend="c")
    qd = {"base_tx": 0.3, "base_ty": -0.2, "base_rz": 2.6, "left": -2.9, "right": 0.8}
    run = plant.simulate(t_end=3.0, step=1e-3, qd=qd, sample=0.1)
    P, L = np.zeros((len(run.t), 3)), np.zeros(len(run.t))
    for body in plant.mechanism.bodies[2:]:
        p = plant.position(f"{body.name}.com", run.q)
        motion = plant.motion(f"{body.name}.com", run.q, run.qd)
        P += body.mass * motion["v"]
        L += body.mass * np.cross(p, motion["v"])[:, 2] + body.inertia[2][2] * motion["om"][:, 2]
    assert np.linalg.norm(P[0]) > 0.3 and abs(L[0]) > 0.1
    assert np.ptp(run["left.qd"]) > 0.5 and np.ptp(run["right.qd"]) > 0.5
    np.testing.assert_allclose(P, np.broadcast_to(P[0], P.shape), rtol=0, atol=1e-9)
    np.testing.assert_allclose(L, np.full_like(L, L[0]), rtol=0, atol=1e-9)


def test_energy_balance_with_constant_efforts(pendulum: il.Plant) -> None:
    tau = np.array([1.9, -0.7])
    run = pendulum.simulate(t_end=2.0, step=5e-4, tau=tau)
    # constant efforts: the work is tau · Δq
    work = (run.q - run.q[0]) @ tau
    gain = run["energy.total"] - run["energy.total"][0]
    assert np.abs(work).max() > 1.0
    np.testing.assert_allclose(gain, work, rtol=0, atol=1e-8)


def test_energy_balance_with_a_damper() -> None:
    model = double_pendulum()
    model.joint_force("lower", lambda qd: -0.11 * qd)
    run = model.compile(backend="c").simulate(t_end=2.0, step=5e-4)
    power = -0.11 * run["lower.qd"] ** 2
    # Simpson's rule over an even number of steps
    weights = np.ones(len(run.t))
    weights[1:-1:2], weights[2:-1:2] = 4.0, 2.0
    loss = (weights * power).sum() * 5e-4 / 3
    assert loss < -0.1
    assert run["energy.total"][-1] - run["energy.total"][0] == pytest.approx(loss, rel=1e-7)


def test_forced_oscillator_in_closed_form() -> None:
    m, k, f, w = 1.7, 31.0, 2.3, 2.9
    model = il.Model("cart", gravity=(0.0, 0.0, 0.0))
    model.body("cart", on=model.ground, joint=il.prismatic("x", initial=(0.4, -0.6)), mass=m)
    model.joint_force("cart", lambda q, t: -k * q + f * il.cos(w * t))
    run = model.compile(backend="c").simulate(t_end=3.0, step=1e-3)
    w0 = np.sqrt(k / m)
    amplitude = f / m / (w0**2 - w**2)
    q = (0.4 - amplitude) * np.cos(w0 * run.t) - 0.6 / w0 * np.sin(w0 * run.t)
    q += amplitude * np.cos(w * run.t)
    np.testing.assert_allclose(run["cart.q"], q, rtol=0, atol=1e-10)


def test_free_fall_is_exact() -> None:
    model = il.Model("stone", gravity=(0.0, 0.0, -9.7))
    model.body("stone", on=model.ground, joint=il.prismatic("z"), mass=0.7)
    plant = model.compile(backend="c")
    run = plant.simulate(t_end=1.3, step=0.1, q={"stone": 2.0}, qd={"stone": 3.0})
    np.testing.assert_allclose(run["stone.q"], 2.0 + 3.0 * run.t - 4.85 * run.t**2, atol=1e-13)
    np.testing.assert_allclose(run["energy.total"], run["energy.total"][0], rtol=1e-13)


def test_against_another_integrator_with_everything() -> None:
    model = double_pendulum()
    gain = model.parameter("gain", 0.8)
    push = model.input("push")
    model.joint_force("upper", lambda q, qd, t: gain * il.sin(4 * t) - 0.2 * qd + 0.1 * push * q)
    model.external_force("lower")
    plant = model.compile(backend="c")
    plant.parameters["gain"] = 1.7
    inputs = {"push": 2.1, "lower.force.x": 0.9, "lower.torque.y": -0.4}
    u = [inputs.get(name, 0.0) for name in plant.inputs]
    tau = np.array([0.3, -0.2])
    start = np.array([0.9, -0.5, 0.3, 0.7])

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        qdd = plant.direct_dynamics(y[:2], y[2:], tau, u=u, t=t)
        return np.concatenate([y[2:], qdd])

    exact = solve_ivp(rate, (0.0, 1.0), start, method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    named = {"upper": 0.3, "lower": -0.2}
    run = plant.simulate(t_end=1.0, step=5e-4, tau=named, inputs=inputs)
    np.testing.assert_allclose([*run.q[-1], *run.qd[-1]], exact, rtol=0, atol=1e-10)
    # each of them matters
    for changed in ({}, {**inputs, "push": 0.0}, {**inputs, "lower.torque.y": 0.0}):
        other = plant.simulate(t_end=1.0, step=5e-4, tau=named, inputs=changed)
        assert np.abs(other.q[-1] - run.q[-1]).max() > 1e-3


def test_divergence_keeps_what_was_computed() -> None:
    """q'' = 2 q³ with q(0) = q'(0) = 1 is q = 1/(1 - t): gone at t = 1."""
    model = il.Model("runaway", gravity=(0.0, 0.0, 0.0))
    model.body("cart", on=model.ground, joint=il.prismatic("x"), mass=1.7)
    model.body("calm", on=model.ground, joint=il.prismatic("y"), mass=0.4)
    model.joint_force("cart", lambda q: 3.4 * q**3)
    plant = model.compile(backend="c")
    with pytest.raises(il.SimulationError) as error:
        plant.simulate(t_end=3.0, step=1e-3, q={"cart": 1.0}, qd={"cart": 1.0})
    assert "model 'runaway' went out of bounds after t = 1 s" in str(error.value)
    assert "coordinate 'cart'" in str(error.value)
    assert "Use a step smaller than 0.001 s" in str(error.value)
    assert "error.result holds the run so far" in str(error.value)
    result = error.value.result
    assert result.status == "OUT_OF_BOUNDS"
    assert np.isfinite(result.q).all() and np.isfinite(result.qd).all()
    assert 0.99 < result.t[-1] < 1.1
    early = result.t < 0.7
    np.testing.assert_allclose(result["cart.q"][early], 1 / (1 - result.t[early]), rtol=1e-8)


def test_same_run_twice_is_bit_identical(pendulum: il.Plant) -> None:
    first = pendulum.simulate(t_end=1.0, step=1e-3)
    second = pendulum.simulate(t_end=1.0, step=1e-3)
    assert first.q.tobytes() == second.q.tobytes()
    assert first.qd.tobytes() == second.qd.tobytes()


def test_samples_are_steps_of_the_same_run(pendulum: il.Plant) -> None:
    fine = pendulum.simulate(t_end=0.5, step=1e-3)
    coarse = pendulum.simulate(t_end=0.5, step=1e-3, sample=0.02)
    assert len(fine.t) == 501 and len(coarse.t) == 26
    np.testing.assert_array_equal(coarse.q, fine.q[::20])
    np.testing.assert_allclose(coarse.t, 0.02 * np.arange(26), atol=1e-12)


def test_start_values(pendulum: il.Plant) -> None:
    run = pendulum.simulate(t_end=0.01, q={"lower": 0.25}, qd=np.array([1.5, -2.5]))
    np.testing.assert_array_equal(run.q[0], [0.9, 0.25])
    np.testing.assert_array_equal(run.qd[0], [1.5, -2.5])
    assert len(pendulum.simulate(t_end=0.0).t) == 1


WRONG = [
    ({"method": "rk5"}, "method 'rk5' is unknown"),
    ({"step": 0.0}, "t_end = 1.0 s with steps of 0.0 s makes no sense"),
    ({"step": -0.1}, "t_end = 1.0 s with steps of -0.1 s makes no sense"),
    ({"t_end": float("nan")}, "t_end = nan s"),
    ({"q": {"elbow": 1.0}}, "model 'double_pendulum' has no coordinate 'elbow'"),
    ({"q": np.zeros(3)}, r"q has shape \(3,\), model 'double_pendulum' needs 2 entries"),
    ({"qd": {"upper": float("inf")}}, "qd of 'upper' is inf"),
    ({"inputs": {"push": 1.0}}, "model 'double_pendulum' has no input 'push'. Names are: none"),
]


@pytest.mark.parametrize(("options", "text"), WRONG, ids=range(len(WRONG)))
def test_what_makes_no_sense(pendulum: il.Plant, options: dict, text: str) -> None:
    with pytest.raises(il.InputError, match=text):
        pendulum.simulate(**{"t_end": 1.0, **options})


def test_python_back_end_says_what_it_cannot() -> None:
    plant = double_pendulum().compile(backend="python")
    with pytest.raises(il.InputError, match="only evaluates its equations"):
        plant.simulate(t_end=0.1)
