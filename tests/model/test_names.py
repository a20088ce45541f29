"""Whatever a name is, the report is readable, short and on one line."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inloop.errors import ModelError
from inloop.model import ModelBuilder, prismatic
from inloop.model.names import name_problem, quoted, suggestion

ANY_NAME = st.one_of(st.text(), st.text(max_size=3).map(lambda text: text * 1000))


@given(ANY_NAME)
def test_any_name_is_accepted_or_explained(name: str) -> None:
    m = ModelBuilder("fuzz")
    body = m.body(name, on=m.ground, joint=prismatic("x"), mass=1.3)
    body.point(name, (0.1, 0.2, 0.3))
    m.joint_force(body, lambda q: -q)
    try:
        mechanism = m.build()
    except ModelError as error:
        assert name_problem(name) or name in ("ground", "origin", "com")
        lines = str(error).splitlines()
        assert len(lines) == 1 + len(error.mistakes)
        assert all(len(line) < 1500 for line in lines)
    else:
        assert re.fullmatch("[A-Za-z_][A-Za-z0-9_]{0,62}", name)
        assert mechanism.body(name).name == name
        assert mechanism.describe()


@given(ANY_NAME, st.lists(ANY_NAME))
def test_unknown_names_get_a_suggestion(name: str, known: list[str]) -> None:
    text = suggestion(name, known)
    assert text.isascii() and "\n" not in text and len(text) < 5000


@given(st.one_of(ANY_NAME, st.none(), st.integers(), st.binary()))
def test_quoted_is_one_ascii_line(name: object) -> None:
    text = quoted(name)
    assert text.isascii() and text.isprintable() and len(text) < 500


@pytest.mark.parametrize(
    ("name", "fix"),
    [
        ("left knee", "Write it as 'left_knee'."),
        ("2nd", "Write it as '_2nd'."),
        ("größe", "Write it as 'gr_e'."),
        ("+++", "Write it as 'part'."),
        ("while", "Write it as 'while_'."),
        ("-if-", "Write it as 'if_'."),
    ],
)
def test_a_name_that_works_is_suggested(name: str, fix: str) -> None:
    problem = name_problem(name)
    assert problem is not None and problem[1] == fix
    assert name_problem(fix.split("'")[1]) is None


def test_hostile_names_are_cut_and_escaped() -> None:
    assert quoted("a\nb") == r"'a\nb'"
    assert quoted("x" * 1000) == "'" + "x" * 37 + "...'"
    assert quoted("naïve") == r"'na\xefve'"


@pytest.mark.parametrize("signal", ["slide.q", "slide.qd", "slide.qdd"])
@pytest.mark.parametrize("kind", ["input", "parameter"])
def test_a_signal_of_a_joint_is_not_hidden_by_another_one(kind: str, signal: str) -> None:
    m = ModelBuilder("hidden")
    m.body("slide", on=m.ground, joint=prismatic("x"), mass=1.3)
    value = m.input(signal) if kind == "input" else m.parameter(signal, 1.0)
    m.joint_force("slide", lambda q: value - q)
    with pytest.raises(ModelError, match=f"{kind} '{signal}': the name is already used by the joi"):
        m.build()
