"""What implicit integrators need of a plant beside its rates; derived and built on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inloop.formalisms import steps
from inloop.plant.formulation import Formulation

if TYPE_CHECKING:
    from inloop.plant.bare_plant import BarePlant

# operations of the rates times columns of the Jacobian, from which it is taken by differences: an
# upper bound of its length, to keep derivation and compilation short
LARGEST_JACOBIAN = 150_000


def implicit_steps(plant: BarePlant, formulation: Formulation) -> str:
    """Name of the predictor for a partition; the corrector is in the same library."""
    code = formulation.code
    name = code.function(steps.PREDICTOR)
    return plant.equations.build_apart(name, code.implicit_steps, code.emit_implicit_steps)


def jacobian(plant: BarePlant, formulation: Formulation) -> str | None:
    """Name of the Jacobian for a partition; None where it would be too large."""
    columns = 2 * len(formulation.partition.independent) + len(plant.mechanism.states)
    if plant.operations[formulation.motion_function]["total"] * columns > LARGEST_JACOBIAN:
        return None
    code = formulation.code
    name = code.function(steps.JACOBIAN)
    return plant.equations.build_apart(name, lambda d: [code.jacobian(d)], code.emit_jacobian)
