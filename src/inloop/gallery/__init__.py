"""Finished mechanisms, each importable, each with its reference figures.

from inloop import gallery

plant = gallery.get("puma560").build().compile()
"""

from inloop.gallery.catalog import get, names
from inloop.gallery.device import Device, Haptic
from inloop.gallery.drawing import View
from inloop.gallery.exhibit import Comparison, Exhibit, Option, Reference
from inloop.gallery.experiment import Bench, Experiment, Outcome

__all__ = [
    "Bench", "Comparison", "Device", "Exhibit", "Experiment", "Haptic", "Option", "Outcome",
    "Reference", "View", "get", "names",
]  # fmt: skip
