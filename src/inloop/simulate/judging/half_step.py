"""Difference between a run and one with half the step."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from inloop.plant import Array, BarePlant

CONVERGED = 0.1  # maximum difference to half the step, relative to the range of the joints

Positions = Callable[[str], Array]  # name of a signal → its samples


@dataclass(frozen=True)
class Miss:
    """The largest difference.

    Attributes:
        joint: joint whose position differs most, in its natural unit.
        t: time [s].
        apart: difference [rad or m].
        share: difference relative to the largest range of a joint.
    """

    joint: str = ""
    t: float = 0.0
    apart: float = 0.0
    share: float = 0.0


NO_END = Miss(apart=np.inf, share=np.inf)  # the run with half the step does not reach its end


def miss_of(
    plants: Iterable[BarePlant], t: Array, whole: Positions, t_half: Array, half: Positions
) -> Miss:
    """Compare two runs.

    Args:
        plants: plants of the runs, one for each mode.
        t: sample times of the first run [s].
        whole: its positions.
        t_half: sample times of the run with half the step [s].
        half: its positions.
    """
    sizes = {c: x for p in plants for c, x in zip(p.coordinates, p.coordinate_sizes, strict=True)}
    worst, way = Miss(), 0.0
    for name, size in sizes.items():
        other = half(f"{name}.q")
        apart = np.nan_to_num(np.abs(whole(f"{name}.q") - np.interp(t, t_half, other))) / size
        at = int(np.argmax(apart))
        if apart[at] > worst.share:
            worst = Miss(name, float(t[at]), float(apart[at] * size), float(apart[at]))
        way = max(way, float(np.nanmax(other) - np.nanmin(other)) / size)
    return replace(worst, share=worst.share / way if way > 0.0 else 0.0)
