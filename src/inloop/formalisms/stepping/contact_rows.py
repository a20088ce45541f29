"""Hard contacts for time-stepping: gaps, rows of relative velocities, mass matrix.

The relative velocities of a contact are linear in the velocities of the mechanism, u = H(q) qd + w;
H is their derivative, and w the contribution of drives and moving constraints. Friction and
restitution may be expressions of parameters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from inloop.formalisms.derive import Derivation
from inloop.formalisms.frames import Skeleton
from inloop.formalisms.laws.forces import Places, between_frames
from inloop.formalisms.loops.partition import Partition
from inloop.formalisms.stepping.pile_rows import pile_rows
from inloop.model import Contact, Hard, HardStop, Mechanism
from inloop.model.contacts.found import FoundTouching
from inloop.model.contacts.hard import NORMAL, RATE, ROLLING_RATES, SLIPS, SPINNING_RATE
from inloop.symbolic import Expr, Output, Program, directional, rebuild

if TYPE_CHECKING:
    from inloop.formalisms.loops.closed import ClosedLoops

CONTACT_ROWS = "contact_rows"


def velocity_names(contact: Contact | HardStop) -> tuple[str, ...]:
    """Names of the relative velocities of a contact: the rate of its gap, then slip."""
    return tuple(contact.outputs[key] for key in (RATE, *SLIPS) if key in contact.outputs)


def turning_names(contact: Contact | HardStop) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the resisted angular velocities: of rolling, and of drilling."""
    rolling = tuple(contact.outputs[key] for key in ROLLING_RATES if key in contact.outputs)
    drilling = (SPINNING_RATE,) if SPINNING_RATE in contact.outputs else ()
    return rolling, tuple(contact.outputs[key] for key in drilling)


def turning_rows(mechanism: Mechanism) -> tuple[int, ...]:
    """Rows of rolling and of drilling for each hard contact in turn; empty if there are none."""
    rows: list[int] = []
    for contact in mechanism.declared_contacts:
        rows += [len(names) for names in turning_names(contact)]
    for found in _found(mechanism):
        rows += [*found.turning] * found.touches
    return tuple(rows) if any(rows) else ()


def first_rows(mechanism: Mechanism) -> tuple[int, ...]:
    """First row of each hard contact, then the number of rows."""
    rows = [
        len(velocity_names(contact)) + sum(map(len, turning_names(contact)))
        for contact in mechanism.declared_contacts
    ]
    for found in _found(mechanism):
        rows += [found.rows] * found.touches
    return (0, *accumulate(rows))


def first_states(mechanism: Mechanism) -> tuple[int, ...]:
    """Index of the first state of each hard contact."""
    names = [f"{contact.name}.{NORMAL}" for contact in mechanism.declared_contacts]
    for contact, found in zip(mechanism.found_contacts, _found(mechanism), strict=True):
        names += [f"{contact.name}.{found.state(k, NORMAL)}" for k in range(found.touches)]
    number = {name: k for k, name in enumerate(mechanism.state_names)}
    return tuple(number[name] for name in names)


def contact_laws(mechanism: Mechanism) -> list[Hard]:
    """The law of each hard contact, in order."""
    laws = [item.law for item in mechanism.declared_contacts if isinstance(item.law, Hard)]
    for contact, found in zip(mechanism.found_contacts, _found(mechanism), strict=True):
        laws += [contact.law] * found.touches if isinstance(contact.law, Hard) else []
    return laws


def _found(mechanism: Mechanism) -> list[FoundTouching]:
    return [contact.found for contact in mechanism.found_contacts if contact.found is not None]


def contact_rows(d: Derivation) -> Program:
    """Hard contacts of a mechanism without loops and drives."""
    if d.mechanism.pile is not None:
        return pile_rows(d, CONTACT_ROWS, d.mechanism.pile)
    mass = d.mass.rows(d.graph.zero)
    qd = d.symbols.qd
    met = _meetings(d, d.skeleton, qd)
    return _program(d, CONTACT_ROWS, "q", d.loads.observed, qd, mass, met)


def joint_contact_rows(d: Derivation, free: Sequence[int]) -> Program:
    """The same in the velocities of all joints that are not driven, ignoring constraints.

    The caller knows the response of masses and constraints to impulses: M is 0.
    """
    qd = [d.symbols.qd[k] for k in free]
    mass = [[d.graph.zero] * len(free) for _ in free]
    met = _meetings(d, d.skeleton, qd)
    return _program(d, CONTACT_ROWS, "q qd loads", d.loads.observed, qd, mass, met)


def closed_contact_rows(loops: ClosedLoops, partition: Partition, suffix: str = "") -> Program:
    """The same in independent coordinates, at a closed position; drives also move contacts."""
    d, found = loops.derivation, loops.at(partition)
    entries = found.mass(found.columns())[1]
    places = range(len(partition.independent))
    mass = [[entries.get((i, j), d.graph.zero) for j in places] for i in places]
    qd = [d.symbols.qd[k] for k in partition.independent]
    state = loops.state("q qd loads")
    met = _meetings(d, found.moving, qd)
    return _program(d, f"{CONTACT_ROWS}{suffix}", state, found.loads.observed, qd, mass, met)


def _program(
    d: Derivation,
    name: str,
    state: str,
    observed: Mapping[str, Expr],
    qd: Sequence[Expr],
    mass: Sequence[Sequence[Expr]],
    met: Sequence[Output],
) -> Program:
    """Gaps, friction, restitution, compliance, prescribed motion, rows and the mass matrix.

    Contacts found at run time have no gap and no rows; pose and twist of their frames come after
    all others.

    Args:
        d: the derivation.
        name: name of the program.
        state: its inputs.
        observed: outputs of laws, in velocities `qd`.
        qd: velocities that impulses change.
        mass: the corresponding mass matrix.
        met: data of contacts found at run time, see `_meetings`.
    """
    contacts = d.mechanism.declared_contacts
    laws = contact_laws(d.mechanism)
    velocities = [u for contact in contacts for u in contact_velocities(d, observed, contact)]
    columns = [directional(velocities, {v: d.graph.one}) for v in qd]
    still = rebuild(velocities, d.graph, dict.fromkeys(qd, d.graph.zero))
    outputs = (
        Output.vector("gap", [observed[contact.gap] for contact in contacts], "gaps [m]"),
        Output.vector("mu", _numbers(d, [law.friction for law in laws]), "friction"),
        Output.vector("e", _numbers(d, [law.restitution for law in laws]), "restitution"),
        Output.vector("soft", _numbers(d, [law.compliance for law in laws]), "compliance [m/N]"),
        Output.vector("w", still, "relative velocities at qd = 0"),
        Output.matrix("H", zip(*columns, strict=True), "∂u/∂qd of relative velocities"),
        Output.matrix("M", mass, "mass matrix, symmetric"),
        *met,
    )
    doc = "Hard contacts, and the mass matrix that couples them."
    return d.make(name, state, outputs, doc, "derivatives of relative velocities")


def contact_velocities(
    d: Derivation, observed: Mapping[str, Expr], contact: Contact | HardStop
) -> list[Expr]:
    """Relative velocities of a contact; angular ones times the resisting lever arm [m/s]."""
    found = [observed[name] for name in velocity_names(contact)]
    if isinstance(contact.law, Hard):
        lengths = (contact.law.rolling, contact.law.spinning)
        for length, names in zip(lengths, turning_names(contact), strict=True):
            if length is not None and names:
                (c,) = _numbers(d, [length])
                found += [c * observed[name] for name in names]
    return found


def _meetings(d: Derivation, moving: Skeleton, qd: Sequence[Expr]) -> list[Output]:
    """Pose and twist of the frames of contacts found at run time, and their motion at qd = 0."""
    if not d.mechanism.found_contacts:
        return []
    place, outputs = Places(moving), []
    carriers = {law.name: law for law in d.mechanism.frame_forces}
    for k, contact in enumerate(d.mechanism.found_contacts):
        law = carriers[contact.carried_by[0]]
        between = between_frames(place, law.a, law.b)
        pose = [*between.p, *(entry for row in between.R for entry in row)]
        motion = [*between.v, *between.w]
        columns = [directional(motion, {v: d.graph.one}) for v in qd]
        drift = rebuild(motion, d.graph, dict.fromkeys(qd, d.graph.zero))
        outputs.append(Output.vector(f"pose_{k}", pose, f"p and R of {contact.name}"))
        twist = Output.matrix(
            f"twist_{k}", zip(*columns, strict=True), f"∂(v, w)/∂qd of {contact.name}"
        )
        outputs.append(twist)
        outputs.append(Output.vector(f"drift_{k}", drift, f"v and w of {contact.name} at qd = 0"))
        if isinstance(contact.law, Hard) and not contact.law.turns_freely:
            given = (contact.law.rolling, contact.law.spinning)
            lengths = _numbers(d, [0.0 if length is None else length for length in given])
            outputs.append(Output.vector(f"length_{k}", lengths, f"resistance of {contact.name}"))
    return outputs


def _numbers(d: Derivation, values: Sequence[object]) -> list[Expr]:
    return d.symbols.substitute(list(values), {})  # type: ignore[arg-type]
