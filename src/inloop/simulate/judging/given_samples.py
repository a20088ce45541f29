"""Notes on given samples that do not determine what a run reads.

They may not cover the whole run. And the spline through them may overshoot: near jumps, and between
samples whose spacing varies strongly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from numbers import Real
from typing import Any

import numpy as np

from inloop.plant import Array
from inloop.plant.time_functions import spline_through

MISSING = 1.5  # intervals between samples: less is a last sample that was left out
ASTRAY = 0.5  # of the samples' range, beyond both neighbors: no smooth motion does that
ASTRAY_AT_REST = 0.02  # the same where samples are constant


def sample_notes(
    inputs: Mapping[str, Any] | None, motions: Mapping[str, Any] | None, begin: float, end: float
) -> Iterator[str]:
    """Notes on given samples.

    Args:
        inputs: inputs of a run, by name: numbers, functions of time, samples (times, values).
        motions: motions of driven joints, likewise.
        begin: start time of the run [s].
        end: end time of the run [s].
    """
    for what, given in (("input", inputs), ("drive", motions)):
        for name, signal in (given or {}).items():
            if not isinstance(signal, Real) and not callable(signal):
                t, values = (np.asarray(part, dtype=np.float64) for part in signal)
                yield from _too_short(f"samples of {what} '{name}'", t, values, (begin, end))
                yield from _astray(f"samples of {what} '{name}'", t, values)


def _too_short(label: str, t: Array, values: Array, run: tuple[float, float]) -> Iterator[str]:
    """Samples held at their first or last value for part of the run."""
    begin, end = run
    if t[0] - begin > MISSING * (t[1] - t[0]):
        yield (
            f"{label} start at t = {t[0]:.6g} s, the run at {begin:.6g} s: until then, the value "
            f"is {values[0]:.4g}"
        )
    if end - t[-1] > MISSING * (t[-1] - t[-2]):
        yield (
            f"{label} end at t = {t[-1]:.6g} s, the run at {end:.6g} s: from then on, the value "
            f"is {values[-1]:.4g}"
        )


def _astray(label: str, t: Array, values: Array) -> Iterator[str]:
    """A spline that overshoots its samples."""
    middle = 0.5 * (t[1:] + t[:-1])
    low, high = np.minimum(values[1:], values[:-1]), np.maximum(values[1:], values[:-1])
    y = spline_through(t, values)(middle)
    beyond = np.maximum(y - high, low - y)
    rest = np.concatenate([[False], (low == high), [False]])
    quiet = rest[1:-1] & (rest[:-2] | rest[2:])
    share = beyond / np.where(quiet, ASTRAY_AT_REST, ASTRAY)
    k = int(np.argmax(share))
    if share[k] > np.ptp(values):
        yield (
            f"{label}: the spline through them reaches {y[k]:.4g} at t = {middle[k]:.6g} s, "
            f"between samples of {values[k]:.4g} and {values[k + 1]:.4g}. Give more of them around "
            "jumps, or straight lines: lambda t: il.table(t, times, values)"
        )
