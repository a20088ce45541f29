"""Experiments with mechanisms of the gallery: they end with figures by name, and a drawing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import inloop as il

DOTS_PER_INCH = 120


@dataclass(frozen=True)
class Bench:
    """What an experiment works with.

    Attributes:
        compile: returns a plant of the exhibit with the parameters that the user chose; takes
            options of the exhibit by name, and `formulation` of `Model.compile`.
        seconds: length of the experiment, if the user chose one [s].
    """

    compile: Callable[..., il.Plant]
    seconds: float | None = None


@dataclass(frozen=True)
class Outcome:
    """What an experiment has found.

    Attributes:
        figures: numbers, or several in a row, by name; the unit ends the name where there is one:
            "release_1 [s]".
        draw: draws into an empty figure of matplotlib.
        size: width and height of the drawing [inch].
        result: the run that was looked at, if there was a single one.
        notes: what a reader of the figures should know.
        table: the figures for people, where they make more than a list; printed in its place.
    """

    figures: Mapping[str, float | tuple[float, ...]]
    draw: Callable[[Any], None]
    size: tuple[float, float] = (8.0, 6.0)
    result: il.Result | None = None
    notes: tuple[str, ...] = ()
    table: str = ""

    def plot(self, file: str | Path) -> Path:
        """Draw into a file; its ending tells the format."""
        figure = il.blank_figure(self.size, file)
        self.draw(figure)
        figure.savefig(file, dpi=DOTS_PER_INCH)
        return Path(file)


@dataclass(frozen=True)
class Experiment:
    """Something to be tried with an exhibit.

    Attributes:
        doc: one line: what is tried, what there is to see.
        run: tries it.
    """

    doc: str
    run: Callable[[Bench], Outcome]
