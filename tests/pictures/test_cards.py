"""What notebooks show: complete, well-formed, escaped, and there whatever goes wrong."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import inloop as il
from inloop import gallery
from inloop.realtime.statistics import Histogram
from inloop.simulate.results.cards import MOST_POINTS, card, curve, table
from inloop.simulate.results.result import Gap
from inloop.simulate.results.result import Result as PlainResult

HOSTILE = "<script>alert('x')</script>&\"\u202e"
EMPTY = {"path", "circle"}  # elements that close themselves


class Reader(HTMLParser):
    """Elements and words of a card; every element is closed, none loads anything."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        assert tag in {"div", "b", "span", "table", "tr", "td", "svg", "g", *EMPTY}, tag
        assert not {name for name, _ in attrs} & {"src", "href", "onload", "onerror", "onclick"}
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        assert tag in EMPTY

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_cards_of_a_model_its_plant_and_a_run(swing: il.Result) -> None:
    assert swing.plant is not None
    found = Reader(swing._repr_html_())
    assert {"svg", "circle", "table", "path"} <= set(found.elements)
    assert "bob" in found.words and any("1001 samples" in word for word in found.words)
    plant = Reader(swing.plant._repr_html_())
    assert {"svg", "circle"} <= set(plant.elements) and "bob" in plant.words


def test_the_bob_of_a_card_is_at_its_place() -> None:
    m = gallery.get("double_pendulum").build()
    found = Reader(m._repr_html_())
    assert found.elements.count("circle") == 2 and "lower" in found.words


@pytest.mark.thinned(4)
@pytest.mark.parametrize("name", [n for n in gallery.names() if n not in ("car", "piano")])
def test_every_mechanism_of_the_gallery_has_a_picture(name: str) -> None:
    assert "svg" in Reader(gallery.get(name).build()._repr_html_()).elements


def test_an_unfinished_model_tells_what_is_missing() -> None:
    m = il.Model("half")
    m.body("bob", on=m.ground, joint=il.revolute("y"), mass=-1.0)
    words = " ".join(Reader(m._repr_html_()).words)
    assert "mass" in words and "half" in words
    Reader(il.Model("empty")._repr_html_())


def test_names_are_words_and_never_elements() -> None:
    t = np.linspace(0.0, 1.0, 50)
    result = il.Result.of(
        PlainResult(
            HOSTILE, (HOSTILE,), t, np.sin(t)[:, None], np.cos(t)[:, None], np.zeros((50, 2)),
            status=HOSTILE, notes=(HOSTILE,), units={f"{HOSTILE}.q": HOSTILE}, method=HOSTILE,
        )
    )  # fmt: skip
    found = Reader(result._repr_html_())
    assert "script" not in found.elements and HOSTILE in found.words
    Reader(card(HOSTILE, HOSTILE, table((HOSTILE,), [(HOSTILE,)]), curve(HOSTILE, t, t)))


def test_results_that_are_not_numbers_have_cards_too() -> None:
    t = np.arange(5.0)
    q = np.full((5, 2), np.nan)
    q[:3, 0] = (1.0, np.inf, 2.0)
    result = PlainResult("odd", ("a", "b"), t, q, q, np.full((5, 2), np.nan))
    result = replace(result, gaps=(Gap(2, 1.0, 2.0, 7),))
    words = Reader(il.Result.of(result)._repr_html_()).words
    assert "7 records are missing between t = 1 and 2 s" in words and "–" in words


def points(svg: str) -> list[tuple[float, float]]:
    path = svg.split('<path d="')[2].split('"', maxsplit=1)[0]
    return [
        (float(x), float(y))
        for x, y in (pair.split() for pair in path.replace("M", "L").split("L")[1:])
    ]


def test_a_curve_goes_through_its_points_and_keeps_peaks() -> None:
    x = np.linspace(0.0, 1.0, 5)
    found = np.array(points(curve("", x, np.array([0.0, 1.0, 4.0, 1.0, 0.0]))))
    np.testing.assert_allclose(found[:, 0], 250.0 * x, atol=0.06)
    np.testing.assert_allclose((51.0 - found[:, 1]) / 48.0 * 4.0, [0, 1, 4, 1, 0], atol=0.01)
    # a single sample among many thousands is still seen
    y = np.zeros(100_001)
    y[77_777] = 5.0
    long = points(curve("", np.arange(len(y)) * 1.0, y))
    assert len(long) <= MOST_POINTS + 2 and min(y for _, y in long) == pytest.approx(3.0)
    broken = curve("", x, np.array([0.0, 1.0, np.nan, 1.0, 0.0]))
    assert broken.split('<path d="')[2].split('"')[0].count("M") == 2


def test_a_deadline_report_has_a_card() -> None:
    plant = gallery.get("pendulum").build().compile()
    took = [1e-5 * (k % 7) for k in range(200)]
    report = il.run(plant, rate=1000, seconds=0.2, clock=il.ScriptedClock(took=took), name="carded")
    found = Reader(report._repr_html_())
    assert "step, wall clock" in found.words and "svg" in found.elements
    empty = replace(
        report,
        statistics=replace(
            report.statistics,
            histograms={k: _nothing(h) for k, h in report.statistics.histograms.items()},
        ),
    )
    Reader(empty._repr_html_())


def _nothing(histogram: Any) -> Histogram:
    return replace(histogram, counts=np.zeros_like(histogram.counts))
