"""Tables, strict JSON, drawn curves; with and without `rich`."""

from __future__ import annotations

import builtins
import json
import sys
from typing import Any

import numpy as np
import pytest

from inloop.cli import output
from inloop.cli.output import duration, plain_table, print_json
from inloop.cli.trace import draw_curve

HEADER, ROWS = ("name", "value"), [("[b]arm", "1.5"), ("a_longer_name", "10")]


def test_what_is_no_number_becomes_null(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"a": float("nan"), "b": [np.float64("inf"), np.int64(3)], 4: True, "c": None})
    text = capsys.readouterr().out
    assert json.loads(text) == {"a": None, "b": [None, 3.0], "4": True, "c": None}


def test_columns_are_aligned() -> None:
    lines = plain_table(HEADER, ROWS)
    assert lines == [
        "  name           value",
        "  -------------  -----",
        "  [b]arm           1.5",
        "  a_longer_name     10",
    ]


@pytest.mark.parametrize("rich", [True, False])
def test_a_terminal_gets_the_same_words(
    rich: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "20")
    if not rich:
        forbid(monkeypatch, "rich")
    output.heading("Title [1]")
    output.table(HEADER, ROWS)
    text = capsys.readouterr().out
    for line in plain_table(HEADER, ROWS):
        assert line in text
    assert "Title [1]" in text


def forbid(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    original = builtins.__import__

    def guarded(name: str, *rest: Any, **options: Any) -> Any:
        if name.partition(".")[0] == package:
            raise ImportError(name)
        return original(name, *rest, **options)

    monkeypatch.setattr(builtins, "__import__", guarded)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(3.21e-9, "3.21 ns"), (4.5e-5, "45 µs"), (0.0123, "12.3 ms"), (2.0, "2 s")],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_a_circle_is_round() -> None:
    t = np.linspace(0.0, 2.0 * np.pi, 2000)
    lines = draw_curve(np.cos(t), np.sin(t), columns=40, most_rows=10)
    assert len(lines) == 10
    assert len({len(line) for line in lines}) == 1
    # a character is half as wide as high
    assert len(lines[0]) == pytest.approx(2 * len(lines), abs=1)
    assert lines[5][len(lines[5]) // 2] == "⠀"


def test_a_point_can_be_drawn() -> None:
    assert draw_curve(np.array([1.0, 1.0]), np.array([2.0, 2.0])) == ["⠁"]
