"""From a mechanism to a plant: derive, emit, build, evaluate."""

from inloop.formalisms.partition import Partition
from inloop.plant.bare_plant import BarePlant
from inloop.plant.engine import Array, NativeEngine, PythonEngine
from inloop.plant.parameters import Parameters

__all__ = ["Array", "BarePlant", "NativeEngine", "Parameters", "Partition", "PythonEngine"]
