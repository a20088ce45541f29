"""Sensors and actuators as they are: quantized, differenced, sampled and held."""

from inloop.devices.differences import BackwardDifferences, FilteredDifferences
from inloop.devices.encoder import Encoder
from inloop.devices.hold import ZeroOrderHold

__all__ = ["BackwardDifferences", "Encoder", "FilteredDifferences", "ZeroOrderHold"]
