"""Experiments with the rover: the seven tests of the source, and drives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from inloop.gallery.exhibition.experiment import Experiment
from inloop.gallery.rover.experiments.circle import CIRCLE
from inloop.gallery.rover.experiments.drive import DRIVE
from inloop.gallery.rover.experiments.drop import DROP
from inloop.gallery.rover.experiments.mound import OVER_MOUND
from inloop.gallery.rover.experiments.phases import PHASES
from inloop.gallery.rover.experiments.slope import SLOPE
from inloop.gallery.rover.experiments.steered import STEERED
from inloop.gallery.rover.experiments.step import UP_STEP
from inloop.gallery.rover.experiments.stopped import STOPPED

EXPERIMENTS: Final[Mapping[str, Experiment]] = {
    "drop": DROP,
    "steered": STEERED,
    "phases": PHASES,
    "slope": SLOPE,
    "stopped": STOPPED,
    "mound": OVER_MOUND,
    "step": UP_STEP,
    "circle": CIRCLE,
    "drive": DRIVE,
}
