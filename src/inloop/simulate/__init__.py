"""Steppers, runs and results."""

from inloop.simulate.export import export_c
from inloop.simulate.machine import simulate_modes
from inloop.simulate.many.result import ManyResult
from inloop.simulate.many.runs import simulate_many
from inloop.simulate.results.figure import blank_figure
from inloop.simulate.results.result import EventRecord, Result
from inloop.simulate.run import simulate
from inloop.simulate.stepper import Stepper

__all__ = [
    "EventRecord",
    "ManyResult",
    "Result",
    "Stepper",
    "blank_figure",
    "export_c",
    "simulate",
    "simulate_many",
    "simulate_modes",
]
