"""What can be tried with the rover."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from inloop.gallery.exhibition.experiment import Experiment
from inloop.gallery.rover.experiments.drive import DRIVE
from inloop.gallery.rover.experiments.drop import DROP
from inloop.gallery.rover.experiments.slope import SLOPE

EXPERIMENTS: Final[Mapping[str, Experiment]] = {"drop": DROP, "slope": SLOPE, "drive": DRIVE}
