"""Samples that a run is given, where it reads something else than they say, in words.

They may not reach from its begin to its end. And the spline through them may go astray between
them: it swings about where they jump, or lie far apart beside others that are close together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from numbers import Real
from typing import Any

import numpy as np

from inloop.plant import Array
from inloop.plant.time_functions import spline_through

MISSING = 1.5  # intervals between samples: less is a last sample that was left out
ASTRAY = 0.5  # of the range of the samples, beyond both neighbours: no smooth motion does that
ASTRAY_AT_REST = 0.02  # the same where samples stay as they are


def sample_notes(
    inputs: Mapping[str, Any] | None, motions: Mapping[str, Any] | None, begin: float, end: float
) -> Iterator[str]:
    """What to tell of samples.

    Args:
        inputs: as given to a run, by name: numbers, functions of time, samples (times, values).
        motions: of driven joints, likewise.
        begin: of the run [s].
        end: of it [s].
    """
    for what, given in (("input", inputs), ("drive", motions)):
        for name, signal in (given or {}).items():
            if not isinstance(signal, Real) and not callable(signal):
                t, values = (np.asarray(part, dtype=np.float64) for part in signal)
                yield from _too_short(f"samples of {what} '{name}'", t, values, (begin, end))
                yield from _astray(f"samples of {what} '{name}'", t, values)


def _too_short(label: str, t: Array, values: Array, run: tuple[float, float]) -> Iterator[str]:
    """Samples that stay at their first or last value for a part of the run."""
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
    """A spline that leaves its samples."""
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
