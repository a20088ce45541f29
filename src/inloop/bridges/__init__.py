"""Plants as CasADi and JAX functions."""

from inloop.bridges.casadi_system import CasadiSystem, to_casadi
from inloop.bridges.jax_system import JaxSystem, to_jax
from inloop.bridges.smooth_system import SmoothSystem

__all__ = ["CasadiSystem", "JaxSystem", "SmoothSystem", "to_casadi", "to_jax"]
