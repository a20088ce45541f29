"""How a mechanism changes while it runs, as methods of `Model`: modes, locks and events.

What is declared inside `with m.during(mode, ...):` holds in these modes only: loops, constraints,
locks, drives and force laws. Everything else holds always.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import get_args

from inloop.model.draft import EventDraft, HasDraft, LockDraft
from inloop.model.geometry import Scalar
from inloop.model.handles import BodyHandle, read_path
from inloop.model.laws.coefficients import RESTITUTION, read_bounded
from inloop.model.laws.quantities import SIZES, Quantities
from inloop.model.laws.tracing import Law, trace, trace_values
from inloop.model.modes.elements import Direction, Mode
from inloop.model.names import quoted


def mode(model: HasDraft, name: str, doc: str = "") -> str:
    """Declare a mode; runs start in the first one declared.

    Returns:
        The name of the mode.
    """
    read = model._draft.intake(f"mode {quoted(name)}")
    name = read.name(name)
    model._draft.modes.append(Mode(name, doc, read.where))
    return name


@contextmanager
def during(model: HasDraft, *modes: str) -> Iterator[None]:
    """Let everything declared inside hold in these modes only."""
    draft = model._draft
    read = draft.intake("during")
    known = {mode.name for mode in draft.modes}
    for mode in modes:
        if mode not in known:
            read.complain(f"unknown mode {quoted(mode)}", 'Declare it with m.mode("...").')
    before = set(draft.elements())
    yield
    for element in draft.elements():
        if element not in before:
            draft.membership[element] = tuple(modes)


def lock(model: HasDraft, joint: BodyHandle | str, *, name: str | None = None) -> str:
    """Lock a joint at its current position for the duration of a mode.

    The effort that holds it is an output, and `force["<name>"]` in events.

    Args:
        joint: the body that the joint moves, or the name of either.
        name: name of the lock; made from the joint's name if not given.

    Returns:
        The name of the lock.
    """
    draft = model._draft
    read = draft.intake("lock")
    target = read_path(read, draft, joint, "joint")
    automatic = draft.free_name(f"{(target or '').replace('.', '_')}_lock")
    read.label = f"lock {quoted(automatic if name is None else name)}"
    name = automatic if name is None else read.name(name)
    if target is not None:
        draft.locks.append(LockDraft(name, target, read.where))
    return name


def event(
    model: HasDraft,
    name: str,
    when: Law,
    *,
    mode: str | None = None,
    direction: Direction = "falls",
    to: str | None = None,
    impact: str | None = None,
    restitution: Scalar | Mapping[str, Scalar] = 0.0,
    then: Law | None = None,
    settles_in: str | None = None,
    tolerance: float | None = None,
) -> str:
    """Declare what happens when a quantity crosses zero.

    Laws take any of: q, qd by joint name (`q["crank"]`); p, v, position and velocity of
    points in world axes (`p["tip"]`, three components); force, multipliers of the mode's
    constraints by loop and row (`force["contact"]`, `force["loop.x"]`); effort, of driven
    joints; z, states of laws; out, outputs of laws; t.

    The velocity after an impact comes from the balance of impulses: the constraints of the
    mode `impact` grip, and the part of the velocity that they take away is reversed,
    multiplied by the restitution. Where several constraints grip at once each may have its
    own: `restitution={"left": 0.8, "right": 0.3}`.

    Args:
        name: name of the event.
        when: returns what is watched: it is above zero for as long as nothing happens.
        mode: in which the event is watched; the first mode by default.
        direction: "falls" through zero, "rises", or "either".
        to: mode that follows; the same mode by default. Velocities are projected on its
            constraints, impulses balanced.
        impact: mode whose constraints the mechanism runs into.
        restitution: of that impact: 0, it stays; 1, nothing is lost. Or by name of a row
            ("loop.x") or of an element of the mode `impact`; 0 for all others.
        then: returns what the event sets, such as {"ball.qd": 0.0}: "<joint>.q",
            "<joint>.qd" or "<law>.<state>"; before the impact, if there is one.
        settles_in: mode that follows when such events come ever faster.
        tolerance: what counts as zero, in the unit of the indicator; by default 1e-9 of its
            natural size: what it is at the start, or what it changes by with a unit of the
            motion (see Sizes in the conventions).

    Returns:
        The name of the event.
    """
    draft = model._draft
    read = draft.intake(f"event {quoted(name)}")
    name = read.name(name)
    where = read.where
    if str(direction) not in get_args(Direction):
        read.complain(
            f"unknown direction {quoted(direction)}", 'Write "falls", "rises" or "either".'
        )
        direction = "falls"
    known = {kind: Quantities(draft, name, kind) for kind in SIZES}
    offered: dict[str, object] = {"t": draft.time}
    offered |= {str(kind): quantities for kind, quantities in known.items()}
    before = len(draft.mistakes)
    (indicator,) = trace(read, when, offered, 1)
    sets = {} if then is None else trace_values(read, then, offered)
    read.where = where
    if len(draft.mistakes) > before:
        indicator, sets = 0.0, {}
    by_row = restitution if isinstance(restitution, Mapping) else {}
    if by_row and impact is None:
        read.complain(
            "has restitutions of rows but no impact",
            "Write impact=, the mode whose constraints act in the impact.",
        )
    size = None if tolerance is None else read.number(tolerance, "tolerance", fallback=1.0)
    if size is not None and size <= 0.0:
        read.complain(
            f"tolerance must be > 0, got {size:g}",
            "Give the size below which a value counts as zero.",
        )
    first = draft.modes[0].name if draft.modes else ""
    draft.events.append(
        EventDraft(
            name=name,
            mode=first if mode is None else mode,
            indicator=indicator,
            direction=direction,
            to=to,
            impact=impact,
            restitution=read_bounded(
                read, 0.0 if by_row else restitution, "restitution", RESTITUTION
            ),
            row_restitution=tuple(
                (str(row), read_bounded(read, e, f"restitution of {quoted(row)}", RESTITUTION))
                for row, e in by_row.items()
            ),
            sets=tuple(sets.items()),
            settles_in=settles_in,
            tolerance=size,
            quantities=tuple(q for group in known.values() for q in group.used.values()),
            where=where,
        )
    )
    return name
