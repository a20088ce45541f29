"""Finished mechanisms, each importable, each with its reference figures.

from inloop import gallery

plant = gallery.get("puma560").build().compile()
"""

from inloop.gallery.catalog import get, names
from inloop.gallery.drawing import View
from inloop.gallery.exhibit import Comparison, Exhibit, Option, Reference
from inloop.gallery.experiment import Bench, Experiment, Outcome
from inloop.gallery.look import Ball, Box, Cylinder, Device, Haptic, Line, Look, Plate, Rod

__all__ = [
    "Ball", "Bench", "Box", "Comparison", "Cylinder", "Device", "Exhibit", "Experiment", "Haptic",
    "Line", "Look", "Option", "Outcome", "Plate", "Reference", "Rod", "View", "get", "names",
]  # fmt: skip
