"""A fit as a figure, and as a self-contained HTML page."""

from __future__ import annotations

import base64
import html
import io
from pathlib import Path
from typing import Any

import numpy as np

from inloop.analysis.fitting.fitted import Comparison, Fitted
from inloop.errors import InputError
from inloop.plant import Array
from inloop.simulate import blank_figure
from inloop.simulate.results.figure import COLORS, GRID, INK

WIDTH, HEIGHT, MARGIN = 10.0, 1.7, 1.0  # figure width, row height, vertical margin [inch]
LAGS = 40  # maximum lag of the correlations drawn
BAND = 1.96  # standard deviations that contain 95 % of white noise
MOST_ROWS = 12  # maximum number of rows (recordings times channels) drawn

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>
body {{ font: 15px/1.5 system-ui, sans-serif; color: #333; max-width: 64em; margin: 2em auto;
padding: 0 1em; }}
table {{ border-collapse: collapse; }} td, th {{ padding: 0.15em 0.8em; text-align: right; }}
td:first-child, th:first-child {{ text-align: left; }} tr {{ border-bottom: 1px solid #ddd; }}
img {{ max-width: 100%; }}
</style></head><body><h1>{title}</h1>
<table><tr><th>parameter</th><th>unit</th><th>first</th><th>value</th><th>deviation</th></tr>
{rows}</table>
<ul>{told}</ul>
<p>Derivatives: {derivatives}; {evaluations} evaluations. Deviations count errors of the outputs as
white noise.</p>
<img alt="measured and predicted outputs, residuals and their correlations"
src="data:image/png;base64,{figure}"></body></html>
"""


def draw(fitted: Fitted, file: str | Path | None = None) -> Any:
    """Plot curves, residuals and their correlations, one row per recording and channel."""
    rows = [(each, c) for each in fitted.comparisons for c in range(len(fitted.outputs))]
    shown = rows[:MOST_ROWS]
    figure = blank_figure((WIDTH, MARGIN + HEIGHT * len(shown)), file)
    axes = figure.subplots(len(shown), 3, squeeze=False, width_ratios=(2.0, 1.3, 1.0))
    for (curves, over, spread), (each, c) in zip(axes, shown, strict=True):
        left = each.measured[:, c] - each.predicted[:, c]
        _draw_curves(curves, each, c)
        unit = fitted.channel_units[c] if fitted.channel_units else ""
        name = f"{fitted.outputs[c]}{f' [{unit}]' if unit else ''}, {each.name}"
        kept = ", kept back" if each.kept_back else ""
        curves.set_title(name + kept, color=INK, fontsize="small", loc="left")
        over.axhspan(-2 * fitted.noise[c], 2 * fitted.noise[c], color=GRID, alpha=0.6)
        over.plot(each.t, left, color=COLORS[7], lw=0.6)
        test = fitted.test_of(each.name, fitted.outputs[c])
        verdict = "white" if test.white else f"{100 * test.structure:.0f} % structure"
        over.set_title(f"residuals, ±2 noise: {verdict}", color=INK, fontsize="small", loc="left")
        _draw_correlations(spread, left)
        for axis in (curves, over, spread):
            axis.grid(color=GRID)
            axis.tick_params(labelsize="small")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower left", ncols=2, fontsize="small")
    axes[-1, 0].set_xlabel("t [s]")
    axes[-1, 1].set_xlabel("t [s]")
    axes[-1, 2].set_xlabel("lag [samples]")
    figure.suptitle(f"{fitted.model}: recordings and the fitted model")
    if file is not None:
        figure.savefig(file)
    return figure


def _draw_curves(axis: Any, each: Comparison, c: int) -> None:
    axis.plot(each.t, each.measured[:, c], color=COLORS[0], lw=1.0, label="measured")
    axis.plot(each.t, each.predicted[:, c], color=COLORS[1], lw=1.0, ls="--", label="model")


def _draw_correlations(axis: Any, left: Array) -> None:
    lags = min(LAGS, len(left) - 1)
    power = float(left @ left) or 1.0
    rho = [float(left[k:] @ left[:-k]) / power for k in range(1, lags + 1)]
    limit = BAND / np.sqrt(len(left))
    axis.axhspan(-limit, limit, color=GRID, alpha=0.6)
    axis.bar(np.arange(1, lags + 1), rho, color=COLORS[0], width=0.7, zorder=3)
    top = min(1.0, max(3.0 * limit, 1.1 * max(map(abs, rho), default=0.0)))
    axis.set_ylim(-top, top)
    axis.set_title("their correlation, 95 % band", color=INK, fontsize="small", loc="left")


def write_page(fitted: Fitted, target: Path) -> Path:
    """Write the page; text from the model is escaped.

    Raises:
        InputError: the suffix is not .html.
    """
    if target.suffix != ".html":
        raise InputError(f"a report cannot be written as '{target.suffix}'", fix="Use .html.")
    picture = io.BytesIO()
    draw(fitted).savefig(picture, format="png")
    rows = zip(
        fitted.names, fitted.units, fitted.first, fitted.values, fitted.deviations, strict=True
    )
    cells = (
        "".join(
            f"<td>{html.escape(text)}</td>" for text in (n, u, f"{a:.6g}", f"{v:.8g}", f"{s:.2g}")
        )
        for n, u, a, v, s in rows
    )
    page = PAGE.format(
        title=html.escape(f"{fitted.model}: parameters from recordings"),
        rows="\n".join(f"<tr>{row}</tr>" for row in cells),
        told="".join(f"<li>{html.escape(line)}</li>" for line in (*fitted.told, *fitted.notes)),
        derivatives=html.escape(fitted.derivatives),
        evaluations=fitted.evaluations,
        figure=base64.b64encode(picture.getvalue()).decode("ascii"),
    )
    target.write_text(page, encoding="utf-8")
    return target
