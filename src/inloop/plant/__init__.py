"""From a mechanism to a plant: derive, emit, build, evaluate."""

from inloop.formalisms.partition import Partition
from inloop.formalisms.signals import Signal
from inloop.model import Event
from inloop.plant.bare_plant import BarePlant
from inloop.plant.engine import Array, NativeEngine, PythonEngine
from inloop.plant.equations import native_engine
from inloop.plant.parameters import Parameters
from inloop.plant.scales import coordinate_sizes

__all__ = [
    "Array", "BarePlant", "Event", "NativeEngine", "Parameters", "Partition", "PythonEngine",
    "Signal", "coordinate_sizes", "native_engine",
]  # fmt: skip
