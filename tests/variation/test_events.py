"""Derivatives of runs with events, forwards and backwards."""

from __future__ import annotations

import numpy as np
import pytest
from linkage_model import striking_linkage

import inloop as il
from inloop.gallery.bouncing_ball import bouncing_ball

STEP = 1e-30  # along the imaginary axis: the derivative is its imaginary part, without cancellation
EXACT = 1e-8  # relative to the largest value over the run
BALL = {"t_end": 6.0, "step": 1e-2, "sample": 0.1, "method": "rk4"}


@pytest.fixture(scope="module")
def ball() -> il.Plant:
    return bouncing_ball().compile()


@pytest.fixture(scope="module")
def striking() -> il.Plant:
    return striking_linkage()


def flight(t: float, g: complex, e: complex, h: complex, v0: complex) -> tuple[complex, complex]:
    """q and qd of the ball: flights of 2 v/g, v times e at each impact."""
    v = np.sqrt(v0 * v0 + 2.0 * g * h)
    landed, up = (v0 + v) / g, v * e
    if t < landed.real:
        return h + v0 * t - g * t * t / 2.0, v0 - g * t
    while t >= (landed + 2.0 * up / g).real:
        landed, up = landed + 2.0 * up / g, up * e
    s = t - landed
    return up * s - g * s * s / 2.0, up - g * s


FLIGHT = {"g": 9.81, "e": 0.9, "ball.q": 1.0, "ball.qd": 0.0}


def moved(t: np.ndarray, name: str) -> np.ndarray:
    """q and qd of the ball at all times, one of its numbers with an imaginary part."""
    values = [v + 1j * STEP * (name == which) for which, v in FLIGHT.items()]
    return np.array([flight(s, *values) for s in t]).T


def test_bouncing_ball_past_ten_impacts(ball: il.Plant) -> None:
    run = ball.simulate(**BALL, sensitivities=["mass", *FLIGHT])
    assert len(run.events) > 10
    found = run.sensitivities
    assert found is not None
    for name in FLIGHT:
        for kind, wanted in zip(("q", "qd"), moved(run.t, name).imag / STEP, strict=True):
            size = np.abs(wanted).max()
            np.testing.assert_allclose(found[f"ball.{kind}", name], wanted, atol=EXACT * size)
    assert np.all(found["ball.q", "mass"] == 0.0)


def test_gradient_past_ten_impacts(ball: il.Plant) -> None:
    """The sum of squares in closed form, too."""
    times = 0.1 * np.arange(61)
    recorded = {"ball.q": 0.3 * np.cos(times), "ball.qd": np.sin(times)}
    found = ball.gradient(recorded, ["mass", *FLIGHT], **BALL)
    assert len(found.result.events) > 10
    for name in FLIGHT:
        left = moved(times, name) - np.stack(list(recorded.values()))
        total = np.sum(left * left)
        assert found.value == pytest.approx(total.real, rel=1e-10)
        assert found[name] == pytest.approx(total.imag / STEP, rel=EXACT)
    assert found["mass"] == 0.0


BY = ["k", "e", "stop", "crank.B.x", "motor", "crank.q", "rocker.tau", "friction.z"]
STRIKING = {"t_end": 0.3, "step": 1e-3, "sample": 0.007, "method": "rk4"}


@pytest.mark.long
def test_backwards_over_events_is_the_transpose_of_forwards(
    striking: il.Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An impact with loops, a mode that holds all joints, a state that an event sets."""
    result = striking.simulate(**STRIKING, sensitivities=BY)
    assert [e.name for e in result.events] == ["strike_free", "catch", "let_go"]
    signals = ("crank.q", "rocker.qd", "coupler.q", "lam.pin.x", "friction.effort", "friction.z")
    recorded = {name: np.sin(3.0 * result.t) for name in signals}
    found = striking.gradient(recorded, BY, **STRIKING)
    assert result.sensitivities is not None
    wanted = sum(2.0 * (result[x] - recorded[x]) @ result.sensitivities[x] for x in signals)
    np.testing.assert_allclose(found.values, wanted, rtol=1e-11)
    monkeypatch.setattr("inloop.simulate.sensitivities.way_back.MOST_KEPT", 60)
    pieces = striking.gradient(recorded, BY, **STRIKING)
    np.testing.assert_allclose(pieces.values, found.values, rtol=1e-11)


@pytest.mark.long
def test_forwards_over_events_is_what_runs_differ_by(striking: il.Plant) -> None:
    run = {**STRIKING, "t_end": 0.126, "step": 2e-5}
    result = striking.simulate(**run, sensitivities=BY)
    assert len(result.events) == 1 and result.sensitivities is not None
    for name, increment in (("e", 1e-3), ("stop", 1e-4)):
        value, ends = striking.parameters[name], []
        for share in (1.0, -1.0, 0.5, -0.5):
            striking.parameters[name] = value + share * increment
            ends.append(striking.simulate(**run).q[-1])
        striking.parameters[name] = value
        far, near = (ends[0] - ends[1]) / 2.0, ends[2] - ends[3]
        mine = [result.sensitivities[f"{x}.q", name][-1] for x in striking.coordinates]
        np.testing.assert_allclose(mine, (4.0 * near - far) / 3.0 / increment, rtol=1e-6)


def test_signals_that_a_mode_lacks_are_named(striking: il.Plant) -> None:
    def held(result: il.Result) -> tuple[float, dict[str, np.ndarray]]:
        """The last multiplier of a wall that is not there any more."""
        return 0.0, {"lam.wall.hold": np.eye(len(result.t))[-1]}

    with pytest.raises(il.InputError, match=r"'lam\.wall\.hold' at samples in mode 'late'"):
        striking.gradient(held, BY, **STRIKING)
    recorded = {"lam.wall.hold": np.zeros(44)}
    with pytest.raises(il.InputError, match=r"'lam\.wall\.hold' is compared at samples in mode"):
        striking.gradient(recorded, BY, **STRIKING)


def test_events_by_inputs_over_time() -> None:
    """What holds a mass lets go when the input exceeds a preload: F sin ωt, from then on."""
    m = il.Model("held")
    preload, kick = m.parameter("preload", 2.0), m.parameter("kick", 0.7)
    mass = m.body("mass", on=m.ground, joint=il.prismatic("x"), mass=0.8)
    push = m.input("push", unit="N")
    m.joint_force("mass", lambda q, qd: push - preload, "net")
    held, free = m.mode("held"), m.mode("free")
    with m.during(held):
        m.lock(mass, name="wall")
    m.event("let_go", lambda force: force["wall"], mode=held, to=free,
            then=lambda: {"mass.qd": kick})  # fmt: skip
    plant = m.compile()
    given = {"t_end": 1.0, "step": 1e-3, "sample": 0.1, "method": "rk4",
             "inputs": {"push": lambda t: 5.0 * il.sin(2.0 * t)}}  # fmt: skip
    run = plant.simulate(**given, sensitivities=["preload", "push", "kick"])
    assert [e.name for e in run.events] == ["let_go"] and run.sensitivities is not None

    def position(t: float, preload: complex, push: complex, kick: complex) -> complex:
        """q with a constant added to the input."""
        gone = np.arcsin((preload - push) / 5.0) / 2.0
        s, p = t - gone, preload - push
        pushed = 5.0 * (s * np.cos(2.0 * gone) / 2.0 - (np.sin(2.0 * t) - np.sin(2.0 * gone)) / 4.0)
        return 0.0 * s if s.real < 0.0 else kick * s + (pushed - p * s * s / 2.0) / 0.8

    recorded = {"mass.q": np.cos(run.t)}
    back = plant.gradient(recorded, ["preload", "push", "kick"], **given)
    for k, name in enumerate(("preload", "push", "kick")):
        at = [v + 1j * STEP * (i == k) for i, v in enumerate((2.0, 0.0, 0.7))]
        exact = np.array([position(t, *at) for t in run.t])
        wanted = exact.imag / STEP
        np.testing.assert_allclose(run.sensitivities["mass.q", name], wanted, atol=1e-9)
        total = np.sum((exact - recorded["mass.q"]) ** 2).imag / STEP
        assert back[name] == pytest.approx(total, rel=EXACT)
    assert np.abs(wanted).max() > 0.1
