"""Steppers, runs and results."""

from inloop.simulate.controlled.run import simulate_controlled
from inloop.simulate.controlled.sampled import Sampled
from inloop.simulate.export import export_c
from inloop.simulate.machine import simulate_modes
from inloop.simulate.many.result import ManyResult
from inloop.simulate.many.runs import simulate_many
from inloop.simulate.many.storing import read_runs
from inloop.simulate.results.figure import blank_figure
from inloop.simulate.results.result import EventRecord, Result
from inloop.simulate.run import simulate
from inloop.simulate.sensitivities.backward import Gradient, Loss, gradient_of
from inloop.simulate.sensitivities.forward import simulate_sensitive
from inloop.simulate.sensitivities.result import Sensitivities
from inloop.simulate.stepper import Stepper

__all__ = [
    "EventRecord",
    "Gradient",
    "Loss",
    "ManyResult",
    "Result",
    "Sampled",
    "Sensitivities",
    "Stepper",
    "blank_figure",
    "export_c",
    "gradient_of",
    "read_runs",
    "simulate",
    "simulate_controlled",
    "simulate_many",
    "simulate_modes",
    "simulate_sensitive",
]
