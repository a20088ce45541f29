"""Names and initial values of the variables of a plant's equations."""

from __future__ import annotations

from dataclasses import dataclass

from inloop.bridges.smooth_system import SmoothSystem
from inloop.plant import Array


@dataclass(frozen=True, repr=False)
class NamedSystem:
    """Equations with states x, algebraic variables z, inputs u and parameters p.

    Attributes:
        system: the equations.
    """

    system: SmoothSystem

    def __repr__(self) -> str:
        counts = {
            "states": self.states, "algebraic": self.algebraic, "inputs": self.inputs,
            "parameters": self.parameters,
        }  # fmt: skip
        sizes = ", ".join(f"{len(names)} {what}" for what, names in counts.items() if names)
        return f"<{type(self).__name__} '{self.system.plant.name}': {sizes}>"

    @property
    def states(self) -> tuple[str, ...]:
        """Names of x."""
        return self.system.states

    @property
    def algebraic(self) -> tuple[str, ...]:
        """Names of z: dependent coordinates; none for a tree."""
        return self.system.algebraic

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of u."""
        return self.system.inputs

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of p."""
        return self.system.parameters

    @property
    def x0(self) -> Array:
        """Initial states."""
        return self.system.x0

    @property
    def z0(self) -> Array:
        """Initial algebraic variables."""
        return self.system.z0

    @property
    def u0(self) -> Array:
        """Initial inputs."""
        return self.system.u0

    @property
    def p0(self) -> Array:
        """Current parameters."""
        return self.system.p0
