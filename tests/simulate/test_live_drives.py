"""Driven joints that follow live inputs, and inputs that follow functions of time and samples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from four_bar_model import BASE, L1, L2, L3, four_bar

import inloop as il

STEPPERS = [
    {"method": "euler"}, {"method": "rk4"}, {"method": "dopri"}, {"method": "rodas"},
    {"method": "dopri", "tolerance": 1e-9}, {"method": "rodas", "tolerance": 1e-7},
    {"method": "scipy"},
]  # fmt: skip
CUTOFF = 6.0
POLE = 2.0 * math.pi * CUTOFF / math.sqrt(2.0 ** (1.0 / 3.0) - 1.0)


def swing(t: object) -> object:
    return 1.0 + 3.0 * t + 0.4 * il.sin(5.0 * t)


@pytest.fixture(scope="module")
def live() -> il.Plant:
    """A four-bar whose crank follows position, velocity and acceleration from outside."""
    return four_bar(driven=True).compile()


@pytest.fixture(scope="module")
def filtered() -> il.Plant:
    """A four-bar whose crank follows a position through a filter."""
    model = four_bar()
    model.drive("crank", derivatives="filtered", cutoff=CUTOFF)
    return model.compile()


@pytest.fixture(scope="module")
def cart() -> il.Plant:
    """A mass that a force pushes along x."""
    model = il.Model("cart", gravity=(0, 0, 0))
    push = model.input("push", "N")
    cart = model.body("cart", on=model.ground, joint=il.prismatic("x"), mass=2.5)
    model.joint_force(cart, lambda: push)
    return model.compile()


# live inputs with derivatives given


def test_inputs_of_a_live_drive_come_last(live: il.Plant) -> None:
    assert live.inputs == ("crank.q", "crank.qd", "crank.qdd")
    np.testing.assert_array_equal(live.first_inputs, [1.0, 0.0, 0.0])
    model = four_bar(driven=True)
    model.joint_input("rocker")
    assert model.compile(backend="python").inputs == ("rocker.tau", *live.inputs)


def test_an_unconnected_drive_rests_at_the_initial_value(live: il.Plant) -> None:
    result = live.simulate(t_end=0.1)
    np.testing.assert_array_equal(result["crank.q"], 1.0)
    np.testing.assert_array_equal(result.qd, 0.0)
    # it holds the crank: the effort is the slope of the potential energy along the motion
    h = 1e-5
    V = [live.simulate(t_end=0.0, inputs={"crank.q": 1.0 + s * h}).energy[0, 1] for s in (-1, 1)]
    assert result["crank.effort"][-1] == pytest.approx((V[1] - V[0]) / (2.0 * h), rel=1e-8)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("stepper", STEPPERS)
def test_inputs_over_time_are_the_same_as_a_motion(live: il.Plant, stepper: dict) -> None:
    by_motion = live.simulate(t_end=0.3, crank=swing, **stepper)
    by_input = live.simulate(t_end=0.3, inputs={"crank.q": swing}, **stepper)
    by_three = live.simulate(
        t_end=0.3, **stepper,
        inputs={
            "crank.q": swing,
            "crank.qd": lambda t: 3.0 + 2.0 * il.cos(5.0 * t),
            "crank.qdd": lambda t: -10.0 * il.sin(5.0 * t),
        },
    )  # fmt: skip
    t = by_motion.t
    np.testing.assert_allclose(by_motion["crank.q"], 1.0 + 3 * t + 0.4 * np.sin(5 * t), atol=1e-13)
    assert np.ptp(by_motion["crank.effort"]) > 1.0
    for other in (by_input, by_three):
        for name in ("crank.qdd", "rocker.q", "rocker.qd", "crank.effort", "ring.force.x"):
            np.testing.assert_allclose(other[name], by_motion[name], atol=1e-9)


def test_given_derivatives_are_used_as_they_are(live: il.Plant) -> None:
    """Whatever is said about velocity and acceleration is believed, as Eq. 3 does."""
    given = {"crank.q": 0.8, "crank.qd": 1.7, "crank.qdd": -2.3}
    found = live.simulate(t_end=0.0, inputs=given)
    q, qd = found.q[0], found.qd[0]
    assert (q[0], qd[0], found["crank.qdd"][0]) == pytest.approx((0.8, 1.7, -2.3))
    rows = live.evaluate("constraints", q=q, qd=qd)
    J, gamma = rows["J"][:2], rows["gamma"][:2]
    # M qdd + c = Jᵀ lam + effort, J qdd + gamma = 0, qdd_crank given
    e = np.array([[1.0, 0.0, 0.0]])
    A = np.vstack([J, e])
    K = np.block([[live.mass_matrix(q), -A.T], [A, np.zeros((3, 3))]])
    x = np.linalg.solve(K, [*-live.bias(q, qd), *-gamma, -2.3])
    assert found["crank.effort"][0] == pytest.approx(x[-1], rel=1e-12)


@pytest.mark.parametrize("end", [1.0, 0.7])
def test_a_drive_of_a_tree_follows_samples(end: float) -> None:
    """Up to the last one, with its velocity."""
    model = il.Model("shaken_tree")
    base = model.body("base", on=model.ground, joint=il.prismatic("x"), mass=0.4)
    model.body("cart", on=base, joint=il.prismatic("x"), mass=1.9)
    model.drive(base)
    plant = model.compile()
    times = np.linspace(0.0, end, 9)
    # a cubic spline through points of a cubic is that cubic
    for given in (
        {"inputs": {"base.q": (times, times**3 - 0.2 * times)}},
        {"base": (times, times**3 - 0.2 * times)},
    ):
        result = plant.simulate(t_end=0.7, qd={"cart": 0.2}, **given)
        t = result.t
        np.testing.assert_allclose(result["base.q"], t**3 - 0.2 * t, atol=1e-14)
        np.testing.assert_allclose(result["base.qd"], 3.0 * t**2 - 0.2, atol=1e-12)
        np.testing.assert_allclose(result["cart.q"], -(t**3) + 0.2 * t, atol=1e-12)
        np.testing.assert_allclose(result["base.effort"], 0.4 * 6.0 * t, atol=1e-11)


def test_q_must_not_contradict_a_drive(live: il.Plant) -> None:
    with pytest.raises(il.InputError, match=r"q starts 'crank' at 0.7, its drive at 1"):
        live.simulate(t_end=0.1, q={"crank": 0.7})
    live.simulate(t_end=0.01, q={"crank": 0.7}, inputs={"crank.q": 0.7})


# filtered inputs


def step_response(t: object) -> object:
    """Of (1 + s/p)⁻³ from 1.0 to 1.3 rad, by hand."""
    x = POLE * t
    return 1.3 - 0.3 * il.exp(-x) * (1.0 + x + 0.5 * x * x)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("stepper", [s for s in STEPPERS if s["method"] != "euler"])
def test_a_filter_answers_a_step_as_by_hand(filtered: il.Plant, stepper: dict) -> None:
    assert filtered.inputs == ("crank.q",)
    rest = filtered.simulate(t_end=0.0, inputs={"crank.q": 1.0})
    found = filtered.simulate(t_end=0.4, step=5e-4, inputs={"crank.q": 1.3}, start=rest, **stepper)
    exact = filtered.simulate(t_end=0.4, step=5e-4, crank=step_response)
    for kind, scale in {"q": 1.0, "qd": POLE, "qdd": POLE**2}.items():
        ours, by_hand = found[f"crank.{kind}"], exact[f"crank.{kind}"]
        np.testing.assert_allclose(ours, by_hand, atol=1e-6 * scale)
        np.testing.assert_array_equal(ours, found[f"crank.filtered.{kind}"])
    assert np.abs(exact["crank.qdd"]).max() > 100.0
    size = np.abs(exact["crank.effort"]).max()
    np.testing.assert_allclose(found["crank.effort"], exact["crank.effort"], atol=1e-5 * size)
    # no overshoot
    assert found["crank.q"].max() <= 1.3 + 1e-12
    assert found.constraint_violation < 1e-12


def test_a_filter_follows_a_smooth_input_to_the_order_of_the_stepper(filtered: il.Plant) -> None:
    """Behind a ramp from rest by hand: q_u = 1 + t, q = 1 + t - 3/p + e⁻ᵖᵗ (3/p + 2t + p t²/2)."""

    def ramp(t: object) -> object:
        return 1.0 + t - 3.0 / POLE + il.exp(-POLE * t) * (3.0 / POLE + 2.0 * t + POLE * t * t / 2)

    exact = filtered.simulate(t_end=0.25, crank=ramp, step=1e-3)
    errors = []
    for step in (2e-3, 1e-3):
        found = filtered.simulate(t_end=0.25, step=step, inputs={"crank.q": lambda t: 1.0 + t})
        error = found["crank.effort"][:: round(1e-2 / step)] - exact["crank.effort"][::10]
        errors.append(np.abs(error).max() / np.ptp(exact["crank.effort"]))
    assert errors[1] < 1e-5
    assert errors[0] / errors[1] > 2**3.7


def test_a_filter_starts_at_rest_where_its_input_starts(filtered: il.Plant) -> None:
    result = filtered.simulate(t_end=0.1, inputs={"crank.q": 1.25})
    np.testing.assert_allclose(result["crank.q"], 1.25, atol=1e-14)
    np.testing.assert_allclose(result.qd, 0.0, atol=1e-14)


@pytest.mark.parametrize("method", ["euler", "rk4", "dopri", "rodas"])
def test_a_filtered_run_continues_to_the_last_bit(filtered: il.Plant, method: str) -> None:
    options = {"step": 1e-3, "method": method, "inputs": {"crank.q": swing}}
    whole = filtered.simulate(t_end=0.4, **options)
    first = filtered.simulate(t_end=0.15, **options)
    rest = filtered.simulate(t_end=0.4, start=first, **options)
    assert abs(whole["crank.filtered.qdd"][-1]) > 1.0
    for name in ("rocker.q", "rocker.qd", "crank.effort", "crank.filtered.qdd"):
        np.testing.assert_array_equal(rest[name][-1], whole[name][-1])


# inputs of force laws


@pytest.mark.parametrize("stepper", STEPPERS)
def test_a_force_over_time_moves_a_mass_as_by_hand(cart: il.Plant, stepper: dict) -> None:
    result = cart.simulate(
        t_end=0.5, step=1e-3, inputs={"push": lambda t: 7.0 * il.cos(9.0 * t)}, **stepper
    )
    expected = 7.0 / 2.5 * (1.0 - np.cos(9.0 * result.t)) / 81.0
    bound = 2e-3 if stepper["method"] == "euler" else 1e-7
    assert np.ptp(expected) > 0.05
    np.testing.assert_allclose(result["cart.q"], expected, atol=bound)


def test_samples_of_a_force(cart: il.Plant) -> None:
    times = np.linspace(0.0, 1.0, 6)
    result = cart.simulate(t_end=1.0, inputs={"push": (times, 5.0 * times**3)})
    np.testing.assert_allclose(result["cart.q"], 5.0 / 2.5 * result.t**5 / 20.0, atol=1e-9)
    # constant after the last sample
    later = cart.simulate(t_end=2.0, inputs={"push": (times, 5.0 * times**3)})
    np.testing.assert_allclose(later["cart.qd"][-1], 5.0 / 2.5 * (0.25 + 1.0), rtol=1e-6)


def test_constants_beside_functions(cart: il.Plant) -> None:
    model = il.Model("two_pushes", gravity=(0, 0, 0))
    a, b = model.input("a", "N"), model.input("b", "N")
    body = model.body("body", on=model.ground, joint=il.prismatic("x"), mass=1.7)
    model.joint_force(body, lambda: a + b)
    result = model.compile().simulate(t_end=1.0, inputs={"b": 3.1, "a": lambda t: 2.0 * t})
    exact = (3.1 * result.t**2 / 2.0 + 2.0 * result.t**3 / 6.0) / 1.7
    np.testing.assert_allclose(result["body.q"], exact, atol=1e-12)


def test_the_energy_audit_knows_inputs_over_time(cart: il.Plant) -> None:
    inputs = {"push": lambda t: 7.0 * il.cos(9.0 * t)}
    result = cart.simulate(t_end=0.5, step=1e-3, inputs=inputs)
    audit = cart.energy_audit(result, inputs=inputs)
    assert np.ptp(audit.kinetic) > 0.1
    assert audit.relative_error < 1e-6
    # the work of the push by hand: F²/(2 m w²) sin²(w t)
    work = 49.0 / (2.0 * 2.5 * 81.0) * np.sin(9.0 * result.t) ** 2
    np.testing.assert_allclose(audit.work["inputs"], work, atol=1e-7)


# inputs that are of no use


@pytest.mark.thinned(3)
@pytest.mark.parametrize("stepper", [s for s in STEPPERS if s["method"] != "scipy"])
@pytest.mark.parametrize("which", ["cart", "live", "filtered"])
def test_an_input_that_becomes_nan_is_named(
    which: str, stepper: dict, request: pytest.FixtureRequest
) -> None:
    plant = request.getfixturevalue(which)
    name = "push" if which == "cart" else "crank.q"
    signal = {name: lambda t: 1.0 + 0.1 * il.sqrt(0.2505 - t) ** 5}
    with pytest.raises(
        il.SimulationError, match=f"input '{name}d*' is not finite at t = "
    ) as caught:
        plant.simulate(t_end=1.0, step=1e-3, inputs=signal, **stepper)
    kept = caught.value.result
    assert kept.status == "DIVERGED"
    assert 0.2495 < kept.t[-1] < 0.2515
    assert np.all(np.isfinite(kept.q)) and np.all(np.isfinite(kept.qd))
    good = plant.simulate(
        t_end=0.2, step=1e-3, inputs={name: lambda t: 1.0 + 0.1 * il.sqrt(0.2505 - t) ** 5},
        **stepper,
    )  # fmt: skip
    at = int(np.searchsorted(kept.t, 0.2 - 1e-9))
    np.testing.assert_allclose(kept.q[at], good.q[-1], atol=1e-6)


def test_scipy_names_it_too(cart: il.Plant) -> None:
    signal = {"push": lambda t: 1.0 + 0.1 * il.sqrt(0.25 - t)}
    with pytest.raises(il.SimulationError, match=r"DIVERGED at .* input 'push' is not finite"):
        cart.simulate(t_end=1.0, method="scipy", inputs=signal)


def test_a_motion_that_becomes_nan_is_named(live: il.Plant) -> None:
    with pytest.raises(il.SimulationError, match="driven joint 'crank' is not finite") as caught:
        live.simulate(t_end=1.0, crank=lambda t: 1.0 + il.sqrt(0.2505 - t))
    assert caught.value.result.status == "DIVERGED"
    assert len(caught.value.result.t) == 251


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"pull": 3.0}, "model 'cart' has no input 'pull'"),
        ({"push": math.nan}, "input 'push' is nan at t = 0"),
        ({"push": lambda t: il.sqrt(t - 1.0)}, "input 'push' is nan at t = 0"),
        ({"push": math.sin}, "input 'push': expression t has no fixed value"),
        ({"push": lambda t: 1.0 if t > 0.5 else 0.0}, "input 'push': a symbolic expression has no"),
        ({"push": ([0.0, 0.3, 0.2], [1.0, 2.0, 3.0])}, "input 'push': table abscissas must"),
        ({"push": ([0.0, 1.0, 2.0], [1.0, math.nan, 3.0])}, "input 'push': a table holds NaN"),
        ({"push": "hard"}, "input 'push' is neither a number nor a function"),
    ],
)
def test_useless_inputs_are_named(cart: il.Plant, given: dict, message: str) -> None:
    with pytest.raises(il.InputError) as caught:
        cart.simulate(t_end=0.1, inputs=given)
    assert message in str(caught.value)


# positions and velocities that fit each other, or not

FIXED = ("euler", "rk4", "dopri", "rodas", "implicit")


@pytest.mark.parametrize("method", FIXED)
def test_a_stepper_refuses_a_position_that_moves_alone(live: il.Plant, method: str) -> None:
    stepper = live.stepper(method=method)
    with pytest.raises(il.InputError, match=r"'crank.q' moves from 1 to 1.001, but 'crank.qd' is"):
        stepper.step(**{"crank.q": 1.001})
    stepper.step(**{"crank.q": 1.001, "crank.qd": 1.0})
    assert stepper["crank.q"] == 1.001


@pytest.mark.thinned(2)
@pytest.mark.parametrize("method", FIXED)
def test_loops_stay_closed_behind_a_velocity_that_is_off(live: il.Plant, method: str) -> None:
    """As of an encoder and its filter: 2 % too slow, through a turn and a half."""
    stepper = live.stepper(method=method, step=2e-3)
    for k in range(1, 1001):
        stepper.step(**{"crank.q": 1.0 + 0.01 * k, "crank.qd": 4.9})
    a, b, c = stepper.look().q[0]
    assert a == 11.0
    x = L1 * np.cos(a) + L2 * np.cos(a + b) - BASE[0] - L3 * np.cos(c)
    y = L1 * np.sin(a) + L2 * np.sin(a + b) - BASE[1] - L3 * np.sin(c)
    assert (x, y) == pytest.approx((0.0, 0.0), abs=1e-12)


@pytest.mark.parametrize("method", FIXED)
def test_a_run_refuses_a_position_that_moves_alone(live: il.Plant, method: str) -> None:
    for given in (
        {"crank.q": swing, "crank.qd": 0.0},
        {"crank.q": swing, "crank.qd": lambda t: 3.0 + 1.5 * il.cos(5.0 * t)},
        {"crank.q": 0.8, "crank.qd": 1.7},
    ):
        with pytest.raises(il.InputError, match=r"'crank.q' and 'crank.qd' are inconsistent"):
            live.simulate(t_end=0.3, method=method, inputs=given)


# inputs that jump


@pytest.mark.thinned(2)
@pytest.mark.parametrize("method", FIXED)
@pytest.mark.parametrize("jump", [0.5, 0.5 + 1e-9, 0.5 - 1e-9, 0.4996])
def test_an_input_that_jumps(cart: il.Plant, method: str, jump: float) -> None:
    """The velocity is force times time over mass; a jump inside a step costs part of that step."""
    step, force = 1e-3, 2.0
    for signal in (
        lambda t: il.where(t > jump, force, 0.0),
        lambda t: il.where(t >= jump, force, 0.0),
    ):
        result = cart.simulate(t_end=1.0, step=step, method=method, inputs={"push": signal})
        assert abs(result.qd[-1, 0] - force * (1.0 - jump) / 2.5) < force * step / 2.5


@pytest.mark.parametrize("at", [0.2, 0.2004])
def test_an_input_of_a_closed_mechanism_that_jumps(at: float) -> None:
    """RODAS against Dormand and Prince with steps chosen by their error."""

    def pushed(m: il.Model) -> None:
        push = m.input("push", "N*m")
        m.joint_force("crank", lambda qd: push - 0.3 * qd)

    plant = four_bar(pushed).compile()
    inputs = {"push": lambda t: il.where(t > at, 2.0, 0.0)}
    exact = plant.simulate(t_end=0.4, step=0.1, method="dopri", tolerance=1e-9, inputs=inputs)
    without = plant.simulate(t_end=0.4, step=1e-3, method="rodas")
    assert abs(without.q[-1, 0] - exact.q[-1, 0]) > 0.1
    errors = []
    for step in (2e-3, 1e-3, 5e-4):
        found = plant.simulate(t_end=0.4, step=step, method="rodas", inputs=inputs)
        errors.append(np.abs(found.q[-1] - exact.q[-1]).max())
    assert max(errors) < 0.02
    assert errors[2] < 5e-3


def test_rodas_follows_a_filter_with_its_own_order() -> None:
    """The filter moves the cart, the cart the pendulum: slopes of both are needed."""
    m = il.Model("filtered_cart")
    cart = m.body("cart", on=m.ground, joint=il.prismatic("x"), mass=1.0)
    m.body("rope", on=cart, joint=il.revolute("y"), mass=2.0, com=(0, 0, -0.7))
    m.drive(cart, derivatives="filtered", cutoff=4.0)
    m.joint_force("rope", lambda qd: -0.1 * qd, name="drag")
    plant, given = m.compile(methods="rodas"), {"cart.q": lambda t: 0.3 * il.sin(3.0 * t)}

    def end(method: str, step: float) -> float:
        result = plant.simulate(t_end=1.0, step=step, method=method, inputs=given)
        return float(result["rope.qd"][-1])

    exact = end("rk4", 2.5e-4)
    errors = [abs(end("rodas", step) - exact) for step in (8e-3, 4e-3)]
    assert np.log2(errors[0] / errors[1]) > 3.3
