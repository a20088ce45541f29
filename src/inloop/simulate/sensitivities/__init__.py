"""Exact derivatives of runs by parameters, start values and inputs."""

from inloop.simulate.sensitivities.result import Sensitivities

__all__ = ["Sensitivities"]
