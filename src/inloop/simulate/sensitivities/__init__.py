"""Exact derivatives of runs with respect to parameters, start values and inputs."""

from inloop.simulate.sensitivities.result import Sensitivities

__all__ = ["Sensitivities"]
