"""Code of mechanisms without loops and drives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from inloop.codegen.c_steps import emit_tree_contacts, emit_tree_jacobian, emit_tree_steps
from inloop.formalisms import Derivation
from inloop.formalisms.stepping import steps
from inloop.formalisms.stepping.contact_rows import contact_rows, first_rows
from inloop.plant.formulation.code import Code, Files
from inloop.symbolic import Program

if TYPE_CHECKING:
    from inloop.plant.equations import Equations


class TreeCode(Code):
    """Direct dynamics, and what integrators need beside them."""

    suffix = ""
    motion = "direct_dynamics"
    beside_rates = ()

    def __init__(self, equations: Equations) -> None:
        self._equations = equations

    @property
    def autonomous(self) -> bool:
        """See `Code`."""
        return all(block.name != "t" for block in self._equations.program(self.motion).inputs)

    def implicit_steps(self, derivation: Derivation) -> Sequence[Program]:
        """See `Code`."""
        return steps.tree_steps(derivation)

    def jacobian(self, derivation: Derivation) -> Program:
        """See `Code`."""
        return steps.tree_jacobian(derivation)

    def emit_implicit_steps(
        self, programs: Sequence[Program], prefix: str, about: Sequence[str]
    ) -> Files:
        """See `Code`."""
        return emit_tree_steps(programs, prefix, about, self._equations.mechanism.turned)

    def emit_jacobian(
        self, programs: Sequence[Program], prefix: str, about: Sequence[str]
    ) -> Files:
        """See `Code`."""
        return emit_tree_jacobian(programs, prefix, about, self._equations.mechanism.turned)

    def contact_rows(self, derivation: Derivation) -> Program:
        """See `Code`."""
        return contact_rows(derivation)

    def emit_contact_rows(
        self, programs: Sequence[Program], prefix: str, about: Sequence[str]
    ) -> Files:
        """See `Code`."""
        mechanism = self._equations.mechanism
        sizes = len(mechanism.bodies), len(mechanism.states), first_rows(mechanism)[-1]
        return emit_tree_contacts(programs, prefix, about, *sizes, mechanism.turned)
