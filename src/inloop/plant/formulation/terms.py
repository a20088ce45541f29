"""What a reduction at run time needs of a plant: terms that hold for every choice of coordinates.

See `native/runtime/il_reduction.h`. All of it is built by `compile()`, so that no run has to derive
or compile anything for another choice of independent coordinates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from inloop.codegen.c_terms import TermsUnit, emit_terms
from inloop.formalisms.loops.closed import ClosedLoops
from inloop.formalisms.loops.partition import Partition
from inloop.symbolic import Program

if TYPE_CHECKING:
    from inloop.plant.formulation.formulation import Formulation

__all__ = ["MOTION", "STATES", "TERMS", "Partition", "Terms", "roles"]

ANY, SMALL, DRIVEN = 0, 2, 4  # as in il_partition.h
TERMS = "closing_terms"  # the function whose library has the terms
MOTION, STATES = "motion_terms", "state_terms"  # others in it


class Terms:
    """The terms of the constrained equations, and the C file around them."""

    def __init__(self, closed: ClosedLoops) -> None:
        self._closed = closed

    def programs(self) -> list[Program]:
        """Of the loops, of the motion and, where laws have states, of their rates."""
        return self._closed.common_programs()

    def sources(
        self, programs: Sequence[Program], prefix: str, about: Sequence[str]
    ) -> Mapping[str, str]:
        """C of the terms in the form that the runtime calls."""
        terms, derivation = self._closed.common_terms, self._closed.derivation
        unit = TermsUnit(
            n=derivation.n,
            rows=len(terms.rows),
            states=len(derivation.loads.rates),
            driven=self._closed.driven,
            turned=derivation.mechanism.turned,
            J=tuple(terms.J),
            M=tuple(terms.M),
        )
        return emit_terms(unit, programs, prefix, about)


def roles(formulation: Formulation, n: int) -> NDArray[np.int32]:
    """What each coordinate may become when independent ones are chosen at run time."""
    found = np.full(n, ANY, dtype=np.int32)
    found[list(formulation.elastic)] = SMALL
    found[list(formulation.driven_indices)] = DRIVEN
    return found
