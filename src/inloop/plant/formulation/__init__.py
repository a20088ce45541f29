"""How the motion of a mechanism is written down: as a tree, as loops reduced, body by body."""

from __future__ import annotations

from inloop.errors import InputError
from inloop.model import Mechanism
from inloop.model.names import quoted
from inloop.plant.formulation.formulation import Formulation
from inloop.plant.formulation.reduced_loops import ReducedLoops
from inloop.plant.formulation.redundant import Redundant
from inloop.plant.formulation.tree import Tree

__all__ = [
    "REDUCED",
    "REDUNDANT",
    "Formulation",
    "ReducedLoops",
    "Redundant",
    "Tree",
    "formulation_for",
]

REDUCED, REDUNDANT = Formulation.name, Redundant.name


def formulation_for(
    mechanism: Mechanism, name: str = REDUCED
) -> type[Tree] | type[ReducedLoops] | type[Redundant]:
    """The formulation that fits a mechanism.

    Args:
        mechanism: the model.
        name: "reduced" for independent coordinates, "redundant" for six of each body.

    Raises:
        InputError: there is no such formulation.
    """
    if name == REDUNDANT:
        return Redundant
    if name != REDUCED:
        raise InputError(f"formulation is {quoted(name)}", fix=f"Use '{REDUCED}' or '{REDUNDANT}'.")
    return ReducedLoops if mechanism.closed else Tree
