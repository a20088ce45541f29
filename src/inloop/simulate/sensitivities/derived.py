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
        signals: what was differentiated.
        changes: shape (samples, signals, directions).
        switches: laws that compare numbers.
        apart: how far the run and its repetition are apart.
        corners: those that were passed and matter.
    """

    signals: tuple[str, ...]
    changes: Array
    switches: tuple[str, ...]
    apart: Apart
    corners: tuple[PassedCorner, ...] = ()
