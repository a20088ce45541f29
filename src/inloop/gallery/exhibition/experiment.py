"""Experiments with mechanisms of the gallery: they return figures by name and a drawing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import inloop as il

DOTS_PER_INCH = 120


@dataclass(frozen=True)
class Bench:
    """Plants and settings for an experiment.

    Attributes:
        compile: returns a plant of the exhibit with the parameters that the user chose; takes
            options of the exhibit by name, and `formulation` of `Model.compile`.
        seconds: length of the experiment, if the user chose one [s].
    """

    compile: Callable[..., il.Plant]
    seconds: float | None = None

    def at_least(self, least: float, default: float) -> float:
        """Length of an experiment that shows nothing before a time `least` [s].

        Raises:
            InputError: the user chose a shorter one.
        """
        if self.seconds is not None and self.seconds < least:
            raise il.InputError(
                f"{self.seconds:g} s are too short for this experiment",
                fix=f"Give seconds >= {least:g}.",
            )
        return self.seconds or default


@dataclass(frozen=True)
class Outcome:
    """Results of an experiment.

    Attributes:
        figures: numbers or tuples of numbers, by name; a name ends with its unit, if any:
            "release_1 [s]".
        draw: draws into an empty matplotlib figure.
        size: width and height of the drawing [inch].
        result: the run that was evaluated, if there was a single one.
        notes: remarks for readers of the figures.
        table: the figures as a table, printed instead of a list.
    """

    figures: Mapping[str, float | tuple[float, ...]]
    draw: Callable[[Any], None]
    size: tuple[float, float] = (8.0, 6.0)
    result: il.Result | None = None
    notes: tuple[str, ...] = ()
    table: str = ""

    def plot(self, file: str | Path) -> Path:
        """Draw into a file; its extension determines the format."""
        figure = il.blank_figure(self.size, file)
        self.draw(figure)
        figure.savefig(file, dpi=DOTS_PER_INCH)
        return Path(file)


@dataclass(frozen=True)
class Experiment:
    """An experiment with an exhibit.

    Attributes:
        doc: one line: what is done, what there is to see.
        run: performs it.
        fixed_length: `run` does not use `Bench.seconds`, so the user cannot choose a length.
    """

    doc: str
    run: Callable[[Bench], Outcome]
    fixed_length: bool = False
