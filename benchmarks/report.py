"""Output of all sections: tables, bars, progress."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

Row = dict[str, Any]
_START = time.perf_counter()


@dataclass(frozen=True)
class Bar:
    """A figure that the project promises, with the measured value.

    Attributes:
        what: one line that names the figure.
        measured: the figure of this run.
        bar: the promised value.
        unit: "x" for a ratio, "s", "MB" or "operations".
        at_least: False if less is better.
    """

    what: str
    measured: float
    bar: float
    unit: str = "x"
    at_least: bool = True

    @property
    def met(self) -> bool:
        """True if the promise is kept."""
        return self.measured >= self.bar if self.at_least else self.measured <= self.bar

    def cells(self) -> list[str]:
        """The line of the table of all bars."""
        sign = "≥" if self.at_least else "≤"
        verdict = "met" if self.met else "MISSED"
        measured, bar = (quantity(value, self.unit) for value in (self.measured, self.bar))
        return [self.what, measured, f"{sign} {bar}", verdict]


@dataclass
class Findings:
    """Results of a section: raw figures for a file, bars for the last table."""

    rows: list[Row] = field(default_factory=list)
    bars: list[Bar] = field(default_factory=list)

    def as_json(self) -> Row:
        """Plain lists and dictionaries."""
        return {"rows": self.rows, "bars": [{**asdict(bar), "met": bar.met} for bar in self.bars]}


def quantity(value: float, unit: str) -> str:
    """A number with its unit: 3.14x, 0.52 s, 812 MB, 12,477 operations."""
    if unit == "operations":
        return f"{value:,.0f}"
    return f"{value:.2f}x" if unit == "x" else f"{value:.{0 if value >= 100 else 2}f} {unit}"


def title(text: str) -> None:
    """Heading of a section."""
    print(f"\n{text}\n{'-' * len(text)}", flush=True)


def show(headers: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> None:
    """Print a table; the first `left` columns are aligned to the left."""
    lines = [list(headers), *(list(row) for row in rows)]
    widths = [max(len(line[k]) for line in lines) for k in range(len(headers))]
    for line in lines:
        cells = [
            cell.ljust(width) if k < left else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())
    sys.stdout.flush()


def note(text: str) -> None:
    """A remark below a table."""
    print(text, flush=True)


def progress(text: str) -> None:
    """Print to stderr what is being measured, and the elapsed time."""
    print(f"[{time.perf_counter() - _START:4.0f} s] {text}", file=sys.stderr, flush=True)
