"""What implicit integrators need of a plant beside its rates; `compile` builds it where likely.

Without it they take differences of the rates, which needs no code and takes longer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inloop.codegen.c_collision import MeetingRow, PileRow
from inloop.codegen.c_plant import ContactTable
from inloop.errors import ModelError
from inloop.formalisms.size import size_of
from inloop.formalisms.stepping import steps
from inloop.formalisms.stepping.contact_rows import (
    CONTACT_ROWS,
    contact_laws,
    first_rows,
    first_states,
    turning_rows,
)
from inloop.formalisms.stepping.pile_rows import check_pile, member_trees, trees_of
from inloop.model import Mechanism
from inloop.model.contacts.hard import POISSON
from inloop.model.contacts.pile import Pile
from inloop.native import Method
from inloop.plant.formulation import Formulation
from inloop.symbolic import Program

if TYPE_CHECKING:
    from inloop.plant.bare_plant import BarePlant

# operations of the rates times columns of the Jacobian, from which it is taken by differences: an
# upper bound of its length, to keep derivation and compilation short
LARGEST_JACOBIAN = 150_000
CLOSED = 1e-9  # of the characteristic length: hard contacts with smaller gaps are closed
# the same product up to which code is built for every mechanism, stiff or not
SMALL = 2_000


def is_likely(plant: BarePlant) -> bool:
    """Implicit methods may be wanted, and their code is not too long to be built for that alone."""
    mechanism = plant.mechanism
    may_be_stiff = mechanism.laws or mechanism.flexible_links
    return jacobian_length(plant, plant.formulation) <= (
        LARGEST_JACOBIAN if may_be_stiff else SMALL
    )


def build_method(plant: BarePlant, formulation: Formulation, method: Method) -> None:
    """Build what an integrator needs beside the rates, for a choice that has code."""
    if method.knows_hard_contacts:
        if plant.mechanism.hard_contacts:
            contact_rows(plant, formulation)
            if has_pushing_laws(plant.mechanism) and formulation.code.implicit:
                implicit_steps(plant, formulation)
        return
    if not formulation.code.implicit:
        return
    if method == Method.IMPLICIT:
        implicit_steps(plant, formulation)
    elif method == Method.RODAS:
        jacobian(plant, formulation)


def has_pushing_laws(mechanism: Mechanism) -> bool:
    """Something beside gravity and hard contacts acts: it may be stiff."""
    hard = {contact.name for contact in mechanism.hard_contacts}
    return bool(mechanism.flexible_links) or any(law.name not in hard for law in mechanism.laws)


def has_steps(plant: BarePlant, formulation: Formulation) -> bool:
    """There is code for implicit steps."""
    return plant.equations.is_built(formulation.function(steps.PREDICTOR))


def has_jacobian(plant: BarePlant, formulation: Formulation) -> bool:
    """There is code for the Jacobian."""
    return plant.equations.is_built(formulation.function(steps.JACOBIAN))


def why_no_jacobian(plant: BarePlant, formulation: Formulation) -> str:
    """In words."""
    if not formulation.code.implicit:
        return formulation.code.why_not_implicit
    if _has_filters(plant.mechanism):
        return "filtered drives have no generated Jacobian"
    if jacobian_length(plant, formulation) > LARGEST_JACOBIAN:
        return "the Jacobian would be too large to generate"
    return "the Jacobian is not compiled (compile(methods='rodas') does it)"


def _has_filters(mechanism: Mechanism) -> bool:
    """Drives are filtered; generated slopes take their motion as given."""
    return any(drive.states for drive in mechanism.drives)


def jacobian_length(plant: BarePlant, formulation: Formulation) -> int:
    """Operations of the rates times columns of their Jacobian."""
    columns = 2 * len(formulation.partition.independent) + len(plant.mechanism.states)
    return plant.operations[formulation.motion_function]["total"] * columns


def implicit_steps(plant: BarePlant, formulation: Formulation) -> str:
    """Name of the predictor for a partition; the corrector is in the same library."""
    code = formulation.code
    name = code.function(steps.PREDICTOR)
    return plant.equations.build_apart(name, code.implicit_steps, code.emit_implicit_steps)


def jacobian(plant: BarePlant, formulation: Formulation) -> str | None:
    """Name of the Jacobian for a partition; None where it would be too large, or not complete."""
    if jacobian_length(plant, formulation) > LARGEST_JACOBIAN or _has_filters(plant.mechanism):
        return None
    code = formulation.code
    name = code.function(steps.JACOBIAN)
    return plant.equations.build_apart(name, lambda d: [code.jacobian(d)], code.emit_jacobian)


def contact_rows(plant: BarePlant, formulation: Formulation) -> str:
    """Name of the function that tells of hard contacts.

    Raises:
        ModelError: a pile cannot be combined with what is there.
    """
    code, pile = formulation.code, plant.mechanism.pile
    if pile is not None:
        check_pile(plant.mechanism, pile)
    if pile is not None and plant.has_events:
        raise ModelError(
            f"pile '{pile.name}': the mechanism has modes",
            pile.where,
            "Declare contacts of single pairs instead of the pile.",
        )
    return plant.equations.build_apart(
        code.function(CONTACT_ROWS), lambda d: [code.contact_rows(d)], code.emit_contact_rows
    )


def contact_table(mechanism: Mechanism, program: Program, rows: str) -> ContactTable:
    """The table of the hard contacts of a mechanism.

    Args:
        mechanism: the model.
        program: of its contact rows, for one choice of independent coordinates.
        rows: name of the C function around it.
    """
    if mechanism.pile is not None:
        return _pile_table(mechanism, mechanism.pile, rows)
    outputs = {out.name: out for out in program.outputs}
    behind = 2 * outputs["M"].shape[0]
    return ContactTable(
        rows=rows,
        first=first_rows(mechanism),
        places=tuple(behind + k for k in first_states(mechanism)),
        near=CLOSED * size_of(mechanism).length,
        states=len(mechanism.states),
        moved=_moves(program),
        meetings=_meetings(mechanism),
        poisson=_poisson(mechanism),
        turning=turning_rows(mechanism),
    )


def _moves(program: Program) -> bool:
    """Whether drives or moving constraints move contacts, whatever the velocities."""
    still = [out for out in program.outputs if out.name == "w" or out.name.startswith("drift_")]
    return any(v is not program.graph.zero for out in still for v in out.exprs)


def _poisson(mechanism: Mechanism) -> tuple[int, ...]:
    """Which contacts have Poisson's restitution; nothing if none has."""
    flags = [int(law.impacts == POISSON) for law in contact_laws(mechanism)]
    return tuple(flags) if any(flags) else ()


def _pile_table(mechanism: Mechanism, pile: Pile, rows: str) -> ContactTable:
    """The table of a pile, which is all there is of hard contacts."""
    behind = 2 * len(mechanism.bodies)
    return ContactTable(
        rows=rows,
        first=(0,),
        places=(),
        near=CLOSED * size_of(mechanism).length,
        states=len(mechanism.states),
        moved=False,
        pile=PileRow(
            shapes=pile.tables,
            trees=tuple(member_trees(mechanism, pile)),
            velocities=tuple(map(tuple, trees_of(mechanism))),
            margin=pile.margin,
            slots=pile.slots,
            turns=not pile.law.turns_freely,
            place=behind + mechanism.state_names.index(pile.residuals[0]),
        ),
    )


def _meetings(mechanism: Mechanism) -> tuple[MeetingRow, ...]:
    """Shapes whose contacts are found in each step."""
    rows, first = [], len(mechanism.declared_contacts)
    for contact in mechanism.found_contacts:
        found = contact.found
        assert found is not None
        rows.append(
            MeetingRow(
                a=found.a,
                b=found.b,
                margin=found.margin,
                first=first,
                count=found.touches,
                rows=found.rows,
                turning=found.turning,
            )
        )
        first += found.touches
    return tuple(rows)
