"""What careless users write is refused, in words that help."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inloop as il
from inloop.gallery.bouncing_ball import bouncing_ball

GOOD: dict[str, Any] = {"measured": {"rail.q": 1e-3}}


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"measured": {}}, "observer of model 'oscillator': no measured outputs"),
        ({"measured": {"rail.x": 1e-3}}, "no output 'rail.x'.*Did you mean 'rail.q'"),
        ({"measured": {"rail.q": 0.0}}, "the noise of 'rail.q' is 0"),
        ({"measured": {"rail.q": float("nan")}}, "the noise of 'rail.q' is nan"),
        ({"measured": {"rail.q": 1e-300}}, "the noise of 'rail.q' is 1e-300.* from 1e-100"),
        ({"doubt": {"rail.q": 1e200}}, "the doubt of state 'rail.q' is 1e\\+200"),
        ({"spread": 1e-9, "method": "ukf"}, "spread is 1e-09"),
        ({"measured": ["rail.q"]}, "Give a dictionary"),
        ({"disturbances": {"rail.tua": 1.0}}, "no input 'rail.tua'"),
        ({"disturbances": {"rail.tau": -1.0}}, "the disturbance of 'rail.tau' is -1"),
        ({"unknown": {"rail.tau": 0.0}}, "the change of unknown 'rail.tau' is 0"),
        ({"offsets": {"rail.qd": 0.1}}, "no sensor 'rail.qd'"),
        ({"doubt": {"rail.qdd": 0.1}}, "no state 'rail.qdd'"),
        ({"method": "lqr"}, "method 'lqr' is unknown"),
        ({"integrator": "moreau"}, "integrator 'moreau' is unknown"),
        ({"period": 0.0}, "the period is 0"),
        ({"step": 3e-4}, "not a whole number of steps"),
        ({"delays": {"rail.q": 1.5e-3}}, "a delay of 0.0015 s of 'rail.q' is not a whole number"),
        ({"delays": {"rail.qd": 1e-3}}, "no measured output 'rail.qd'"),
        ({"delays": {"rail.q": 1e-3}, "method": "mhe"}, "'mhe' does not support delays"),
        ({"gate": 4.0, "method": "mhe"}, "'mhe' does not support gate="),
        ({"bounds": {"rail.q": (0.0, 1.0)}}, "'ekf' does not support bounds"),
        ({"bounds": {"rail.q": (1.0, 0.0)}, "method": "mhe"}, "are empty"),
        ({"horizon": 0, "method": "mhe"}, "a horizon of 0 samples"),
        ({"horizon": 10**9, "method": "mhe"}, "a horizon of 1000000000 samples. Give 1 to 1000"),
        (
            {"horizon": 1000, "bounds": {"rail.q": (0.0, 1.0)}, "method": "mhe"},
            "the two make 2002 bounds",
        ),
        ({"bounds": {"rail.q": 1.0}, "method": "mhe"}, "bounds of 'rail.q' are 1.0. Give a pair"),
        ({"unobserved": ["rail.x"]}, "no state 'rail.x'"),
        ({"unknown": {"rail.tau": il.observers.Unknown(1.0, time=1.0, smooth=True)}}, "smooth"),
    ],
)
def test_a_wrong_argument_is_named(oscillator: il.Plant, wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(il.InputError, match=words):
        il.observer(oscillator, **{**GOOD, **wrong})


def test_states_that_nothing_tells_are_named() -> None:
    m = il.Model("two_carts", gravity=(0.0, 0.0, 0.0))
    m.body("left", on=m.ground, joint=il.prismatic("x", name="a"), mass=1.0)
    m.body("right", on=m.ground, joint=il.prismatic("x", name="b"), mass=2.0)
    plant = m.compile()
    with pytest.raises(il.InputError, match=r"do not determine 'b.q'") as told:
        il.observer(plant, measured={"a.q": 1e-3, "b.qd": 1e-3})
    assert "unobserved=" in str(told.value)
    assert "'a.q'" not in str(told.value)
    il.observer(plant, measured={"a.q": 1e-3, "b.qd": 1e-3}, unobserved="b.q")


def test_what_is_even_about_the_start_tells_nothing_there() -> None:
    """The height of a pendulum, where it hangs: its slope is zero, and was one of rounding."""
    m = il.Model("hanging")
    bob = m.body("bob", on=m.ground, joint=il.revolute("y", name="pin"), mass=1.1,
                 com=(0.0, 0.0, -0.5), inertia=(0.01, 0.01, 0.01))  # fmt: skip
    m.sensor("tip", il.sensors.position(bob.point("end", (0.0, 0.0, -0.9))))
    plant = m.compile()
    with pytest.raises(
        il.InputError, match=r"do not determine 'pin.q', 'pin.qd'|'pin.qd', 'pin.q'"
    ):
        il.observer(plant, measured={"tip.z": 1e-3})
    il.observer(plant, measured={"tip.z": 1e-3}, q={"pin": 0.3})


def test_an_effort_and_an_offset_that_cannot_be_told_apart(oscillator: il.Plant) -> None:
    with pytest.raises(il.InputError, match="do not determine"):
        il.observer(
            oscillator, measured={"rail.q": 1e-3}, unknown={"rail.tau": 1.0},
            offsets={"rail.q": 1e-3},
        )  # fmt: skip


def test_plants_that_cannot_be_observed_are_refused() -> None:
    with pytest.raises(il.InputError, match=r"has modes|is hard"):
        il.observer(bouncing_ball().compile(), measured={"ball.q": 1e-3})


def test_samples_that_make_no_sense(oscillator: il.Plant) -> None:
    observer = il.observer(oscillator, **GOOD)
    with pytest.raises(il.InputError, match=r"no output 'rail.q'"):
        observer.step({"rail.qd": 0.0})
    observer.step({"t": 0.0, "rail.q": 0.0})
    with pytest.raises(il.InputError, match=r"0.0004 s after the last one.* period .*is 0.001 s"):
        observer.step({"t": 4e-4, "rail.q": 0.0})
    with pytest.raises(il.InputError, match="measured outputs"):
        observer.update(np.zeros(2), np.zeros(1))
    with pytest.raises(il.InputError, match=r"input 'rail.tau' is not finite"):
        observer.update(np.zeros(1), np.full(1, np.nan))
    with pytest.raises(il.InputError, match=r"no output 'rail.qdq'|Did you mean"):
        observer.estimate["rail.qdq"]
    with pytest.raises(il.InputError, match="do not come once per period"):
        observer.follow({"t": [0.0, 0.1, 0.3], "rail.q": [0.0, 0.0, 0.0]})
    with pytest.raises(il.InputError, match="Give a result"):
        observer.follow([1.0, 2.0])


def test_samples_that_are_no_numbers_by_name(oscillator: il.Plant) -> None:
    observer = il.observer(oscillator, **GOOD)
    for sample, words in (
        (None, "a sample is a NoneType.*Give outputs by name"),
        ([0.1], "a sample is a list"),
        ({"rail.q": "a"}, "'rail.q' in a sample is 'a'"),
        ({"rail.q": 0.1, "rail.tau": None}, "'rail.tau' in a sample is None"),
        ({"rail.q": 0.1, "t": [1.0, 2.0]}, "'t' in a sample is"),
    ):
        with pytest.raises(il.InputError, match=words):
            observer.step(sample)  # type: ignore[arg-type]


def test_an_observer_is_not_compiled_into_a_plant(oscillator: il.Plant) -> None:
    observer = il.observer(oscillator, **GOOD)
    for controller in (observer, observer.leading(lambda t, estimate: {})):
        m = il.Model("cart")
        m.body("cart", on=m.ground, joint=il.prismatic("x", name="rail"), mass=1.3)
        m.controller(controller, period=1e-3)
        with pytest.raises(il.ModelError, match=r"an observer cannot .*Pass it to a run"):
            m.compile()


def test_a_gate_that_leaves_out_all_that_is_right_is_told(oscillator: il.Plant) -> None:
    """The start is far off and thought to be sure: nothing ever passes the gate."""
    observer = il.observer(oscillator, gate=4.0, q={"rail": 3.0}, doubt={"rail.q": 1e-3}, **GOOD)
    for _ in range(150):
        observer.step({"rail.q": 0.0})
    # while it swings through zero some samples may pass
    assert "'rail.q' was rejected" in observer.notes[0]
    assert any("has been used for" in note and "more doubt=" in note for note in observer.notes)


def test_noise_of_an_unknown_input_comes_on_top_of_its_own(oscillator: il.Plant) -> None:
    """Q of a sample has both variances."""
    own, more = 0.3, 0.4  # in a second, at each sample
    observer = il.observer(
        oscillator, measured={"rail.q": 1e-3}, unknown={"rail.tau": own}, period=5e-3,
        states={"rail.tau.unknown": more},
    )  # fmt: skip
    _, Q, _ = observer.linear()
    k = observer.states.index("rail.tau.unknown")
    assert Q[k, k] == pytest.approx(own**2 * 5e-3 + more**2, rel=1e-9)
    late = il.observers.Unknown(own, lag=5e-3)
    with pytest.raises(il.InputError, match=r"'rail.tau.unknown.ago_1', which only tells what"):
        il.observer(
            oscillator, measured={"rail.q": 1e-3}, unknown={"rail.tau": late}, period=5e-3,
            states={"rail.tau.unknown.ago_1": more},
        )  # fmt: skip
