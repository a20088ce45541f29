"""Steppers, runs and results."""

from inloop.simulate.machine import simulate_modes
from inloop.simulate.result import Happening, Result
from inloop.simulate.run import simulate

__all__ = ["Happening", "Result", "simulate", "simulate_modes"]
