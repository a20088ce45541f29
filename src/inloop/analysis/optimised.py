"""Result of a design optimization: the best design, and the history of the search."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from inloop.simulate import blank_figure
from inloop.simulate.results.figure import COLORS, GRID, INK


@dataclass(frozen=True)
class Design:
    """One design that was evaluated.

    Attributes:
        values: parameter values by name.
        merit: its figure of merit; NaN if it failed.
        reason: why it failed, else "".
    """

    values: dict[str, float]
    merit: float
    reason: str = ""


@dataclass(frozen=True)
class Optimised:
    """The best design, and the history of the search.

    Attributes:
        values: parameter values by name.
        merit: figure of merit; smaller is better.
        first: the initial design.
        history: all designs evaluated, in order.
        bounds: bounds of the parameters.
        limits: constraint values at the best design, by name; not below 0 if satisfied.
        converged: whether the search converged.
        notes: notes for the reader.
    """

    values: dict[str, float]
    merit: float
    first: Design
    history: tuple[Design, ...]
    bounds: dict[str, tuple[float, float]]
    limits: dict[str, float]
    converged: bool
    notes: tuple[str, ...] = field(default=())

    @property
    def failed(self) -> tuple[Design, ...]:
        """Designs that could not be evaluated."""
        return tuple(each for each in self.history if each.reason)

    def __str__(self) -> str:
        """A table of parameters before and after."""
        width = max(len(name) for name in (*self.values, "parameter", "figure of merit"))
        lines = [f"{'parameter':{width}}  {'before':>12}  {'after':>12}  {'from':>10}  {'to':>10}"]
        for name, value in self.values.items():
            low, high = self.bounds[name]
            before = self.first.values[name]
            lines.append(
                f"{name:{width}}  {before:12.6g}  {value:12.6g}  {low:10.4g}  {high:10.4g}"
            )
        lines.append(f"{'figure of merit':{width}}  {self.first.merit:12.6g}  {self.merit:12.6g}")
        lines += [f"{name}: {value:.4g}" for name, value in self.limits.items()]
        lines.append(f"{len(self.history)} designs, {len(self.failed)} of them failed")
        return "\n".join([*lines, *self.notes])

    __repr__ = __str__  # typed at a prompt, it tells the same

    def plot(self, *, file: str | Path | None = None) -> Any:
        """Plot figures of merit and parameters of all designs, in order of evaluation."""
        figure = blank_figure((8.0, 5.0), file)
        merits, way = figure.subplots(2, 1, sharex=True)
        tried = np.arange(1, len(self.history) + 1)
        values = np.array([each.merit for each in self.history])
        merits.plot(tried, values, ".", color=COLORS[0], ms=4, label="tried")
        best = np.fmin.accumulate(values)
        merits.plot(tried, best, color=COLORS[1], lw=1.2, label="best so far")
        if np.nanmin(values) > 0.0:
            merits.set_yscale("log")
        for k, each in enumerate(self.history, start=1):
            if each.reason:
                merits.axvline(k, color=COLORS[4], lw=0.5, alpha=0.5)
        merits.set_ylabel("figure of merit", color=INK)
        merits.legend(fontsize="small")
        for k, (name, (low, high)) in enumerate(self.bounds.items()):
            part = [(each.values[name] - low) / (high - low) for each in self.history]
            way.plot(tried, part, color=COLORS[k % len(COLORS)], lw=1.0, label=name)
        way.set_ylabel("part of the range", color=INK)
        way.set_xlabel("design")
        way.legend(fontsize="small", ncols=2)
        for axis in (merits, way):
            axis.grid(color=GRID)
        if file is not None:
            figure.savefig(file)
        return figure
