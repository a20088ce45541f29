"""Pulls on the bodies of a running plant: springs to points in the world, and plain forces."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from inloop.errors import InputError, MailboxError, name_hint
from inloop.native.library import Reals
from inloop.native.mirror import mirror, row_type
from inloop.native.realtime_functions import HAND, PULLS, realtime_function
from inloop.realtime.mailboxes.layout import GRIPS, Layout
from inloop.realtime.mailboxes.memory import MemoryAccess

OK = 0
Vector = Sequence[float] | Reals
NOWHERE = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Grip:
    """A pull on a body: F = stiffness (target - p) - damping v + force, on the point p.

    Attributes:
        body: name of the body.
        target: target of p, in world axes [m].
        stiffness: [N/m].
        damping: [N·s/m].
        point: p, in body axes [m].
        force: additional force, in world axes [N].
    """

    body: str
    target: Vector = NOWHERE
    stiffness: float = 0.0
    damping: float = 0.0
    point: Vector = NOWHERE
    force: Vector = NOWHERE


@dataclass(frozen=True)
class Pull:
    """Result of a grip in one period.

    Attributes:
        grip: the request.
        force: force applied to the body, in world axes [N].
        mass: effective mass at the point [kg]; 0 if it cannot move.
        limited: 0; 1 if stiffness or damping, 2 if the force was limited to what steps can resolve.
    """

    grip: Grip
    force: tuple[float, float, float]
    mass: float
    limited: int


@dataclass(frozen=True)
class Pulls:
    """Results of all grips in one period.

    Attributes:
        outputs: number of the outputs that it led to.
        hand: number of the record of grips that was in use.
        values: numbers as in the mailbox.
        bodies: names of the bodies that can be pulled.
    """

    outputs: int
    hand: int
    values: Reals
    bodies: tuple[str, ...] = field(repr=False)

    @property
    def grips(self) -> Reals:
        """The requested grips, in the format of `Hand.write`."""
        rows = self.values.view(row_type("inloop_pull"))["grip"]
        return np.ascontiguousarray(rows).view(np.float64)

    def __getitem__(self, number: int) -> Pull | None:
        """Result of a grip; None if it was inactive."""
        row: Any = self.values.view(row_type("inloop_pull"))[number]
        grip = row["grip"]
        if not 1.0 <= grip["body"] <= len(self.bodies):
            return None
        held = Grip(
            self.bodies[int(grip["body"]) - 1],
            tuple(grip["target"].tolist()),
            float(grip["stiffness"]),
            float(grip["damping"]),
            tuple(grip["point"].tolist()),
            tuple(grip["force"].tolist()),
        )
        x, y, z = row["force"].tolist()
        return Pull(held, (x, y, z), float(row["mass"]), int(row["limited"]))


def pull_names() -> list[str]:
    """Names of the numbers in a record of pulls."""
    vector = [f"_{axis}" for axis in "xyz"]
    grip = ["body", *(f"{x}{axis}" for x in ("point", "target") for axis in vector)]
    grip += ["stiffness", "damping", *(f"pushed{axis}" for axis in vector)]
    pull = [*grip, *(f"force{axis}" for axis in vector), "mass", "limited"]
    return [f"{name}_{number}" for number in range(GRIPS) for name in pull]


class Hand:
    """Pulls on up to four bodies of a running plant; one process at a time can do so.

    A plant with a watchdog releases the bodies when the last record of grips is older than
    `stale_after`: call `write` repeatedly.
    """

    def __init__(self, name: str, layout: Layout, access: MemoryAccess) -> None:
        self._name, self._layout, self._access = name, layout, access
        self._rows = np.zeros(GRIPS, row_type("inloop_grip"))
        self._cursor = self._used = 0

    def hold(self, grip: Grip, number: int = 0) -> None:
        """Pull on a body from now on.

        Args:
            grip: body, target and stiffness.
            number: index of the grip, 0 to 3; the others are unchanged.

        Raises:
            InputError: there is no such body, or a number is invalid.
            MailboxError: another process pulls on bodies.
        """
        if not 0 <= number < GRIPS:
            raise InputError(f"there is no grip {number}", fix=f"Use 0 to {GRIPS - 1}.")
        rows = self._rows.copy()
        rows[number] = self._row(grip)
        self._publish(rows)
        self._rows = rows

    def put(self, number: int, grip: Grip | None) -> None:
        """Prepare a grip for the next `write`; None: inactive."""
        self._rows[number] = 0 if grip is None else self._row(grip)

    def let_go(self, number: int | None = None) -> None:
        """Release the body of a grip; default: all, so that other processes can pull."""
        rows = self._rows.copy()
        rows[slice(None) if number is None else number] = 0
        self._publish(rows)
        self._rows = rows
        if not rows["body"].any():
            realtime_function("il_mailbox_release")(self._access.use().address, HAND)

    def write(self, values: Reals | None = None) -> int:
        """Write the current grips again, or the given ones; returns the record number."""
        if values is not None:
            self._rows = np.array(values, dtype=np.float64).view(row_type("inloop_grip"))
        return self._publish(self._rows)

    @property
    def holds(self) -> int:
        """Number of bodies that this object pulls on."""
        return int(np.count_nonzero(self._rows["body"]))

    @property
    def owner(self) -> int | None:
        """Process that currently pulls on bodies."""
        owner = realtime_function("il_mailbox_owner")(self._access.use().address, HAND)
        alive = owner != 0 and realtime_function("il_mailbox_alive")(owner)
        return int(owner >> 42) if alive else None

    def newest(self) -> Pulls | None:
        """Results of the last period with an active grip; None if there was none."""
        record, values, place = self._room()
        error = realtime_function("il_mailbox_newest")(self._access.use().address, PULLS, *place)
        return None if error != OK else self._pulls(record, values)

    def of(self, outputs: int) -> Pulls | None:
        """Results of the period that led to these outputs, to be requested in order.

        Returns:
            None if it was overwritten, or there were no active grips.
        """
        record, values, place = self._room()
        copy, held = realtime_function("il_mailbox_copy"), self._access.use()
        ring = held.box.layout.rings[PULLS]
        head = int(mirror("inloop_ring").from_address(held.box.base + ring.offset).head)
        # records belong to increasing output numbers
        for number in range(max(self._cursor, head - ring.slots + 1, 1), head + 1):
            self._cursor = number
            if copy(held.address, PULLS, number, *place) == OK and record.step >= outputs:
                break
        return self._pulls(record, values) if record.step == outputs else None

    def uses(self) -> list[tuple[int, int]]:
        """Periods with active grips since the last call.

        Returns:
            For each, the number of the record of grips in use, and its end [ns].
        """
        record, _, place = self._room()
        copy, held = realtime_function("il_mailbox_copy"), self._access.use()
        ring = held.box.layout.rings[PULLS]
        head = int(mirror("inloop_ring").from_address(held.box.base + ring.offset).head)
        first, self._used = max(self._used, head - ring.slots + 1) + 1, head
        found = []
        for number in range(first, head + 1):
            if copy(held.address, PULLS, number, *place) == OK:
                found.append((int(record.answers), int(record.stamp)))
        return found

    def _pulls(self, record: Any, values: Reals) -> Pulls:
        return Pulls(int(record.step), int(record.answers), values, self._layout.bodies)

    def _room(self) -> tuple[Any, Reals, tuple[int, int]]:
        record, values = mirror("inloop_record")(), np.zeros(self._layout.counts[PULLS])
        return record, values, (ctypes.addressof(record), values.ctypes.data)

    def _row(self, grip: Grip) -> tuple[object, ...]:
        bodies = self._layout.bodies
        if grip.body not in bodies:
            raise InputError(
                f"plant '{self._name}' has no body '{grip.body}' that can be held",
                fix=name_hint(grip.body, bodies),
            )
        numbers = (*grip.point, *grip.target, grip.stiffness, grip.damping, *grip.force)
        good = len(numbers) == 11 and bool(np.all(np.isfinite(numbers)))
        if not (good and grip.stiffness >= 0.0 and grip.damping >= 0.0):
            raise InputError(
                f"body '{grip.body}' cannot be held by {grip}",
                fix="Give finite numbers, three for each vector; stiffness and damping >= 0.",
            )
        number = 1.0 + bodies.index(grip.body)
        spring = (grip.stiffness, grip.damping)
        return (number, tuple(grip.point), tuple(grip.target), *spring, tuple(grip.force))

    def _publish(self, rows: np.ndarray[Any, Any]) -> int:
        held = self._access.use()
        if realtime_function("il_mailbox_take")(held.address, HAND) != OK:
            raise MailboxError(
                f"bodies of plant '{self._name}' are held by process {self.owner}",
                fix="Stop that process, or let it call hand.let_go().",
            )
        about, values = mirror("inloop_record")(), np.ascontiguousarray(rows)
        publish = realtime_function("il_mailbox_publish")
        return int(publish(held.address, HAND, ctypes.addressof(about), values.ctypes.data))
