"""Samples that a run is given and that do not reach from its begin to its end, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from numbers import Real
from typing import Any

import numpy as np

MISSING = 1.5  # intervals between samples: less is a last sample that was left out


def short_samples(
    inputs: Mapping[str, Any] | None, motions: Mapping[str, Any] | None, begin: float, end: float
) -> Iterator[str]:
    """What to tell of samples that stay at their first or last value for a part of the run.

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
                yield from _told(f"samples of {what} '{name}'", t, values, (begin, end))


def _told(
    label: str, t: np.ndarray[Any, Any], values: np.ndarray[Any, Any], run: tuple[float, float]
) -> Iterator[str]:
    if len(t) < 2:
        return
    begin, end = run
    if t[0] - begin > MISSING * (t[1] - t[0]):
        yield (
            f"{label} start at t = {t[0]:.6g} s, the run at {begin:.6g} s: until then, the "
            f"value is {values[0]:.4g}"
        )
    if end - t[-1] > MISSING * (t[-1] - t[-2]):
        yield (
            f"{label} end at t = {t[-1]:.6g} s, the run at {end:.6g} s: from then on, the "
            f"value is {values[-1]:.4g}"
        )
