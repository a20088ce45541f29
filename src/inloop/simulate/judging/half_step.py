"""How far a run is from where steps of half the length lead."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from inloop.plant import Array, BarePlant

CONVERGED = 0.1  # difference that half the step may make, of the way of the joints

Positions = Callable[[str], Array]  # samples of a signal by its name


@dataclass(frozen=True)
class Miss:
    """The largest difference.

    Attributes:
        joint: whose position differs most, in its natural unit.
        t: when [s].
        apart: by how much [rad or m].
        share: of the longest way of a joint.
    """

    joint: str = ""
    t: float = 0.0
    apart: float = 0.0
    share: float = 0.0


NO_END = Miss(apart=np.inf, share=np.inf)  # steps of half the length do not come to the end


def miss_of(
    plants: Iterable[BarePlant], t: Array, whole: Positions, t_half: Array, half: Positions
) -> Miss:
    """Compare two runs.

    Args:
        plants: of the runs, one for each mode.
        t: times of the samples of the first [s].
        whole: its positions.
        t_half: times of the samples of the one with half the step [s].
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
