"""From a mechanism to a plant: derive, emit, build, evaluate."""

from inloop.formalisms.loops.partition import Partition
from inloop.formalisms.signals import Signal
from inloop.model import Contact, Event
from inloop.plant.bare_plant import BarePlant
from inloop.plant.engine import Array, NativeEngine, PythonEngine
from inloop.plant.formulation import Formulation
from inloop.plant.parameters import Parameters

__all__ = [
    "Array", "BarePlant", "Contact", "Event", "Formulation", "NativeEngine", "Parameters",
    "Partition", "PythonEngine", "Signal",
]  # fmt: skip
