"""Functions of time and samples given to runs: no compiler, no memory shared between runs."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from four_bar_model import four_bar

import inloop as il
from inloop.errors import BuildError
from inloop.native import build_library

MASS = 2.5
METHODS = ("euler", "rk4", "dopri", "rodas")


def cart_model() -> il.Model:
    """A mass that two forces push along x."""
    model = il.Model("two_forces", gravity=(0, 0, 0))
    push, pull = model.input("push", "N"), model.input("pull", "N")
    cart = model.body("cart", on=model.ground, joint=il.prismatic("x"), mass=MASS)
    model.joint_force(cart, lambda: push - pull)
    return model


def two_drives() -> il.Model:
    """A chain of two driven slides and a mass on a spring; the second slide moves by itself."""
    model = il.Model("two_drives", gravity=(0, 0, 0))
    stiffness = model.parameter("stiffness", 30.0)
    reach = model.parameter("reach", 0.2)
    first = model.body("first", on=model.ground, joint=il.prismatic("x"), mass=0.4)
    second = model.body("second", on=first, joint=il.prismatic("x"), mass=0.3)
    third = model.body("third", on=second, joint=il.prismatic("x"), mass=0.7)
    model.drive(first, lambda t: 0.05 * il.sin(t))
    model.drive(second, lambda t: reach * il.sin(3.0 * t))
    model.joint_force(third, lambda q: -stiffness * q)
    return model


@pytest.fixture(scope="module")
def cart() -> il.Plant:
    return cart_model().compile()


@pytest.fixture(scope="module")
def crank() -> il.Plant:
    return four_bar(driven=True).compile()


@pytest.fixture(scope="module")
def slides() -> il.Plant:
    return two_drives().compile(live="all")


@pytest.fixture
def no_compiler(
    cart: il.Plant, crank: il.Plant, slides: il.Plant, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """From here on nothing can be built, not even from the cache.

    What the first run of a plant builds, whatever it is given, is there.
    """
    for plant in (cart, crank, slides):
        for method in METHODS:
            plant.simulate(t_end=0.01, method=method)
    monkeypatch.setenv("INLOOP_CC", "/nowhere/cc")
    with pytest.raises(BuildError):
        build_library({"nothing.c": "int nothing;\n"})
    yield
    # nothing fell back on another compiler either
    with pytest.raises(BuildError):
        build_library({"nothing.c": "int nothing;\n"})


@pytest.mark.thinned(2)
@pytest.mark.usefixtures("no_compiler")
@pytest.mark.parametrize("method", METHODS)
def test_a_function_needs_no_compiler(cart: il.Plant, method: str) -> None:
    inputs = {"push": lambda t: 7.0 * il.cos(9.0 * t), "pull": 0.6}
    result = cart.simulate(t_end=0.5, step=1e-3, method=method, inputs=inputs)
    t = result.t
    exact = (7.0 * (1.0 - np.cos(9.0 * t)) / 81.0 - 0.3 * t**2) / MASS
    assert np.ptp(exact) > 0.02
    bound = 2e-3 if method == "euler" else 1e-9
    np.testing.assert_allclose(result["cart.q"], exact, atol=bound)


@pytest.mark.usefixtures("no_compiler")
def test_many_samples_need_no_compiler(cart: il.Plant) -> None:
    """A spline through 10,000 points of a cubic is that cubic."""
    times = np.linspace(0.0, 2.0, 10_000)
    inputs = {"push": (times, 5.0 * times**3 - 2.0 * times)}
    result = cart.simulate(t_end=1.0, step=1e-3, method="rk4", inputs=inputs)
    t = result.t
    np.testing.assert_allclose(result["cart.q"], (t**5 / 4.0 - t**3 / 3.0) / MASS, atol=1e-12)


@pytest.mark.usefixtures("no_compiler")
def test_motions_need_no_compiler(crank: il.Plant) -> None:
    times = np.linspace(0.0, 1.0, 7)
    cubic = 1.0 + 0.3 * times + 0.8 * times**2 - 0.7 * times**3
    by_function = crank.simulate(t_end=0.5, crank=lambda t: 1.0 + 0.3 * t + 0.8 * t**2 - 0.7 * t**3)
    by_samples = crank.simulate(t_end=0.5, crank=(times, cubic))
    t = by_function.t
    exact = (1.0 + 0.3 * t + 0.8 * t**2 - 0.7 * t**3, 0.3 + 1.6 * t - 2.1 * t**2, 1.6 - 4.2 * t)
    for result in (by_function, by_samples):
        for name, values in zip(("crank.q", "crank.qd", "crank.qdd"), exact, strict=True):
            np.testing.assert_allclose(result[name], values, rtol=1e-12, atol=1e-12)
    assert np.ptp(by_function["rocker.q"]) > 0.05
    for name in ("rocker.q", "rocker.qd", "crank.effort", "ring.force.x"):
        np.testing.assert_allclose(by_samples[name], by_function[name], atol=1e-9)


@pytest.mark.usefixtures("no_compiler")
def test_a_stepper_with_a_motion_needs_no_compiler(crank: il.Plant) -> None:
    def motion(t: object) -> object:
        return 1.0 + 0.4 * il.sin(2.0 * t)

    stepper = crank.stepper(step=1e-3, method="rk4", motions={"crank": motion})
    for _ in range(100):
        stepper.step()
    whole = crank.simulate(t_end=0.1, step=1e-3, method="rk4", crank=motion)
    assert stepper["crank.q"] == pytest.approx(1.0 + 0.4 * np.sin(0.2), rel=1e-12)
    np.testing.assert_allclose(stepper.look().q[0], whole.q[-1], atol=1e-12)


def test_joints_without_a_given_motion_move_as_in_the_model(slides: il.Plant) -> None:
    """Also after a parameter of the model's motion was changed."""
    stepper = slides.stepper(step=1e-3, method="rk4", motions={"first": lambda t: 0.3 * t**2})
    try:
        for reach in (0.2, 0.7):
            slides.parameters["reach"] = reach
            stepper.step()
            t, found = stepper.t, stepper.look()
            exact = [0.3 * t**2, reach * np.sin(3.0 * t)]
            np.testing.assert_allclose(found.q[0, :2], exact, rtol=1e-12)
            exact = [0.6 * t, 3.0 * reach * np.cos(3.0 * t)]
            np.testing.assert_allclose(found.qd[0, :2], exact, rtol=1e-12)
    finally:
        slides.parameters["reach"] = 0.2


def test_given_motions_may_lead_all_joints_in_any_order(slides: il.Plant) -> None:
    motions = {"second": lambda t: 0.1 * il.cos(2.0 * t), "first": lambda t: 0.4 * t}
    result = slides.simulate(t_end=0.2, **motions)
    t = result.t
    np.testing.assert_allclose(result["first.q"], 0.4 * t, atol=1e-15)
    np.testing.assert_allclose(result["second.q"], 0.1 * np.cos(2.0 * t), rtol=1e-14)
    np.testing.assert_allclose(result["second.qdd"], -0.4 * np.cos(2.0 * t), rtol=1e-13)
    # third: 0.7 (qdd_third + qdd_second) = -30 q_third
    inertial = 0.7 * (result["third.qdd"] + result["second.qdd"])
    np.testing.assert_allclose(inertial, -30.0 * result["third.q"], atol=1e-12)
    assert np.ptp(result["third.q"]) > 1e-3


def test_inputs_beside_a_function_stay_live_in_a_stepper(cart: il.Plant) -> None:
    stepper = cart.stepper(step=0.01, method="rk4", inputs={"push": lambda t: 2.0 * t})
    stepper.step(pull=0.0)
    stepper.step(pull=5.0)
    # m qd = t² - 5 (t - 0.01)
    assert stepper["cart.qd"] == pytest.approx((0.02**2 - 5.0 * 0.01) / MASS, rel=1e-12)


def test_a_motion_of_a_joint_that_is_not_driven_is_refused(slides: il.Plant) -> None:
    with pytest.raises(il.InputError, match="third: not a driven joint of model 'two_drives'"):
        slides.simulate(t_end=0.1, third=lambda t: t)


def test_a_motion_that_becomes_nan_is_named(slides: il.Plant) -> None:
    motions = {"second": lambda t: 0.1 * il.sqrt(0.0505 - t) ** 5}
    with pytest.raises(il.SimulationError, match=r"'second' is not finite at t = 0\.05"):
        slides.simulate(t_end=0.1, step=1e-3, method="rk4", **motions)


def test_threads_with_functions_give_the_bits_of_one_after_the_other(slides: il.Plant) -> None:
    def run(k: int) -> np.ndarray:
        motions = {"first": lambda t: 0.1 * il.sin((2.0 + k) * t) * il.exp(-t)}
        return slides.simulate(t_end=0.3, step=1e-3, method="rk4", **motions).q

    alone = [run(k) for k in range(6)]
    with ThreadPoolExecutor(6) as pool:
        for one, other in zip(alone, pool.map(run, range(6)), strict=True):
            np.testing.assert_array_equal(one, other)


def test_samples_that_end_before_the_run_are_told() -> None:
    m = il.Model("pushed")
    push = m.input("push", unit="N")
    m.body("cart", on=m.ground, joint=il.prismatic("x"), mass=2.0)
    m.body("slide", on=m.ground, joint=il.prismatic("y"), mass=1.0)
    m.joint_force("cart", lambda: push)
    m.drive("slide")
    plant = m.compile()
    t = np.linspace(0.2, 0.5, 31)
    push, slide = (t, 2.0 + 0.0 * t), (t - 0.2, 0.0 * t)
    result = plant.simulate(t_end=1.0, step=1e-2, inputs={"push": push}, slide=slide)
    # it goes on with its first and last value
    assert result["cart.q"][-1] == pytest.approx(0.5 * 2.0 / 2.0 * 1.0**2)
    assert result.notes == (
        "samples of input 'push' start at t = 0.2 s, the run at 0 s: until then, the value is 2",
        "samples of input 'push' end at t = 0.5 s, the run at 1 s: from then on, the value is 2",
        "samples of drive 'slide' end at t = 0.3 s, the run at 1 s: from then on, the value is 0",
    )
    whole = {"push": (np.linspace(0.0, 0.99, 100), np.ones(100))}
    assert plant.simulate(t_end=1.0, step=1e-2, inputs=whole).notes == ()


@pytest.mark.thinned(2)
@pytest.mark.parametrize("width", [2e-4, 6e-4, 5e-3, 0.1])
def test_steps_chosen_by_their_error_do_not_pass_over_pulses(cart: il.Plant, width: float) -> None:
    def push(t: il.Expr) -> il.Expr:
        return il.where((t > 2.0003) * (t < 2.0003 + width), 3.0 / width, 0.0)

    for runs in (1, 2):
        options = {"t_end": 4.0, "tolerance": 1e-6, "inputs": {"push": push}}
        found = cart.simulate(**options) if runs == 1 else cart.simulate_many(runs=2, **options)
        assert found.notes == ()
        speed = np.atleast_2d(found["cart.qd"])[:, -1]
        assert speed == pytest.approx(3.0 / MASS, rel=1e-4)
    # fixed steps are not trusted with what is shorter than a few of them
    default = cart.simulate(t_end=4.0, inputs={"push": push})
    assert default["cart.qd"][-1] == pytest.approx(3.0 / MASS, rel=1e-2)
    assert default.status == "OK"


def test_pulses_that_steps_may_pass_over_are_told(cart: il.Plant) -> None:
    def push(t: il.Expr) -> il.Expr:
        return il.where((t > 0.2003) * (t < 0.2005), 100.0, 0.0)

    words = "t = 0.2004 s: input 'push' has a pulse of 0.0002 s, over which steps of 0.001 s pass"
    for method in ("rk4", "implicit", "rodas"):
        found = cart.simulate(t_end=0.4, step=1e-3, method=method, inputs={"push": push})
        assert found.doubts[0].startswith(words)
    many = cart.simulate_many(runs=2, t_end=0.4, method="rk4", inputs={"push": push})
    assert many.notes[0].startswith(words)
    # neither what recurs slowly, nor jumps, nor noise that has a sample at each step
    noise = np.random.default_rng(3).normal(size=401)
    for calm in (lambda t: il.sin(99.0 * t), lambda t: il.where(t > 0.2003, 1.0, 0.0),
                 (np.linspace(0.0, 0.4, 401), noise)):  # fmt: skip
        found = cart.simulate(t_end=0.4, step=1e-3, method="rk4", inputs={"push": calm})
        assert not any("pulse" in note for note in found.notes)


def test_pulses_of_laws_and_drives_are_followed() -> None:
    m = il.Model("timed", gravity=(0, 0, 0))
    begin = m.parameter("begin", 2.0, unit="s")
    m.body("cart", on=m.ground, joint=il.prismatic("x"), mass=MASS)
    m.joint_force("cart", lambda t: il.where((t > begin) * (t < begin + 0.01), 300.0, 0.0), "kick")
    m.body("slide", on=m.ground, joint=il.prismatic("y"), mass=1.0)
    m.drive("slide", lambda t: 0.1 * il.exp(-(((t - 3.0) / 1e-3) ** 2)))
    plant = m.compile()
    plant.parameters["begin"] = 1.05
    found = plant.simulate(t_end=4.0, tolerance=1e-6)
    assert found["cart.qd"][-1] == pytest.approx(3.0 / MASS, rel=1e-4)
    told = plant.simulate(t_end=4.0, step=0.1, method="rk4").doubts[0]
    assert told.startswith("t = 1.055 s: law 'kick' has a pulse of 0.01 s, over which")


def test_splines_that_leave_their_samples_are_told(cart: il.Plant) -> None:
    t = np.linspace(0.0, 1.0, 21)
    jump = {"push": (t, np.where(t > 0.45, 1.0, 0.0))}
    assert "reaches -0.1005 at t = 0.425 s" in cart.simulate(t_end=1.0, inputs=jump).notes[0]
    apart = {"push": ([0.0, 0.4, 0.5, 0.6, 1.0], [0.0, 0.0, 9.0, 0.0, 0.0])}
    assert "the spline through them" in cart.simulate(t_end=1.0, inputs=apart).notes[0]
    for smooth in (np.sin(20.0 * t), t * (1.0 - t), 3.0 + 0.0 * t):
        assert cart.simulate(t_end=1.0, inputs={"push": (t, smooth)}).notes == ()


def test_functions_that_are_not_functions_of_time_are_refused(
    cart: il.Plant, slides: il.Plant
) -> None:
    """Traced once, noise would be a constant."""
    noise, calls = np.random.default_rng(0), iter(range(100))
    told = "returns something else when it is called again.*samples"
    for signal in (lambda t: noise.normal(), lambda t: float(next(calls)) * il.sin(t)):
        with pytest.raises(il.InputError, match=f"input 'push' is a function that {told}"):
            cart.simulate(t_end=0.1, inputs={"push": signal})
        with pytest.raises(il.InputError, match=f"drive 'first' is a function that {told}"):
            slides.simulate(t_end=0.1, first=signal)
    table = lambda t: il.table(t, [0.0, 1.0, 2.0], [0.0, 1.0, 4.0]) + il.where(t > 0.5, 1.0, t)  # noqa: E731
    assert cart.simulate(t_end=0.1, inputs={"push": table}).status == "OK"


def test_a_drive_may_be_given_a_constant(slides: il.Plant) -> None:
    held = slides.simulate(t_end=0.3, first=0.07, second=np.float32(0.5))
    assert set(held["first.q"]) == {0.07} and set(held["first.qd"]) == {0.0}
    same = slides.simulate(t_end=0.3, first=lambda t: 0.07, second=lambda t: 0.5)
    np.testing.assert_array_equal(held.q, same.q)
    with pytest.raises(il.InputError, match="drive 'first': the number nan"):
        slides.simulate(t_end=0.3, first=float("nan"))
    with pytest.raises(il.InputError, match="drive 'first' is neither a number"):
        slides.simulate(t_end=0.3, first="0.07")
