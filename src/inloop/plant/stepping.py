"""What implicit integrators need of a plant beside its rates; derived and built on first use."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from inloop.codegen import c_steps
from inloop.formalisms import steps

if TYPE_CHECKING:
    from inloop.plant.bare_plant import BarePlant
    from inloop.plant.loops import Loops

# operations of the rates times columns of the Jacobian, from which it is taken by differences: an
# upper bound of its length, to keep derivation and compilation short
LARGEST_JACOBIAN = 150_000


def implicit_steps(plant: BarePlant, loops: Loops | None) -> str:
    """Name of the predictor for a partition; the corrector is in the same library."""
    if loops is None:
        return plant.build_apart(steps.PREDICTOR, steps.tree_steps, c_steps.emit_tree_steps)
    return plant.build_apart(
        loops.function(steps.PREDICTOR),
        lambda derivation: loops.derived(steps.closed_steps, derivation),
        partial(c_steps.emit_closed_steps, loops.unit()),
    )


def jacobian(plant: BarePlant, loops: Loops | None) -> str | None:
    """Name of the Jacobian for a partition; None where it would be too large."""
    function = "direct_dynamics" if loops is None else loops.function("constrained")
    columns = 2 * (plant.n if loops is None else len(loops.partition.independent))
    columns += len(plant.mechanism.states)
    if plant.operations[function]["total"] * columns > LARGEST_JACOBIAN:
        return None
    if loops is None:
        return plant.build_apart(
            steps.JACOBIAN,
            lambda derivation: [steps.tree_jacobian(derivation)],
            c_steps.emit_tree_jacobian,
        )
    return plant.build_apart(
        loops.function(steps.JACOBIAN),
        lambda derivation: [loops.derived(steps.closed_jacobian, derivation)],
        partial(c_steps.emit_closed_jacobian, loops.unit()),
    )
