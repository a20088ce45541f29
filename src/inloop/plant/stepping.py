"""What implicit integrators need of a plant beside its rates; derived and built on first use."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from inloop.codegen import c_steps
from inloop.formalisms import steps
from inloop.symbolic import Program

if TYPE_CHECKING:
    from inloop.plant.bare_plant import BarePlant

# operations of the rates times columns of the Jacobian, from which it is taken by differences: an
# upper bound of its length, to keep derivation and compilation short
LARGEST_JACOBIAN = 150_000


Extra = Callable[[Sequence[Program], str, Sequence[str]], Mapping[str, str]]


def implicit_steps(plant: BarePlant) -> str:
    """Name of the predictor for the present partition; the corrector is in the same library."""
    loops = plant.loops
    if loops is None:
        return _built(
            plant,
            steps.PREDICTOR,
            lambda: steps.tree_steps(plant._derivation),
            c_steps.emit_tree_steps,
        )
    return _built(
        plant,
        loops.function(steps.PREDICTOR),
        lambda: loops.derived(steps.closed_steps),
        partial(c_steps.emit_closed_steps, loops.unit()),
    )


def jacobian(plant: BarePlant) -> str | None:
    """Name of the Jacobian for the present partition; None where it would be too large."""
    loops = plant.loops
    function = "direct_dynamics" if loops is None else loops.function("constrained")
    columns = 2 * (plant.n if loops is None else len(loops.partition.independent))
    columns += len(plant.mechanism.states)
    if plant.operations[function]["total"] * columns > LARGEST_JACOBIAN:
        return None
    if loops is None:
        return _built(
            plant,
            steps.JACOBIAN,
            lambda: [steps.tree_jacobian(plant._derivation)],
            c_steps.emit_tree_jacobian,
        )
    return _built(
        plant,
        loops.function(steps.JACOBIAN),
        lambda: [loops.derived(steps.closed_jacobian)],
        partial(c_steps.emit_closed_jacobian, loops.unit()),
    )


def _built(
    plant: BarePlant, name: str, derive: Callable[[], Sequence[Program]], extra: Extra
) -> str:
    """The name of a program, built with its C on first use."""
    if name not in plant._engines:
        start = time.perf_counter()
        programs = derive()
        plant.times[f"derive {name}"] = time.perf_counter() - start
        plant._add(programs, extra)
    return name
