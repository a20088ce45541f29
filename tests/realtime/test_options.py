"""Whatever is given as an option either makes sense or is told in words."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from realtime_arm import own_name

import inloop as il
from inloop.realtime import Options

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
