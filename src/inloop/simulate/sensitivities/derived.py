"""Derivatives of a run along directions that share a pass."""

from __future__ import annotations

from dataclasses import dataclass

from inloop.plant import Array
from inloop.simulate.sensitivities.corner_notes import PassedCorner
from inloop.simulate.sensitivities.run_arguments import Apart


@dataclass(frozen=True)
class Derived:
    """Derivatives along directions that share a pass.

    Attributes:
        signals: names of the differentiated signals.
        changes: shape (samples, signals, directions).
        switches: laws that compare numbers.
        apart: difference between the run and its repetition.
        corners: relevant corners of laws that were passed.
    """

    signals: tuple[str, ...]
    changes: Array
    switches: tuple[str, ...]
    apart: Apart
    corners: tuple[PassedCorner, ...] = ()
