"""Experiments with impacts: what they print beside what is known, and their figures."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

from inloop import gallery
from inloop.gallery import Bench

# experiment, quantities beside known ones, and how close they must be
EXPERIMENTS = [
    ("bouncing_ball", "bounce", {"first impacts": 1e-9, "rests from": 1e-6}),
    (
        "rocking_block",
        "rock",
        {"first impacts": 2e-4, "speed after an impact, of that before": 1e-3},
    ),
    (
        "slider_clearance",
        "rattle",
        {"angles of crank and rod after 20 ms": 1e-3, "their speeds then": 5e-2},
    ),
]


@pytest.mark.parametrize(("name", "experiment", "close"), EXPERIMENTS)
def test_figures_are_beside_known_ones(name: str, experiment: str, close: dict[str, float]) -> None:
    exhibit = gallery.get(name)
    outcome = exhibit.experiments[experiment].run(Bench(lambda: exhibit.build().compile()))
    for quantity, tolerance in close.items():
        (found,) = (v for k, v in outcome.figures.items() if k.split(" [")[0] == quantity)
        (known,) = (
            v for k, v in outcome.figures.items() if k.split(" [")[0] == f"{quantity}, known"
        )
        assert np.abs(np.subtract(found, known)).max() < tolerance, quantity
    figure = Figure()
    outcome.draw(figure)
    assert all(axes.lines for axes in figure.axes)
