"""How the motion of a mechanism is written down: as a tree, or as loops reduced."""

from __future__ import annotations

from inloop.model import Mechanism
from inloop.plant.formulation.formulation import Formulation
from inloop.plant.formulation.reduced_loops import ReducedLoops
from inloop.plant.formulation.tree import Tree

__all__ = ["Formulation", "ReducedLoops", "Tree", "formulation_for"]


def formulation_for(mechanism: Mechanism) -> type[Tree] | type[ReducedLoops]:
    """The formulation that fits a mechanism."""
    return ReducedLoops if mechanism.closed else Tree
