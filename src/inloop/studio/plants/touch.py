"""Bodies that pages hold: by the pointer, and by pins.

One page at a time holds bodies: one by its pointer, up to three more by pins. A page gives the
firmness of a hold relative to a default for the body, which depends on the effective mass of its
point. The plant reports that mass after the first touch; until then the hold has no force. The
studio refreshes all holds periodically, so that they do not become stale. When the page releases
them or is closed, so does the studio; if the studio itself is stopped, the plant releases them.
"""

from __future__ import annotations

import contextlib
import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from inloop.errors import InputError, MailboxError
from inloop.realtime.mailboxes.hand import Grip, Hand, Pulls, Vector
from inloop.realtime.mailboxes.layout import GRIPS, Layout
from inloop.studio.messaging.client import Client
from inloop.studio.messaging.frames import TouchFrame
from inloop.studio.messaging.message_types import Hold

POINTER = 0  # index of the pointer's grip; the others are pins
QUICK = 14.0  # natural frequency of a body on the spring [rad/s]
SAG = 0.05  # maximum static deflection by gravity, relative to the size of the mechanism
GRAVITY = 9.81  # [m/s^2]
DAMPED = 0.7  # damping ratio
FIRMNESS = (1.0 / 256.0, 256.0)  # range, relative to the default of a body
FAR = 100.0  # maximum distance of targets, in sizes of the mechanism
REMEMBERED = 512  # holds not yet used by the loop


class Touchable(Protocol):
    """A plant with bodies that can be held."""

    layout: Layout

    @property
    def hand(self) -> Hand:
        """The hand that holds them."""
        ...


@dataclass(frozen=True)
class _Held:
    """One hold, as the page requests it.

    Attributes:
        grip: the mechanical part; without stiffness until the mass is known.
        firmness: relative to the default for the body.
        mass: effective mass of the point [kg]; 0 until it is known.
        since: number of the first record that contains it; 0 if not written yet.
    """

    grip: Grip
    firmness: float
    mass: float = 0.0
    since: int = 0


class Touch:
    """Which page holds which bodies.

    Attributes:
        owner: the client that holds them; None if nobody does.
        used: as for `Inputs`.
    """

    def __init__(self, plant: Touchable, bodies: Sequence[str], size: float) -> None:
        """Hold nothing.

        Args:
            plant: the plant.
            bodies: names in the order of the scene.
            size: size of the mechanism, as it is drawn [m].
        """
        self._plant, self._bodies, self._size = plant, tuple(bodies), size
        self._held: dict[int, _Held] = {}
        self._written = 0  # number of the record with the newest holds
        self._sent: deque[tuple[int, int, float]] = deque(maxlen=REMEMBERED)
        self.owner: Client | None = None
        self.used = (0, 0.0, 0.0)

    @property
    def possible(self) -> bool:
        """Whether bodies can be held here."""
        return bool(self._plant.layout.bodies)

    def set(self, client: Client, frame: TouchFrame) -> None:
        """Hold a body by the pointer, or move the target.

        Raises:
            InputError: unknown body, or another page holds one.
            MailboxError: another process holds bodies, or the plant is gone.
        """
        self._take(client)
        if frame.body < 0:
            self._drop(POINTER)
        else:
            before = self._held.get(POINTER)
            fresh = self._read(frame)
            known = before is not None and _same_place(before.grip, fresh.grip)
            if known and before is not None:
                fresh = replace(fresh, mass=before.mass, since=before.since)
            self._held[POINTER] = fresh
            self._learn()
        self._write()
        self._sent.append((self._written, frame.sequence, frame.page_time))

    def _take(self, client: Client) -> None:
        if self.owner is not None and self.owner is not client:
            raise InputError("another page is holding a body", fix="Wait until it lets go.")
        if self.owner is None:
            self._sent.clear()
        self.owner = client

    def _read(self, frame: TouchFrame) -> _Held:
        if frame.body >= len(self._bodies):
            raise InputError(f"there is no body number {frame.body}", fix="Reload the page.")
        name = self._bodies[frame.body]
        if name not in self._plant.layout.bodies:
            raise InputError(f"body '{name}' cannot be held", fix="Grab another one.")
        far = FAR * self._size
        place = tuple(min(max(x, -far), far) for x in frame.target)
        firmness = min(max(frame.firmness, FIRMNESS[0]), FIRMNESS[1])
        most = FIRMNESS[1] * far  # pushes are elongations of the spring
        pushed = tuple(min(max(x, -most), most) for x in frame.push)
        return _Held(Grip(name, place, point=frame.point, force=pushed), firmness)

    def pin(self, client: Client) -> None:
        """Turn the hold of the pointer into a pin.

        Raises:
            InputError: the page holds no body, or all pins are in use.
        """
        if self.owner is not client or POINTER not in self._held:
            raise InputError("no body is held", fix="Drag one, and pin it there.")
        free = next((k for k in range(1, GRIPS) if k not in self._held), None)
        if free is None:
            raise InputError(f"{GRIPS - 1} bodies are pinned", fix="Remove one of the pins.")
        self._held[free] = replace(self._held.pop(POINTER), since=0)
        self._write()

    def let_go(self, client: Client, number: int | None = None) -> None:
        """Release one hold of a page, or all."""
        if self.owner is client:
            for k in [*self._held] if number is None else [number]:
                self._drop(k)
            with contextlib.suppress(MailboxError):
                self._write()

    def _drop(self, number: int) -> None:
        self._held.pop(number, None)

    def close(self) -> None:
        """Release all holds."""
        if self.owner is not None:
            self.let_go(self.owner)

    def refresh(self) -> None:
        """Write all holds again, with masses reported since the last call."""
        if self._held:
            self._learn()
            try:
                self._write()
            except MailboxError:
                self._held, self.owner = {}, None
        self._follow()

    def _learn(self) -> None:
        """Read the effective masses of new holds, if the plant has reported them."""
        if all(held.mass > 0.0 for held in self._held.values()):
            return
        pulls = self._plant.hand.newest()
        if pulls is None or pulls.hand < self._written:
            return
        for number, held in self._held.items():
            pull = pulls[number]
            if pull is not None and pull.mass > 0.0 and held.mass == 0.0:
                self._held[number] = replace(held, mass=pull.mass)

    def _spring(self, held: _Held) -> Grip:
        """A grip with the stiffness and damping for its firmness."""
        rate_squared = max(QUICK**2, GRAVITY / (SAG * self._size))
        stiffness = held.firmness * held.mass * rate_squared
        damping = 2.0 * DAMPED * math.sqrt(stiffness * held.mass)
        pushed = tuple(stiffness * float(x) for x in held.grip.force)
        if any(pushed):
            return replace(held.grip, force=pushed)
        return replace(held.grip, stiffness=stiffness, damping=damping)

    def _write(self) -> None:
        hand = self._plant.hand
        if not self._held:
            self.owner = None
            hand.let_go()
            return
        for number in range(GRIPS):
            held = self._held.get(number)
            hand.put(number, None if held is None else self._spring(held))
        self._written = hand.write()
        for number, held in self._held.items():
            if not held.since:
                self._held[number] = replace(held, since=self._written)

    def _follow(self) -> None:
        """Find which holds the loop has used, and when first."""
        if not self._sent:
            return
        for hand, stamp in self._plant.hand.uses():
            while self._sent and self._sent[0][0] <= hand:
                _, sequence, page_time = self._sent.popleft()
                self.used = (sequence, 1e-9 * stamp, page_time)

    def holds(self, pulls: Pulls | None) -> list[Hold]:
        """The current holds, for the pages."""
        found: list[Hold] = []
        for number, held in sorted(self._held.items()):
            grip = self._spring(held)
            # ignore the force of an earlier hold
            pull = pulls[number] if pulls is not None and pulls.hand >= held.since else None
            found.append({
                "grip": number, "body": self._bodies.index(grip.body),
                "point": _vector(grip.point), "target": _vector(grip.target),
                "pushes": any(grip.force), "firmness": held.firmness, "mass": held.mass,
                "stiffness": grip.stiffness,
                "force": pull.force if pull is not None else (0.0, 0.0, 0.0),
                "limited": pull.limited if pull is not None else 0,
            })  # fmt: skip
        return found


def _same_place(a: Grip, b: Grip) -> bool:
    return a.body == b.body and tuple(a.point) == tuple(b.point)


def _vector(values: Vector) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return x, y, z
