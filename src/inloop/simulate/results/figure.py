"""Figures of a run: curves over time in stacked panels, with a drawing next to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from inloop.errors import InputError
from inloop.plant import Array
from inloop.plant.arguments import file_path, name_list, real, useless

if TYPE_CHECKING:
    from inloop.simulate.results.result import Result

Panel = str | Sequence[str]
DPI = 100  # of a figure that is saved or shown
WIDTH, HEIGHT, MARGIN = 8.0, 1.5, 1.0  # of a figure, of a panel, above and below [inch]
LEAST_HEIGHT = 4.2  # of a figure with a drawing [inch]
DRAWING = 1.15  # width of the drawing relative to the curves
INK, GRID = "#333333", "#d8d8d8"
COLORS = ("#1f5fa8", "#d1651a", "#3a8f4d", "#8a4fa3", "#b8322f", "#7a6a53", "#00838f", "#6b6b6b")


def blank_figure(size: tuple[float, float], file: str | Path | None = None) -> Any:
    """An empty figure that needs no window.

    Args:
        size: width and height [inch].
        file: where it will be saved, if anywhere.

    Raises:
        InputError: matplotlib is missing, or cannot write this file format.
    """
    try:
        from inloop.simulate.results.figure_class import InlineFigure
    except ImportError as error:
        raise InputError(
            "plots need matplotlib", fix="Install it with: pip install inloop[plot]"
        ) from error
    figure = InlineFigure(figsize=size, layout="constrained")
    if file is not None:
        ending = file_path(file, "the file of a figure").suffix
        if ending[1:].lower() not in figure.canvas.get_supported_filetypes():
            raise InputError(
                f"cannot draw a figure as '{ending}'",
                fix="Use a name that ends in .png, .svg or .pdf.",
            )
    return figure


def draw_figure(
    result: Result,
    panels: Sequence[Panel],
    *,
    file: str | Path | None = None,
    title: str | None = None,
    drawing: Callable[[Any], None] | None = None,
    until: float | None = None,
) -> Any:
    """Draw curves over time.

    Args:
        result: the run.
        panels: one signal each, or several that share a panel.
        file: save the figure to this file.
        title: title; default: the name of the model.
        drawing: draws on its own axes, left of the curves.
        until: end time of the curves [s].
    """
    chosen = [name_list(panel, "a panel") for panel in panels]
    if not all(chosen):
        raise InputError("a panel has no signals", fix="Name at least one, or leave it out.")
    if until is not None and not real(until, "until") > result.t[0]:
        raise InputError(f"curves cannot end at {until} s", fix="Give a time of the run [s].")
    if drawing is not None and not callable(drawing):
        raise useless(drawing, "drawing", "Give a function of axes.")
    height = MARGIN + HEIGHT * len(panels)
    size = (WIDTH, height) if drawing is None else (1.25 * WIDTH, max(height, LEAST_HEIGHT))
    figure = blank_figure(size, file)
    curves: Any = figure
    if drawing is not None:
        halves: Any = figure.subfigures(1, 2, width_ratios=(DRAWING, 1.0))
        curves = halves[1]
        drawing(halves[0].subplots())
    axes = curves.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for axis, names in zip(axes, chosen, strict=True):
        _draw_panel(result, axis, names)
    axes[-1].set_xlabel("t [s]")
    if until is not None:
        axes[-1].set_xlim(float(result.t[0]), min(float(until), float(result.t[-1])))
    curves.align_ylabels(axes)
    figure.suptitle(result.name if title is None else str(title), color=INK)
    if file is not None:
        figure.savefig(file, dpi=DPI)
    return figure


def broken_at_gaps(result: Result, signal: str) -> tuple[Array, Array]:
    """Times and values, with NaN where records are missing or time goes back, to break lines."""
    back = np.flatnonzero(np.diff(result.t) < 0.0) + 1
    rows = sorted({*(gap.row for gap in result.gaps), *back.tolist()})
    if not rows:
        return result.t, result[signal]
    return np.insert(result.t, rows, np.nan), np.insert(result[signal], rows, np.nan)


def _draw_panel(result: Result, axis: Any, signals: Sequence[str]) -> None:
    for signal, color in zip(signals, COLORS * (1 + len(signals) // len(COLORS)), strict=False):
        x, y = broken_at_gaps(result, signal)
        axis.plot(x, y, linewidth=1.2, color=color, label=signal)
    units = list(dict.fromkeys(result.units.get(signal, "") for signal in signals))
    unit = f" [{units[0]}]" if len(units) == 1 and units[0] else ""
    if len(signals) == 1:
        axis.set_ylabel(f"{signals[0]}{unit}", fontsize=9)
    else:
        axis.set_ylabel(unit.strip())
        # above the panel, where it covers no curve; the power of ten is on the left
        axis.legend(
            fontsize=8, loc="lower right", bbox_to_anchor=(1.0, 0.98), frameon=False, ncols=4,
            handlelength=1.2, columnspacing=1.2, borderaxespad=0.0,
        )  # fmt: skip
    axis.grid(True, color=GRID, linewidth=0.6)
    axis.margins(x=0.0)
    axis.ticklabel_format(axis="y", useOffset=False, scilimits=(-3, 4))
