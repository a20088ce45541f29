"""The part of the builder that lets a mechanism change while it runs: modes, locks and events."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import get_args

from inloop.errors import ExpressionError
from inloop.model.draft import Draft, EventDraft, LockDraft
from inloop.model.geometry import Scalar
from inloop.model.handles import BodyHandle, Handle, read_path
from inloop.model.laws import Law, trace, trace_values
from inloop.model.modes import Direction, Mode, Quantity, QuantityKind
from inloop.model.names import quoted
from inloop.symbolic import Expr

SIZES: dict[QuantityKind, int] = {
    "q": 1, "qd": 1, "p": 3, "v": 3, "force": 1, "effort": 1, "z": 1, "out": 1,
}  # fmt: skip


class ModeBuilder:
    """Declares modes of one model and the events that lead from one to another.

    What is declared inside `with m.during(mode, ...):` holds in these modes only: loops,
    constraints, locks, drives and force laws. Everything else holds always.
    """

    _draft: Draft

    def mode(self, name: str, doc: str = "") -> str:
        """Declare a mode; the first one that is declared is the one at the start.

        Returns:
            The name of the mode.
        """
        read = self._draft.intake(f"mode {quoted(name)}")
        name = read.name(name)
        self._draft.modes.append(Mode(name, doc, read.where))
        return name

    @contextmanager
    def during(self, *modes: str) -> Iterator[None]:
        """Let everything declared inside hold in these modes only."""
        draft = self._draft
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

    def lock(self, joint: BodyHandle | str, *, name: str | None = None) -> str:
        """Hold a joint where it is, for as long as the mode lasts.

        The effort that holds it is an output, and `force["<name>"]` in events.

        Args:
            joint: the body that the joint moves, or the name of either.
            name: name of the lock; made from the joint's name if not given.

        Returns:
            The name of the lock.
        """
        draft = self._draft
        read = draft.intake("lock")
        target = read_path(read, draft, joint, "joint")
        automatic = draft.free_name(f"{(target or '').replace('.', '_')}_lock")
        read.label = f"lock {quoted(automatic if name is None else name)}"
        name = automatic if name is None else read.name(name)
        if target is not None:
            draft.locks.append(LockDraft(name, target, read.where))
        return name

    def event(
        self,
        name: str,
        when: Law,
        *,
        mode: str | None = None,
        direction: Direction = "falls",
        to: str | None = None,
        impact: str | None = None,
        restitution: Scalar = 0.0,
        then: Law | None = None,
        settles_in: str | None = None,
        tolerance: float = 1e-9,
    ) -> str:
        """Declare what happens when something passes zero.

        Laws take any of: q, qd by joint name (`q["crank"]`); p, v, position and velocity of
        points in world axes (`p["tip"]`, three components); force, multipliers of the mode's
        constraints by loop and row (`force["contact"]`, `force["loop.x"]`); effort, of driven
        joints; z, states of laws; out, outputs of laws; t.

        The velocity after an impact comes from the balance of impulses: the constraints of the
        mode `impact` grip, and the part of the velocity that they take away is reversed,
        multiplied by the restitution.

        Args:
            name: name of the event.
            when: returns what is watched: it is above zero for as long as nothing happens.
            mode: in which the event is watched; the first mode by default.
            direction: "falls" through zero, "rises", or "either".
            to: mode that follows; the same mode by default. Velocities are projected on its
                constraints, impulses balanced.
            impact: mode whose constraints the mechanism runs into.
            restitution: of that impact: 0, it stays; 1, nothing is lost.
            then: returns what the event sets, such as {"ball.qd": 0.0}: "<joint>.q",
                "<joint>.qd" or "<law>.<state>"; before the impact, if there is one.
            settles_in: mode that follows when such events come ever faster.
            tolerance: what counts as zero, in the unit of the indicator.

        Returns:
            The name of the event.
        """
        draft = self._draft
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
        size = read.number(tolerance, "tolerance", fallback=1e-9)
        if size <= 0.0:
            read.complain(f"tolerance must be > 0, got {size:g}", "Write what counts as zero.")
        first = draft.modes[0].name if draft.modes else ""
        draft.events.append(
            EventDraft(
                name=name,
                mode=first if mode is None else mode,
                indicator=indicator,
                direction=direction,
                to=to,
                impact=impact,
                restitution=read.scalar(restitution, "restitution"),
                sets=tuple(sets.items()),
                settles_in=settles_in,
                tolerance=size,
                quantities=tuple(q for group in known.values() for q in group.used.values()),
                where=where,
            )
        )
        return name


class Quantities:
    """Quantities of one kind that an event is traced with, by name.

    What they name may be declared later: any name gets a placeholder; `build()` looks it up.

    Attributes:
        used: those so far.
    """

    def __init__(self, draft: Draft, event: str, kind: QuantityKind) -> None:
        self._draft, self._event, self._kind = draft, event, kind
        self.used: dict[str, Quantity] = {}

    def __getitem__(self, key: object) -> Expr | tuple[Expr, ...]:
        if isinstance(key, Handle) and key.belongs_to(self._draft):
            key = key.path
        if not isinstance(key, str):
            raise ExpressionError(
                f"{self._kind} has no entry {quoted(key)}: quantities are called by their names",
                fix=f'Write {self._kind}["..."].',
            )
        if key not in self.used:
            stem = f"{self._event}.{self._kind}.{key}"
            names = [stem] if SIZES[self._kind] == 1 else [f"{stem}.{axis}" for axis in "xyz"]
            symbols = tuple(self._draft.graph.symbol(name) for name in names)
            self.used[key] = Quantity(self._kind, key, symbols)
        symbols = self.used[key].symbols
        return symbols[0] if len(symbols) == 1 else symbols
