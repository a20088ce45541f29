"""Steppers, runs and results."""

from inloop.simulate.result import Result
from inloop.simulate.run import simulate

__all__ = ["Result", "simulate"]
