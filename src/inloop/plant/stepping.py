"""What implicit integrators need of a plant beside its rates; `compile` builds it where likely.

Without it they take differences of the rates, which needs no code and takes longer.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from inloop.codegen import c_steps
from inloop.formalisms import steps
from inloop.native import Method

if TYPE_CHECKING:
    from inloop.plant.bare_plant import BarePlant
    from inloop.plant.loops import Loops

# operations of the rates times columns of the Jacobian, from which it is taken by differences: an
# upper bound of its length, to keep derivation and compilation short
LARGEST_JACOBIAN = 150_000
# the same product up to which code is built for every mechanism, stiff or not
SMALL = 2_000


def is_likely(plant: BarePlant) -> bool:
    """Implicit methods may be wanted, and their code is not too long to be built for that alone."""
    mechanism = plant.mechanism
    may_be_stiff = mechanism.laws or mechanism.flexible_links
    return _length(plant, plant.loops) <= (LARGEST_JACOBIAN if may_be_stiff else SMALL)


def build_method(plant: BarePlant, loops: Loops | None, method: Method) -> None:
    """Build what an integrator needs beside the rates, for a choice that has code."""
    if method == Method.IMPLICIT:
        implicit_steps(plant, loops)
    elif method == Method.RODAS:
        jacobian(plant, loops)


def has_steps(plant: BarePlant, loops: Loops | None) -> bool:
    """There is code for implicit steps."""
    return plant.is_built(steps.PREDICTOR if loops is None else loops.function(steps.PREDICTOR))


def has_jacobian(plant: BarePlant, loops: Loops | None) -> bool:
    """There is code for the Jacobian."""
    return plant.is_built(steps.JACOBIAN if loops is None else loops.function(steps.JACOBIAN))


def why_no_jacobian(plant: BarePlant, loops: Loops | None) -> str:
    """In words."""
    if _length(plant, loops) > LARGEST_JACOBIAN:
        return "the Jacobian would be too large to generate"
    return "the Jacobian is not compiled (compile(methods='rodas') does it)"


def _length(plant: BarePlant, loops: Loops | None) -> int:
    """Operations of the rates times columns of their Jacobian."""
    function = "direct_dynamics" if loops is None else loops.function("constrained")
    columns = 2 * (plant.n if loops is None else len(loops.partition.independent))
    columns += len(plant.mechanism.states)
    return plant.operations[function]["total"] * columns


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
    if _length(plant, loops) > LARGEST_JACOBIAN:
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
