"""Ready-made mechanisms with reference values.

from inloop import gallery

plant = gallery.get("puma560").build().compile()

Everything here except `exhibition` is an exhibit: a module, or a package with its model, looks,
controllers and experiments. All use only the names below and those of `inloop`, just like an
exhibit in your own package (docs/own_exhibit.md).
"""

from inloop.gallery.exhibition import parts
from inloop.gallery.exhibition.blind_test import BlindTest
from inloop.gallery.exhibition.catalog import exhibits, get, names
from inloop.gallery.exhibition.cockpit import Camera, Cockpit, Gauge, Lever, Voice
from inloop.gallery.exhibition.controller import Controller, CProgram, Guided, Slider
from inloop.gallery.exhibition.device import GROUND, Device, Haptic, Point
from inloop.gallery.exhibition.drawing import View
from inloop.gallery.exhibition.exhibit import Exhibit
from inloop.gallery.exhibition.experiment import Bench, Experiment, Outcome
from inloop.gallery.exhibition.gravity import gravity_along
from inloop.gallery.exhibition.look_drawing import draw_looks
from inloop.gallery.exhibition.notes import Notes
from inloop.gallery.exhibition.option import Option
from inloop.gallery.exhibition.reference import Comparison, Reference
from inloop.gallery.exhibition.scenery import (
    Obstacle,
    Outline,
    Ribbon,
    Scenery,
    Surprise,
    road_ribbons,
    rounded_polygon,
)
from inloop.gallery.exhibition.strokes import strokes

__all__ = [
    "GROUND", "Bench", "BlindTest", "CProgram", "Camera", "Cockpit", "Comparison", "Controller",
    "Device", "Exhibit", "Experiment", "Gauge", "Guided", "Haptic", "Lever", "Notes", "Obstacle",
    "Option", "Outcome", "Outline", "Point", "Reference", "Ribbon", "Scenery", "Slider",
    "Surprise", "View", "Voice",
    "draw_looks", "exhibits", "get", "gravity_along", "names", "parts", "road_ribbons",
    "rounded_polygon", "strokes",
]  # fmt: skip
