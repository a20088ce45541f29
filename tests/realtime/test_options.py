"""Whatever is given as an option either makes sense or is told in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from realtime_arm import own_name

import inloop as il
from inloop.realtime import Loop, Options

ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.floats(),
    st.integers(),
    st.just(10**400),
    st.sampled_from(["x", "clock", "safe", "rk4", "", "q\0"]),
    st.lists(st.floats(), max_size=3),
    st.dictionaries(
        st.one_of(st.sampled_from(["push", "DIVERGED", "shoulder"]), st.integers()),
        st.one_of(st.none(), st.floats(), st.sampled_from(["hold", "x"])),
        max_size=2,
    ),
    st.just(math.sin),
)
OPTIONS = sorted(Options.__dataclass_fields__)
GIVEN = ["seconds", "q", "qd", "tau", "inputs", "motions", "about", "rehearse"]


def told(error: il.InloopError, name: str) -> None:
    """What is wrong, which element, what to do."""
    mistake = error.mistakes[0]
    assert mistake.what and mistake.fix, name


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(OPTIONS), ANYTHING)
def test_no_option_ends_in_a_raw_error(name: str, value: Any) -> None:
    try:
        Options(**{name: value})
    except il.InputError as error:
        told(error, name)


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.sampled_from([*GIVEN, "safe", "stale_after", "most_late", "policies"]), ANYTHING)
def test_a_run_starts_or_says_why_not(plant: il.Plant, name: str, value: Any) -> None:
    with own_name("options") as running:
        options: dict[str, Any] = {"name": running, "mode": "free", "paused": True, name: value}
        try:
            il.start(plant, **options).close()
        except il.InloopError as error:
            told(error, name)


@given(ANYTHING, ANYTHING)
def test_attaching_says_what_is_wrong(name: Any, wait: Any) -> None:
    # a plant that is not there, without the patience that somebody might have asked for
    wait = 0.0 if isinstance(wait, (int, float)) and not isinstance(wait, bool) else wait
    with pytest.raises(il.InloopError) as error:
        il.attach(name, wait)
    told(error.value, "attach")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"stale_after": 1e300}, "stale_after = 1e.300 s makes no sense"),
        ({"safe": "x"}, "safe = 'x' makes no sense"),
        ({"safe": {"push": "x"}}, "safe: 'push' = 'x' makes no sense"),
        ({"paused": 3}, "paused = 3 makes no sense"),
        ({"substeps": 2.5}, "substeps = 2.5 makes no sense"),
        ({"seconds": "1"}, "a run of '1' s makes no sense"),
        ({"q": "x"}, "q = 'x' makes no sense"),
    ],
)
def test_words(plant: il.Plant, name: str, options: dict[str, Any], words: str) -> None:
    with pytest.raises(il.InputError, match=words):
        il.start(plant, **{"name": name, "mode": "free", **options})


def test_a_model_without_bodies_is_told() -> None:
    with pytest.raises(il.ModelError, match=r"model 'empty' has nothing that moves.*m\.body"):
        il.Model("empty").compile()


CALLS: dict[str, Callable[[Loop, Any], object]] = {
    "write": lambda loop, x: loop.mailbox.write(x),
    "write one": lambda loop, x: loop.mailbox.write(push=x),
    "write efforts": lambda loop, x: loop.mailbox.write(tau=x),
    "rest": lambda loop, x: loop.mailbox.rest(push=x),
    "answer": lambda loop, x: loop.mailbox.answer(x, {"push": 1.0}),
    "stamp": lambda loop, x: loop.mailbox.answer(1, {"push": 1.0}, stamp=x),
    "parameter": lambda loop, x: loop.mailbox.parameters.__setitem__("stiffness", x),
    "parameters": lambda loop, x: loop.mailbox.parameters.set(x),
    "parameters at": lambda loop, x: loop.mailbox.parameters_at(x),
    "step": lambda loop, x: loop.mailbox.step(x),
    "speed": lambda loop, x: loop.mailbox.set_speed(x),
    "place": lambda loop, x: loop.mailbox.place("elbow", x),
    "place which": lambda loop, x: loop.mailbox.place(x, 0.1),
    "restore": lambda loop, x: loop.mailbox.restore(x),
    "advance": lambda loop, x: loop.clock.advance(x),
    "advance to": lambda loop, x: loop.clock.advance_to(x),
    "script": lambda loop, x: il.ScriptedClock(late=x),
}


@pytest.fixture(scope="module")
def paused(plant: il.Plant) -> Iterator[Loop]:
    """A loop whose time may pass at once: it is paused."""
    with (
        own_name("calls") as running,
        il.start(plant, name=running, clock=il.ScriptedClock(), paused=True) as loop,
    ):
        yield loop


@settings(max_examples=150, deadline=None)
@given(name=st.sampled_from(sorted(CALLS)), value=ANYTHING)
def test_a_call_works_or_says_why_not(paused: Loop, name: str, value: Any) -> None:
    try:
        CALLS[name](paused, value)
    except il.InputError as error:
        told(error, name)
    paused.mailbox.pause()  # any number of steps may have begun


@pytest.mark.parametrize("seconds", [math.nan, -math.inf, "x", None])
def test_nobody_waits_for_a_time_that_makes_no_sense(paused: Loop, seconds: Any) -> None:
    for wait in (paused.mailbox.wait, paused.mailbox.answered, paused.wait):
        if (wait, seconds) != (paused.wait, None):  # to the end
            with pytest.raises(il.InputError, match=f"a wait of {seconds!r} s makes no sense"):
                wait(seconds)
