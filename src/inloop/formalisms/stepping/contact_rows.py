"""Hard contacts as time-stepping sees them: gaps, rows of relative velocities, mass matrix.

Relative velocities of a contact are linear in the velocities of the mechanism, u = H(q) qd; H is
their derivative. Friction and restitution may be expressions of parameters.
"""

from __future__ import annotations

from collections.abc import Sequence

from inloop.formalisms.derive import Derivation
from inloop.model import Contact, Hard, HardStop, Mechanism
from inloop.model.contacts.hard import NORMAL, RATE, SLIPS
from inloop.symbolic import Expr, Output, Program, directional

CONTACT_ROWS = "contact_rows"


def velocity_names(contact: Contact | HardStop) -> tuple[str, ...]:
    """Names of the relative velocities of a contact: the rate of its gap, then slip."""
    return tuple(contact.outputs[key] for key in (RATE, *SLIPS) if key in contact.outputs)


def first_rows(mechanism: Mechanism) -> tuple[int, ...]:
    """The row at which each hard contact begins, then the number of rows."""
    first = [0]
    for contact in mechanism.hard_contacts:
        first.append(first[-1] + len(velocity_names(contact)))
    return tuple(first)


def first_states(mechanism: Mechanism) -> tuple[int, ...]:
    """Number of the first state of each hard contact."""
    return tuple(
        mechanism.state_names.index(f"{contact.name}.{NORMAL}")
        for contact in mechanism.hard_contacts
    )


def contact_rows(d: Derivation) -> Program:
    """Gaps, friction, restitution, H of all hard contacts, and the mass matrix, from q."""
    observed, contacts = d.loads.observed, d.mechanism.hard_contacts
    laws = [contact.law for contact in contacts if isinstance(contact.law, Hard)]
    velocities = [observed[name] for contact in contacts for name in velocity_names(contact)]
    outputs = (
        Output.vector("gap", [observed[contact.gap] for contact in contacts], "gaps [m]"),
        Output.vector("mu", _numbers(d, [law.friction for law in laws]), "friction"),
        Output.vector("e", _numbers(d, [law.restitution for law in laws]), "restitution"),
        Output.matrix("H", _rows(d, velocities), "∂u/∂qd of relative velocities"),
        Output.matrix("M", d.mass.rows(d.graph.zero), "mass matrix, symmetric"),
    )
    doc = "Hard contacts, and the mass matrix that couples them."
    return d.make(CONTACT_ROWS, "q", outputs, doc, "derivatives of relative velocities")


def _numbers(d: Derivation, values: Sequence[object]) -> list[Expr]:
    return d.symbols.substitute(list(values), {})  # type: ignore[arg-type]


def _rows(d: Derivation, velocities: Sequence[Expr]) -> list[list[Expr]]:
    columns = [directional(velocities, {qd: d.graph.one}) for qd in d.symbols.qd]
    return [list(row) for row in zip(*columns, strict=True)]
