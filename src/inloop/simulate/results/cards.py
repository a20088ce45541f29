"""Representations for notebooks: small, self-contained HTML cards with tables and curves.

All text is escaped. Colors are those of the surrounding page (`currentColor`), readable on light
and dark backgrounds; nothing is loaded from elsewhere.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence

import numpy as np

from inloop.plant import Array

WIDTH, HEIGHT = 250.0, 54.0  # of a small plot [pixels]
MOST_POINTS = 400  # of a curve
MOST_ROWS = 12  # of a table
LINE = "1px solid color-mix(in srgb, currentColor 18%, transparent)"
CARD = "font:13px/1.45 system-ui,sans-serif;font-variant-numeric:tabular-nums;max-width:960px"
ROW = "display:flex;flex-wrap:wrap;gap:12px 24px;align-items:flex-start;margin-top:8px"
QUIET = "opacity:0.68"
CELL = "padding:1px 14px 1px 0;text-align:{};white-space:nowrap;border:0;background:none"
CURVE = "#2b8cb0"  # visible on light and dark backgrounds


def escaped(text: object) -> str:
    """Escape text for HTML."""
    return html.escape(str(text))


def card(title: str, about: str, *parts: str) -> str:
    """A card.

    Args:
        title: any text.
        about: one line next to it, any text.
        parts: HTML, side by side if there is room.
    """
    head = f'<b>{escaped(title)}</b> <span style="{QUIET}">{escaped(about)}</span>'
    inside = "".join(f"<div>{part}</div>" for part in parts if part)
    return f'<div style="{CARD}">{head}<div style="{ROW}">{inside}</div></div>'


def table(heads: Sequence[str], rows: Sequence[Sequence[object]], most: int = MOST_ROWS) -> str:
    """A table; columns of numbers are right-aligned."""
    if not rows:
        return ""
    columns = list(zip(*rows, strict=True))
    sides = ["right" if all(map(_is_figure, column)) else "left" for column in columns]

    def line(cells: Sequence[object], style: str = "") -> str:
        cells_html = (
            f'<td style="{CELL.format(side)};{style}">{escaped(cell)}</td>'
            for cell, side in zip(cells, sides, strict=False)
        )
        return f'<tr style="background:none">{"".join(cells_html)}</tr>'

    lines = [line(heads, f"{QUIET};border-bottom:{LINE}"), *(line(row) for row in rows[:most])]
    if len(rows) > most:
        lines.append(line([f"… and {len(rows) - most} more"], QUIET))
    style = "border-collapse:collapse;margin:0;font:inherit;color:inherit"
    return f'<table style="{style}">{"".join(lines)}</table>'


def _is_figure(cell: object) -> bool:
    try:
        float(str(cell))
    except ValueError:
        return str(cell) in ("–", "-")
    return True


def lines(sentences: Iterable[str]) -> str:
    """Sentences, one per line."""
    html = "".join(f"<div>{escaped(sentence)}</div>" for sentence in sentences)
    return f'<div style="{QUIET};max-width:620px">{html}</div>' if html else ""


def figure(value: float, digits: int = 5) -> str:
    """A number in readable form."""
    return "–" if math.isnan(value) else f"{value:.{digits}g}"


def curve(title: str, x: Array, y: Array, ends: tuple[str, str] | None = None) -> str:
    """A small plot: one curve, interrupted at non-finite values, with its range next to it.

    Args:
        title: any text.
        x: shape (N,).
        y: shape (N,).
        ends: labels of the maximum and the minimum; default: their values.
    """
    x, y = _thinned(x, y)
    finite = np.isfinite(x) & np.isfinite(y)
    if not finite.any():
        return ""
    low, high = float(y[finite].min()), float(y[finite].max())
    begin, end = float(x[finite].min()), float(x[finite].max())
    across = WIDTH / (end - begin) if end > begin else 0.0
    up = (HEIGHT - 6.0) / (high - low) if high > low else 0.0
    points = []
    pen = "M"
    for px, py, good in zip(
        (x - begin) * across, HEIGHT - 3.0 - (y - low) * up, finite, strict=True
    ):
        if good:
            points.append(f"{pen}{px:.1f} {py:.1f}")
        pen = "L" if good else "M"
    name = f'<div style="{QUIET};font-size:12px">{escaped(title)}</div>'
    most, least = ends or (figure(high, 3), figure(low, 3))
    beside = (
        f'<div style="{QUIET};font-size:11px;line-height:1.1;display:flex;flex-direction:column;'
        f'justify-content:space-between;height:{HEIGHT:g}px"><span>{escaped(most)}</span>'
        f"<span>{escaped(least)}</span></div>"
    )
    drawn = (
        f'<svg width="{WIDTH:g}" height="{HEIGHT:g}" role="img" aria-label="{escaped(title)}">'
        f'<path d="M0 {HEIGHT - 0.5:g}H{WIDTH:g}" stroke="currentColor" stroke-opacity="0.25"/>'
        f'<path d="{"".join(points)}" fill="none" stroke="{CURVE}" stroke-width="1.5"/></svg>'
    )
    return f'{name}<div style="display:flex;gap:6px">{drawn}{beside}</div>'


def _thinned(x: Array, y: Array) -> tuple[Array, Array]:
    """Decimate a long curve: keep the minimum and maximum of each interval."""
    if len(x) <= MOST_POINTS:
        return x, y
    size = -(-len(x) // (MOST_POINTS // 2))
    rows: list[int] = []
    for first in range(0, len(x), size):
        part = y[first : first + size]
        good = np.flatnonzero(np.isfinite(part))
        if not len(good):
            rows.append(first)
            continue
        ends = {int(good[np.argmin(part[good])]), int(good[np.argmax(part[good])])}
        broken = set(np.flatnonzero(~np.isfinite(part))[:1].tolist())
        rows += [first + k for k in sorted(ends | broken)]
    return x[rows], y[rows]
